"""Answers that a person may come back to while the server runs: in memory, each for whoever asked alone."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer, ConditionState, leaves

_MOST = 500  # the oldest is forgotten when there are more


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as somebody asked it, and its answer once there is one.

    ``supposed`` has what the person takes as met, unmet or open, by the words of the condition; ``owner`` is the id of
    their token.
    """

    id: str
    owner: str
    corpus: str
    inquiry: Inquiry
    epoch: int | None
    supposed: Mapping[str, ConditionState] = field(default_factory=dict)
    answer: Answer | None = None

    def conditions(self) -> list[str]:
        """The words of each condition of the answer, in their order: what a form names by number."""
        found = () if self.answer is None else self.answer.alternatives
        return list(dict.fromkeys(leaf.leaf.text for one in found for leaf in leaves(one.condition)))

    def answered(self, answer: Answer) -> AskedQuestion:
        """With its answer.

        Raises:
            InputError: something is supposed of a condition that the answer does not have.
        """
        made = replace(self, answer=answer)
        for words in self.supposed:
            if words not in made.conditions():
                raise InputError(f"no condition of this answer reads {words[:200]!r}; ask without it")
        return made


class AskedQuestions:
    """The questions of one server process, the newest last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, AskedQuestion] = {}

    def add(
        self, owner: str, corpus: str, inquiry: Inquiry, epoch: int | None, supposed: Mapping[str, ConditionState]
    ) -> AskedQuestion:
        """Keep a question that was just asked."""
        made = AskedQuestion(secrets.token_urlsafe(12), owner, corpus, inquiry, epoch, supposed)
        with self._lock:
            self._kept[made.id] = made
            while len(self._kept) > _MOST:
                del self._kept[next(iter(self._kept))]
        return made

    def put(self, asked: AskedQuestion) -> None:
        """Keep what became of a question; nothing where it is forgotten already."""
        with self._lock:
            if asked.id in self._kept:
                self._kept[asked.id] = asked

    def get(self, owner: str, corpus: str, name: str) -> AskedQuestion:
        """A question of this person, of this corpus.

        Raises:
            NotFoundError: they asked none of that id, or it is forgotten.
        """
        with self._lock:
            found = self._kept.get(name)
        if found is None or (found.owner, found.corpus) != (owner, corpus):
            raise NotFoundError("this answer is not kept any more; ask again")
        return found

    def last(self, owner: str, corpus: str, count: int = 10) -> list[AskedQuestion]:
        """What this person asked this corpus last, newest first."""
        with self._lock:
            found = [one for one in self._kept.values() if (one.owner, one.corpus) == (owner, corpus)]
        return found[: -count - 1 : -1]
