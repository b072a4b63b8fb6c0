"""Guides: conventions in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from clausegraph.core.errors import InputError
from clausegraph.core.prompts import shipped_folder
from clausegraph.query.read.model.labelled import seen_among

MOST_WORDS = 900
FORM = 1  # of the file
BENCHMARK = "conditionalqa"


@dataclass(frozen=True)
class Guide:
    """Conventions for a reader's prompt.

    ``saw`` has id → text hash of every question that it was learned from; on those it refuses to be used.
    """

    name: str
    text: str
    form: int = FORM
    saw: Mapping[str, str] = field(default_factory=dict)

    def check_unseen(self, questions: Iterable[tuple[str, str, str]]) -> None:
        """Refuse to be measured on what it was learned from.

        Args:
            questions: id, question, scenario.

        Raises:
            InputError: one of them was seen, by its id or by its text.
        """
        found = seen_among(self.saw, questions)
        if found is not None:
            raise InputError(
                f"guide {self.name!r} was learned from question {found[0]!r} (here {found[1]!r}); measure it on "
                "questions it has not seen, or take another guide (CLAUSEGRAPH_READER_GUIDE)"
            )


_GUIDE = TypeAdapter(Guide)


def read_guide(path: Path) -> Guide:
    """The guide of a file.

    Raises:
        InputError: it cannot be read, is none, is of another form, or has too many words.
    """
    try:
        value: Any = json.loads(path.read_text("utf-8"))
        guide = _GUIDE.validate_python(value)
    except (OSError, UnicodeDecodeError, ValueError, ValidationError) as error:
        said = str(error).splitlines()[0]
        raise InputError(f"guide {path} cannot be read: {said}; see docs/engines.md") from error
    if guide.form != FORM:
        raise InputError(f"guide {path} has form {guide.form}, this version reads {FORM}; write it anew")
    words = len(guide.text.split())
    if words > MOST_WORDS:
        raise InputError(f"guide {path} has {words:,} words; at most {MOST_WORDS} fit in a prompt; shorten its text")
    return guide


def benchmark_guide() -> Guide:
    """The conventions of ConditionalQA's annotators in general words, for evaluations; people get no guide."""
    return read_guide(shipped_folder() / "guides" / f"{BENCHMARK}.json")
