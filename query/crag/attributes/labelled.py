"""Questions with their attributes, as a file has them: JSON lines of question, domain, kind and dynamism."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from clausegraph.core.errors import InputError
from clausegraph.query.crag.types import CragKind, Domain, Dynamism

ATTRIBUTES = ("domain", "kind", "dynamism")


@dataclass(frozen=True, slots=True)
class AttributeLabels:
    """A question and what it is like."""

    question: str
    domain: Domain
    kind: CragKind
    dynamism: Dynamism

    def label(self, attribute: str) -> str:
        """The label of one attribute, as files write it."""
        return str(getattr(self, attribute).value)


def read_labels(path: Path) -> list[AttributeLabels]:
    """The labelled questions of a file.

    Raises:
        InputError: it cannot be read, or a line has no question or an unknown label.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"labelled questions {path} cannot be read: {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        try:
            given = json.loads(line)
            labels = Domain(given["domain"]), CragKind(given["kind"]), Dynamism(given["dynamism"])
            found.append(AttributeLabels(str(given["question"]), *labels))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}, line {number} is no labelled question ({error}); a line has question, domain, kind, dynamism"
            ) from error
    return found
