"""Experiences: routes of labelled questions that were wrong, with the feedback that mended them, for the commentor.

After HybGRAG (Lee et al. 2024), whose commentor is shown about 30 of training questions, verified with gold answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from clausegraph.core.errors import InputError
from clausegraph.query.read.model.labelled import seen_among
from clausegraph.query.steps.protocol import Feedback, FeedbackKind, Route

FORM = 1  # of the file


@dataclass(frozen=True)
class Experience:
    """A route of a question, what was wrong with it, and what that is about; entities with their types."""

    question: str
    entities: tuple[str, ...]
    relations: tuple[str, ...]
    module: str
    kind: str
    error: FeedbackKind
    about: str = ""

    @classmethod
    def of(cls, question: str, route: Route, feedback: Feedback) -> Experience:
        """Of a route and a feedback that names an error."""
        assert feedback.kind is not None
        named = tuple(f"{topic.key} ({topic.type})" for topic in route.topics)
        return cls(
            question, named, route.relations, route.module.value, route.kind.value, feedback.kind, feedback.about
        )

    @property
    def text(self) -> str:
        """As the prompt shows it, on one line."""
        entities, relations = (", ".join(names) or "none" for names in (self.entities, self.relations))
        said = json.dumps({"error": self.error.value, "about": self.about}, ensure_ascii=False)
        return (
            f"Question: {' '.join(self.question.split())} Entities: {entities}. Relations: {relations}. "
            f"Module: {self.module}. Kind: {self.kind}. → {said}"
        )


@dataclass(frozen=True)
class Experiences:
    """A file of experiences; ``saw`` has id → text hash of every question that was looked at for them."""

    name: str
    experiences: tuple[Experience, ...]
    form: int = FORM
    saw: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """As the commentor's prompt shows them; empty without any."""
        return "\n".join(["Examples:", *(one.text for one in self.experiences)]) if self.experiences else ""

    def first(self, count: int) -> Experiences:
        """With so many.

        Raises:
            InputError: there are fewer.
        """
        if not 0 <= count <= len(self.experiences):
            raise InputError(
                f"the experiences {self.name!r} are {len(self.experiences)}, {count} are asked for; make more with "
                "`clausegraph train experiences`, or ask for fewer"
            )
        return Experiences(self.name, self.experiences[:count], self.form, self.saw)

    def check_unseen(self, questions: Iterable[tuple[str, str, str]]) -> None:
        """Refuse to help with what it was made from.

        Args:
            questions: id, question, scenario.

        Raises:
            InputError: one of them was looked at, by its id or by its text.
        """
        found = seen_among(self.saw, questions)
        if found is not None:
            raise InputError(
                f"the experiences {self.name!r} were made from question {found[0]!r} (here {found[1]!r}); measure on "
                "questions that they have not seen, or make them from others (`clausegraph train experiences`)"
            )

    def as_json(self) -> str:
        """The file."""
        return _EXPERIENCES.dump_json(self, indent=1).decode() + "\n"


_EXPERIENCES = TypeAdapter(Experiences)


def read_experiences(path: Path) -> Experiences:
    """The experiences of a file.

    Raises:
        InputError: it cannot be read, is none, or is of another form.
    """
    try:
        found = _EXPERIENCES.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        said = str(error).splitlines()[0]
        raise InputError(
            f"experiences {path} cannot be read: {said}; make them with `clausegraph train experiences`"
        ) from error
    if found.form != FORM:
        raise InputError(f"experiences {path} have form {found.form}, this version reads {FORM}; make them again")
    return found
