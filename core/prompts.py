"""Prompts as files: ``<task>.v<N>.jinja`` with a header, cut into messages before they are rendered.

There are those that come with ClauseGraph and, on top, a user's folder. Jinja is sandboxed and strict about what is
undefined; the filter ``fence`` puts a text between markers that it does not contain.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausegraph.core.errors import NotFoundError, PromptError

if TYPE_CHECKING:
    import jinja2
    from jinja2.sandbox import SandboxedEnvironment


# What an expression in a template can raise besides Jinja's own errors
_WRONG = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)


def _compile(path: Path, text: str, inputs: Sequence[str]) -> tuple[jinja2.Template, frozenset[str]]:
    """A section as a template, and the inputs that it uses. Refuses what is no template, needs another file, or uses a
    name that the header does not declare."""
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
    if undeclared := sorted(names - set(inputs)):
        raise PromptError(f"{path}: uses {undeclared[0]!r}, which the header does not name in inputs")
    return compiled, names


@cache
def _environment() -> SandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False, trim_blocks=True)
    environment.globals.clear()  # range, cycler and the rest: nothing a prompt needs
    environment.filters["fence"] = fence
    return environment


MARK = "<<<"  # with which the marker lines begin


def fence(text: object) -> str:
    """The text between two marker lines that do not occur in it; equal texts have equal markers."""
    body = str(text)
    seed = body.encode("utf-8", "surrogatepass")
    counter = 0
    while True:
        tag = hashlib.sha256(counter.to_bytes(8, "big") + seed).hexdigest()[:6]
        opening, closing = f"{MARK}PAGE {tag}>>>", f"{MARK}END {tag}>>>"
        if opening not in body and closing not in body:
            return f"{opening}\n{body}\n{closing}"
        counter += 1


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
        """The messages for these inputs; sections that come out empty are left out."""
        missing = [name for name in self.inputs if name not in inputs]
        unknown = sorted(set(inputs) - set(self.inputs))
        if missing or unknown:
            wrong = f"is missing input {missing[0]!r}" if missing else f"takes no input {unknown[0]!r}"
            takes = ", ".join(self.inputs) or "none"
            raise PromptError(f"prompt {self.id} ({self.path}) {wrong}; its inputs are: {takes}")
        from jinja2 import TemplateError

        try:
            made = [PromptMessage(role, one.render(inputs).strip("\n")) for role, one, _ in self._sections]
        except (TemplateError, *_WRONG) as error:
            raise PromptError(f"{self.path}: cannot be rendered: {type(error).__name__}: {error}") from error
        kept = [message for message in made if message.content.strip()]
        if not kept:
            raise PromptError(f"prompt {self.id} ({self.path}) came out empty")
        return kept

    @cached_property
    def variables(self) -> frozenset[str]:
        """The inputs that the sections really use."""
        return frozenset[str]().union(*(names for *_, names in self._sections))

    @cached_property
    def _sections(self) -> list[tuple[str, jinja2.Template, frozenset[str]]]:
        return [(role, *_compile(self.path, text, self.inputs)) for role, text in _cut(self.path, self.source)]


def read_prompt(path: Path, origin: str) -> Prompt:
    """Read a prompt file."""
    named = FILE_NAME.fullmatch(path.name)
    if named is None:
        raise PromptError(f"{path}: a prompt's file name must be like triplets-mine.v1.jinja (a-z, 0-9 and -)")
    try:
        source = path.read_text("utf-8-sig")  # universal newlines: the digest is the same on every system
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"prompt {path} cannot be read: {error}") from error
    header, version = _header(path, source), int(named["version"])
    _cut(path, source)
    inputs = tuple(header.pop("inputs"))
    return Prompt(named["task"], version, inputs=inputs, origin=origin, path=path, source=source, **header)


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


_EXAMPLES = "examples"  # folder beside the prompts
SHIPPED, YOURS = "shipped", "yours"
_NAME = re.compile(r"(?P<task>[a-z0-9-]+)(?:\.v(?P<version>[0-9]+))?")


def shipped_folder() -> Path:
    """The folder of the shipped prompts: beside ``core``, in a checkout as in site-packages.

    Found by place, not by import: another installed package may be called ``prompts``.
    """
    folder = Path(__file__).resolve().parents[1] / "prompts"
    if not folder.is_dir():
        raise PromptError(f"the folder of shipped prompts is missing: {folder}; install clausegraph again")
    return folder


class PromptLibrary:
    """Prompts of several folders; one in a later folder replaces one of the same file name in an earlier."""

    def __init__(self, *folders: tuple[Path, str]) -> None:
        self._files: dict[str, tuple[Path, str]] = {}
        self._misnamed: list[Path] = []
        self._read: dict[str, Prompt] = {}
        for folder, origin in folders:
            self._add(folder, origin)

    def _add(self, folder: Path, origin: str) -> None:
        try:
            paths = sorted(path for path in folder.iterdir() if path.suffix == ".jinja")
        except OSError as error:
            raise PromptError(f"the folder of prompts {folder} cannot be read: {error.strerror or error}") from error
        for path in paths:
            if FILE_NAME.fullmatch(path.name):
                self._files[path.name.removesuffix(".jinja")] = (path, origin)
            else:
                self._misnamed.append(path)

    @property
    def names(self) -> list[str]:
        """The ids, by task and version."""
        return sorted(self._files, key=_order)

    def all(self) -> list[Prompt]:
        """Every prompt, by task and version."""
        if self._misnamed:
            read_prompt(self._misnamed[0], YOURS)  # raises, and says how a file is to be named
        return [self.get(name) for name in self.names]

    def get(self, name: str) -> Prompt:
        """The prompt called ``task`` (its newest version) or ``task.vN``.

        Raises:
            NotFoundError: there is no such prompt.
            PromptError: its file is malformed.
        """
        found = _NAME.fullmatch(name)
        if found and not found["version"]:
            versions = [one for one in self.names if one.rpartition(".v")[0] == name]
            wanted = versions[-1] if versions else name
        else:
            wanted = name
        if wanted not in self._files:
            raise NotFoundError(f"there is no prompt {name!r}; there are: {', '.join(self.names) or 'none'}")
        if wanted not in self._read:
            self._read[wanted] = read_prompt(*self._files[wanted])
        return self._read[wanted]


def _order(name: str) -> tuple[str, int]:
    task, _, version = name.rpartition(".v")
    return task, int(version)


@cache
def shipped_prompts() -> PromptLibrary:
    """The prompts that come with ClauseGraph."""
    return PromptLibrary((shipped_folder(), SHIPPED))


def library(user_folder: Path | None = None) -> PromptLibrary:
    """The shipped prompts and, on top, those of a user's folder."""
    if user_folder is None:
        return shipped_prompts()
    return PromptLibrary((shipped_folder(), SHIPPED), (user_folder.expanduser(), YOURS))


def shipped_examples(prompt: Prompt) -> str:
    """The few-shot examples of a prompt; none where there are none.

    They are ``examples/<task>.v<N>.txt``, of this version alone, else ``examples/<task>.txt``, of every version; beside
    the prompt, else shipped.
    """
    for folder in (prompt.path.parent, shipped_folder()):
        for name in (prompt.id, prompt.task):
            path = folder / _EXAMPLES / f"{name}.txt"
            if path.is_file():
                return read_examples(path)
    return ""


def read_examples(path: Path) -> str:
    """The few-shot examples of a file."""
    try:
        return path.read_text("utf-8-sig").strip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"the examples {path} cannot be read: {error}") from error
