"""Files of open questions: CRAG's JSON lines, plain or .bz2, with pages or without."""

from __future__ import annotations

import bz2
import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from clausegraph.core.errors import InputError
from clausegraph.eval.files import parse_lines
from clausegraph.query.crag.times import parse_time
from clausegraph.query.crag.types import CragQuestion, SentPage

GROUPS = ("domain", "kind", "dynamism", "popularity")


@dataclass(frozen=True, slots=True)
class CragCase:
    """A question with its gold answers; labels are empty where the file has none."""

    question: CragQuestion
    answers: tuple[str, ...]  # the answer, then others that are as right
    labels: dict[str, str] = field(default_factory=dict)
    pages: tuple[SentPage, ...] = ()

    @property
    def id(self) -> str:
        """The question's."""
        return self.question.id


def read_cases(path: Path, at: datetime | None = None) -> list[CragCase]:
    """The questions of a file.

    Args:
        at: when questions are asked whose file does not say so.
    """
    try:
        text = bz2.decompress(path.read_bytes()) if path.suffix == ".bz2" else path.read_bytes()
        lines = text.decode("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InputError(f"questions {path} cannot be read: {error}") from error
    return parse_lines(path, lines, "question of CRAG", lambda given, number: _case(given, number, at))


def _case(given: dict[str, Any], number: int, at: datetime | None) -> CragCase:
    asked = parse_time(given["query_time"]) if given.get("query_time") else at
    if asked is None:
        raise InputError("it does not say when it is asked; give --at 2024-03-12T10:00-07:00")
    known = {
        "domain": given.get("domain"),
        "kind": given.get("question_type"),
        "dynamism": given.get("static_or_dynamic"),
        "popularity": given.get("popularity"),
    }
    pages = tuple(
        SentPage(
            page["page_url"],
            page.get("page_result") or "",
            page.get("page_name") or "",
            page.get("page_snippet") or "",
            (page.get("page_last_modified") or "").strip(),
        )
        for page in given.get("search_results", ())
    )
    name = str(given.get("interaction_id") or given.get("line") or number)
    return CragCase(
        CragQuestion(given["query"], asked, name),
        (str(given["answer"]), *_alternatives(given.get("alternative_answers") or given.get("alt_ans"))),
        {label: str(value) for label, value in known.items() if value},
        pages,
    )


def _alternatives(value: Any) -> list[str]:
    """They are a list, or one in a string."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return []
    return [str(one) for one in value] if isinstance(value, list) else []
