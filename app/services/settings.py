"""Settings and prompts in force."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from clausegraph.app.services import attributes
from clausegraph.core.errors import InputError
from clausegraph.core.prompts import Prompt, library, shipped_examples
from clausegraph.core.settings import PREFIX, Settings, load_settings, origins
from clausegraph.core.settings_file import example, form


def list_settings(settings: Settings) -> list[dict[str, Any]]:
    """Every setting: name, variable, value, where the value comes from, default, meaning. Secrets are only "(set)"."""
    places, usual = origins(), load_settings()
    return [
        {
            "name": name,
            "variable": PREFIX + name.upper(),
            "value": _value(value),
            "from": "given" if value != getattr(usual, name) else places.get(name, "default"),
            "default": default_words(Settings.model_fields[name]),
            "about": about_words(Settings.model_fields[name]),
        }
        for name, value in settings
    ]


def _value(value: Any) -> Any:
    """As JSON has it; a secret is never shown."""
    if isinstance(value, SecretStr):
        return "(set)"
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {key: one.model_dump() if isinstance(one, BaseModel) else one for key, one in value.items()}
    return value


def default_words(field: FieldInfo) -> str:
    """The default of a setting, as Markdown shows it."""
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    if default in (None, {}, ()):
        return "none"
    return f"`{default if isinstance(default, str | Path) else json.dumps(default)}`"


def about_words(field: FieldInfo) -> str:
    """The description, with the values where only some are taken, and what a variable of several holds."""
    if field.examples:
        return f"{field.description} (in the variable: {form(field)}, such as `{example(field)}`)"
    choices = _choices(field.annotation)
    listed = f" (one of {', '.join(f'`{choice}`' for choice in choices)})" if choices else ""
    return f"{field.description}{listed}"


def _choices(annotation: Any) -> list[str]:
    if get_origin(annotation) is Literal:
        return [str(choice) for choice in get_args(annotation)]
    return [choice for part in get_args(annotation) for choice in _choices(part)]


def list_prompts(folder: Path | None) -> list[dict[str, Any]]:
    """The shipped prompts and those of a folder of one's own."""
    return [_described(prompt) for prompt in library(folder).all()]


def get_prompt(folder: Path | None, name: str) -> dict[str, Any]:
    """A prompt with its file's text; ``name`` is a task, for its newest version, or ``task.vN``."""
    prompt = library(folder).get(name)
    return _described(prompt) | {"source": prompt.source}


def render_prompt(folder: Path | None, name: str, given: Sequence[str]) -> dict[str, Any]:
    """The messages as a model gets them. Examples come from the prompt's own where none are given.

    Args:
        given: KEY=VALUE or KEY=@FILE; ``@@`` begins a value with a plain ``@``.

    Raises:
        InputError: an input is malformed, its file cannot be read, or the prompt takes others.
    """
    prompt = library(folder).get(name)
    values = dict(_pair(text) for text in given)
    if "examples" in prompt.inputs and "examples" not in values:
        values["examples"] = shipped_examples(prompt)
    messages = [{"role": message.role, "content": message.content} for message in prompt.render(**values)]
    return {"prompt": prompt.reference, "messages": messages}


def _described(prompt: Prompt) -> dict[str, Any]:
    return attributes(prompt, "id purpose inputs output since origin digest") | {"path": str(prompt.path)}


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise InputError(f"--input {text!r} is not KEY=VALUE or KEY=@FILE")
    if value.startswith("@@") or not value.startswith("@"):
        return key, value.removeprefix("@")
    path = Path(value[1:])
    try:
        return key, path.expanduser().read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
