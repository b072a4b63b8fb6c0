"""Jinja for prompts: sandboxed, strict about what is undefined, with the ``fence`` filter."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.core.errors import PromptError

if TYPE_CHECKING:
    import jinja2
    from jinja2.sandbox import SandboxedEnvironment

# What an expression in a template can raise besides Jinja's own errors
_WRONG = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Template:
    """One compiled section."""

    path: Path
    variables: frozenset[str]
    compiled: jinja2.Template

    def render(self, inputs: Mapping[str, object]) -> str:
        """The section's text.

        Raises:
            PromptError: the template fails on these inputs.
        """
        from jinja2 import TemplateError

        try:
            return self.compiled.render(inputs).strip("\n")
        except (TemplateError, *_WRONG) as error:
            raise PromptError(f"{self.path}: cannot be rendered: {type(error).__name__}: {error}") from error


def compile_sections(
    path: Path, sections: Sequence[tuple[str, str]], inputs: Sequence[str]
) -> list[tuple[str, Template]]:
    """Compile the sections of a prompt file.

    Raises:
        PromptError: a section is no template, needs another file, or uses a name that the header does not declare.
    """
    return [(role, _compile(path, text, inputs)) for role, text in sections]


def _compile(path: Path, text: str, inputs: Sequence[str]) -> Template:
    from jinja2 import TemplateError, TemplateSyntaxError, meta

    environment = _environment()
    try:
        parsed = environment.parse(text)
        names = frozenset(meta.find_undeclared_variables(parsed))
        others = list(meta.find_referenced_templates(parsed))
        compiled = environment.from_string(text)
    except TemplateError as error:
        line = f", line {error.lineno} of the section" if isinstance(error, TemplateSyntaxError) else ""
        raise PromptError(f"{path}: not a template{line}: {error}") from error
    if others:
        raise PromptError(f"{path}: a prompt is one file; it cannot include or extend {others[0] or 'another'}")
    undeclared = sorted(names - set(inputs))
    if undeclared:
        raise PromptError(f"{path}: uses {undeclared[0]!r}, which the header does not name in inputs")
    return Template(path, names, compiled)


@cache
def _environment() -> SandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False, trim_blocks=True)
    environment.globals.clear()  # range, cycler and the rest: nothing a prompt needs
    environment.filters["fence"] = fence
    return environment


def fence(text: object) -> str:
    """The text between two marker lines that do not occur in it; equal texts have equal markers."""
    body = str(text)
    seed = body.encode("utf-8", "surrogatepass")
    counter = 0
    while True:
        tag = hashlib.sha256(counter.to_bytes(8, "big") + seed).hexdigest()[:6]
        opening, closing = f"<<<PAGE {tag}>>>", f"<<<END {tag}>>>"
        if opening not in body and closing not in body:
            return f"{opening}\n{body}\n{closing}"
        counter += 1
