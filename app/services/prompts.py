"""Prompts as people meet them: listed, shown, rendered with inputs from the command line or files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clausegraph.core.errors import InputError
from clausegraph.core.prompts import Prompt, library, shipped_examples


def list_prompts(folder: Path | None) -> list[dict[str, Any]]:
    """The shipped prompts and those of a folder of one's own."""
    return [_described(prompt) for prompt in library(folder).all()]


def get_prompt(folder: Path | None, name: str) -> dict[str, Any]:
    """A prompt with its file's text; ``name`` is a task, for its newest version, or ``task.vN``.

    Raises:
        NotFoundError: no such prompt.
    """
    prompt = library(folder).get(name)
    return _described(prompt) | {"source": prompt.source}


def render_prompt(folder: Path | None, name: str, given: Sequence[str], inputs: Path | None) -> dict[str, Any]:
    """The messages as a model gets them. Examples come from the prompt's own where none are given.

    Args:
        given: KEY=VALUE or KEY=@FILE; ``@@`` begins a value with a plain ``@``.
        inputs: JSON file of an object of inputs; ``given`` wins.

    Raises:
        NotFoundError: no such prompt.
        InputError: an input is malformed, its file cannot be read, or the prompt takes others.
    """
    prompt = library(folder).get(name)
    values = (_from_file(inputs) if inputs else {}) | dict(_pair(text) for text in given)
    if "examples" in prompt.inputs and "examples" not in values:
        values["examples"] = shipped_examples(prompt)
    messages = [{"role": message.role, "content": message.content} for message in prompt.render(**values)]
    return {"prompt": prompt.reference, "messages": messages}


def _described(prompt: Prompt) -> dict[str, Any]:
    return {
        "id": prompt.id,
        "purpose": prompt.purpose,
        "inputs": list(prompt.inputs),
        "output": prompt.output,
        "since": prompt.since,
        "origin": prompt.origin,
        "digest": prompt.digest,
        "path": str(prompt.path),
    }


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise InputError(f"--input {text!r} is not KEY=VALUE or KEY=@FILE")
    if value.startswith("@@"):
        return key, value[1:]
    return key, _text(Path(value[1:])) if value.startswith("@") else value


def _from_file(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"--inputs {path} is not JSON: {error}") from error
    if not isinstance(values, dict):
        raise InputError(f"--inputs {path} must be a JSON object of names and values")
    return values


def _text(path: Path) -> str:
    try:
        return path.expanduser().read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
