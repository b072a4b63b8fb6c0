"""Hints such as "run `clausegraph entities apply`", so that whoever pastes one stays with the same corpus and home."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

_HINT = re.compile(r"`clausegraph ([^`]+)`")
_WITHOUT_CORPUS = {"corpora", "dags", "dev", "doctor", "prompts", "server", "settings"}
_WITHOUT_HOME = {"dags", "dev", "prompts", "server"}


@dataclass(frozen=True)
class Hints:
    """What a command must be told that the settings would not say by themselves; None where they do."""

    corpus: str | None = None
    home: Path | None = None

    def complete(self, text: str) -> str:
        """The text with ``--corpus`` and ``--home`` in each command between backticks that needs them."""
        return _HINT.sub(lambda found: self.hint(found[1]), text)

    def hint(self, words: str) -> str:
        """A command to paste, between backticks; ``words`` are those after ``clausegraph``."""
        name = words.split(maxsplit=1)[0]
        if self.corpus is not None and name not in _WITHOUT_CORPUS and "--corpus" not in words:
            words += f" --corpus {shlex.quote(self.corpus)}"
        if self.home is not None and name not in _WITHOUT_HOME and "--home" not in words:
            words += f" --home {shlex.quote(str(self.home))}"
        return f"`clausegraph {words}`"
