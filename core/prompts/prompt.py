"""One prompt file: its header, its sections, and the messages it renders to."""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from clausegraph.core.errors import PromptError
from clausegraph.core.prompts.template import Template, compile_sections

FILE_NAME = re.compile(r"(?P<task>[a-z0-9]+(?:-[a-z0-9]+)*)\.v(?P<version>[1-9][0-9]{0,5})\.jinja")
_HEADER = re.compile(r"\{#-?(.*?)-?#\}", re.DOTALL)
_SECTION = re.compile(r"^===[ \t]*([A-Za-z]*)[ \t]*===[ \t]*$", re.MULTILINE)
_ROLES = ("system", "user", "assistant")
_TEXTS = ("purpose", "output", "since")
_EXAMPLE = '{#\npurpose = "..."\ninputs = ["title", "page"]\noutput = "..."\nsince = "0.2.0"\n#}'


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a rendered prompt; ``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class Prompt:
    """A prompt template. ``inputs`` are the names :meth:`render` takes, all of them, and no others."""

    task: str
    version: int
    purpose: str
    inputs: tuple[str, ...]
    output: str
    since: str
    origin: str  # shipped, or yours
    path: Path
    source: str

    @property
    def id(self) -> str:
        """``task.vN``."""
        return f"{self.task}.v{self.version}"

    @cached_property
    def digest(self) -> str:
        """12 hex digits of the source."""
        return hashlib.sha256(self.source.encode("utf-8")).hexdigest()[:12]

    @property
    def reference(self) -> str:
        """``task.vN@digest``: this text and no other."""
        return f"{self.id}@{self.digest}"

    def render(self, **inputs: object) -> list[PromptMessage]:
        """The messages for these inputs; sections that come out empty are left out.

        Raises:
            PromptError: an input is missing or unknown, or the template is wrong.
        """
        missing = [name for name in self.inputs if name not in inputs]
        unknown = sorted(set(inputs) - set(self.inputs))
        if missing or unknown:
            wrong = f"is missing input {missing[0]!r}" if missing else f"takes no input {unknown[0]!r}"
            takes = ", ".join(self.inputs) or "none"
            raise PromptError(f"prompt {self.id} ({self.path}) {wrong}; its inputs are: {takes}")
        made = [PromptMessage(role, template.render(inputs)) for role, template in self._sections]
        kept = [message for message in made if message.content.strip()]
        if not kept:
            raise PromptError(f"prompt {self.id} ({self.path}) came out empty")
        return kept

    @cached_property
    def variables(self) -> frozenset[str]:
        """The inputs that the sections really use."""
        return frozenset[str]().union(*(template.variables for _, template in self._sections))

    @cached_property
    def _sections(self) -> list[tuple[str, Template]]:
        return compile_sections(self.path, _cut(self.path, self.source), self.inputs)


def read_prompt(path: Path, origin: str) -> Prompt:
    """Read a prompt file.

    Raises:
        PromptError: the file cannot be read, or name, header or sections are malformed.
    """
    named = FILE_NAME.fullmatch(path.name)
    if named is None:
        raise PromptError(f"{path}: a prompt's file name must be like triplets-mine.v1.jinja (a-z, 0-9 and -)")
    try:
        source = path.read_text("utf-8-sig")  # universal newlines: the digest is the same on every system
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"prompt {path} cannot be read: {error}") from error
    header = _header(path, source)
    _cut(path, source)
    return Prompt(
        task=named["task"],
        version=int(named["version"]),
        purpose=header["purpose"],
        inputs=tuple(header["inputs"]),
        output=header["output"],
        since=header["since"],
        origin=origin,
        path=path,
        source=source,
    )


def _header(path: Path, source: str) -> dict[str, Any]:
    found = _HEADER.match(source)
    if found is None:
        raise PromptError(f"{path}: must begin with a header in a Jinja comment, such as\n{_EXAMPLE}")
    try:
        header = tomllib.loads(found[1])
    except tomllib.TOMLDecodeError as error:
        raise PromptError(f"{path}: the header is not TOML: {error}; it should look like\n{_EXAMPLE}") from error
    problem = _problem(header)
    if problem:
        raise PromptError(f"{path}: header: {problem}; it should look like\n{_EXAMPLE}")
    return header


def _problem(header: dict[str, Any]) -> str:
    for key in _TEXTS:
        if not isinstance(header.get(key), str) or not header[key].strip():
            return f"{key} must be a text"
    inputs = header.get("inputs")
    if not isinstance(inputs, list) or not all(isinstance(name, str) and name.isidentifier() for name in inputs):
        return "inputs must be a list of names"
    if len(set(inputs)) != len(inputs):
        return "inputs names one twice"
    unknown = sorted(set(header) - {*_TEXTS, "inputs"})
    return f"unknown key {unknown[0]!r}" if unknown else ""


def _cut(path: Path, source: str) -> list[tuple[str, str]]:
    """The sections as (role, template text), cut before anything is rendered: no input can open one."""
    header = _HEADER.match(source)
    body = source[header.end() :] if header else source
    pieces = _SECTION.split(body)
    if pieces[0].strip():
        raise PromptError(
            f"{path}: {pieces[0].strip()[:40]!r} stands before the first section; begin it with === user ==="
        )
    roles = pieces[1::2]
    wrong = [role for role in roles if role not in _ROLES]
    if wrong:
        raise PromptError(f"{path}: unknown section === {wrong[0]} ===; there are {', '.join(_ROLES)}")
    if "user" not in roles:
        raise PromptError(f"{path}: has no === user === section")
    return list(zip(roles, (piece.strip("\n") for piece in pieces[2::2]), strict=True))
