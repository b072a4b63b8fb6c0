"""The prompts there are: those that come with ClauseGraph, and a user's folder on top."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from clausegraph.core.errors import NotFoundError, PromptError
from clausegraph.core.prompts.prompt import FILE_NAME, Prompt, read_prompt

_EXAMPLES = "examples"  # folder beside the prompts
SHIPPED, YOURS = "shipped", "yours"
_NAME = re.compile(r"(?P<task>[a-z0-9-]+)(?:\.v(?P<version>[0-9]+))?")


def shipped_folder() -> Path:
    """The folder of the shipped prompts: beside ``core``, in a checkout as in site-packages.

    Found by place, not by import: another installed package may be called ``prompts``.

    Raises:
        PromptError: it is not there; the installation is broken.
    """
    folder = Path(__file__).resolve().parents[2] / "prompts"
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
        """Every prompt, by task and version.

        Raises:
            PromptError: one of the files is malformed or wrongly named.
        """
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
    """The shipped prompts and, on top, those of a user's folder.

    Raises:
        PromptError: the folder cannot be read.
    """
    if user_folder is None:
        return shipped_prompts()
    return PromptLibrary((shipped_folder(), SHIPPED), (user_folder.expanduser(), YOURS))


def shipped_examples(prompt: Prompt) -> str:
    """The few-shot examples of a prompt; none where there are none.

    They are ``examples/<task>.v<N>.txt``, of this version alone, else ``examples/<task>.txt``, of every version; beside
    the prompt, else shipped.

    Raises:
        PromptError: the file is there and cannot be read.
    """
    for folder in (prompt.path.parent, shipped_folder()):
        for name in (prompt.id, prompt.task):
            path = folder / _EXAMPLES / f"{name}.txt"
            if path.is_file():
                return read_examples(path)
    return ""


def read_examples(path: Path) -> str:
    """The few-shot examples of a file.

    Raises:
        PromptError: the file cannot be read.
    """
    try:
        return path.read_text("utf-8-sig").strip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"the examples {path} cannot be read: {error}") from error
