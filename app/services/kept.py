"""Answers that people come back to: kept for whoever asked alone, until their epoch or their token goes."""

from __future__ import annotations

import threading
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.app.services.answers import AnswerReply, shown_answer
from clausegraph.core.errors import NotFoundError, StorageError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.serial import answer_from_json, answer_to_json, pack, unpack
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.telemetry.redaction import error_fields
from clausegraph.core.types import Answer, ConditionState, leaves
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.kept_answers import AnswerStore, new_name
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.query.read.assume import assumed, named

log = logger(__name__)
MOST = 200  # answers of a token or a person; the oldest is forgotten when there are more
PERSON = "oidc:"  # how the id of somebody begins who has no token
_WAITING = 500  # questions without an answer yet


class ListedAnswer(Record):
    """An answer that is kept for whoever asked."""

    id: str
    question: str
    scenario: str
    epoch: int
    status: str
    asked: float = Field(description="Seconds since 1970.")


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as somebody asked it, and its answer once there is one.

    ``supposed`` has what the person takes as met, unmet or open, by the words of the condition; ``owner`` is the id of
    their token; ``is_kept``: it is on the disk. ``asked``: seconds since 1970.
    """

    id: str
    owner: str
    corpus: str
    inquiry: Inquiry
    epoch: int | None
    supposed: Mapping[str, ConditionState] = field(default_factory=dict)
    answer: Answer | None = None
    asked: float = 0.0
    is_kept: bool = False

    def conditions(self) -> list[str]:
        """The words of each condition of the answer, in their order: what a form names by number."""
        found = () if self.answer is None else self.answer.alternatives
        return list(dict.fromkeys(leaf.leaf.text for one in found for leaf in leaves(one.condition)))

    def answered(self, answer: Answer) -> AskedQuestion:
        """With its answer; errors as of :meth:`KeptAnswers.keep`."""
        return replace(self, answer=answer, supposed=named(answer, self.supposed))

    def under(self) -> Answer:
        """The answer under what is supposed."""
        assert self.answer is not None
        return assumed(self.answer, self.supposed) if self.supposed else self.answer

    def record(self) -> ListedAnswer:
        """What a list has of it."""
        return ListedAnswer.of(self.under(), self.inquiry, id=self.id, asked=self.asked)

    def shown(self, *, trace: bool) -> AnswerReply:
        """The answer as programs read it."""
        return shown_answer(self.under(), trace=trace)


class KeptAnswers:
    """What was asked of the corpora of a ledger, which ``ledger`` opens; threads and processes may share it."""

    def __init__(self, store: AnswerStore, ledger: Callable[[], Ledger]) -> None:
        self._store, self._ledger = store, ledger
        self._lock = threading.Lock()
        self._waiting: dict[str, AskedQuestion] = {}  # also what could not be written

    def _number(self, corpus: str) -> int:
        return get_corpus(self._ledger(), corpus).id

    def begin(
        self, owner: str, corpus: str, inquiry: Inquiry, epoch: int | None, supposed: Mapping[str, ConditionState]
    ) -> AskedQuestion:
        """Take down a question that was just asked; it is kept once it has its answer (:meth:`keep`)."""
        name, at = new_name(), unicodedata.normalize("NFC", corpus)
        made = AskedQuestion(name, owner, at, inquiry, epoch, supposed, asked=time.time())
        with self._lock:
            self._waiting[made.id] = made
            while len(self._waiting) > _WAITING:
                del self._waiting[next(iter(self._waiting))]
        return made

    def keep(self, asked: AskedQuestion, answer: Answer) -> AskedQuestion:
        """Keep the answer to a question, on the disk before this returns.

        Where it cannot be written, which the log tells, this process alone knows it.

        Raises:
            InputError: something is supposed of a condition that the answer does not have.
        """
        made = replace(asked.answered(answer), is_kept=True)
        supposed = {words: state.value for words, state in made.supposed.items()}
        value = pack({"asked": made.asked, "supposed": supposed, "answer": answer_to_json(answer)})
        try:
            self._store.keep(self._number(made.corpus), answer.epoch, made.owner, made.id, value, MOST)
        except StorageError as error:
            log.warning("answer.not_kept", **error_fields(error))
            made = replace(made, is_kept=False)
        with self._lock:
            if made.is_kept:
                self._waiting.pop(made.id, None)
            else:
                self._waiting[made.id] = made
        return made

    def get(self, owner: str, corpus: str, name: str) -> AskedQuestion:
        """A question of this person, of this corpus, with its answer where it has one.

        Raises:
            NotFoundError: they asked none of that name, or it went with its epoch, for newer ones, or as they wished.
            StorageError: it cannot be read.
        """
        corpus = unicodedata.normalize("NFC", corpus)
        with self._lock:
            waiting = self._waiting.get(name)
        if waiting is not None and (waiting.owner, waiting.corpus) == (owner, corpus):
            return waiting
        data = self._store.read(self._number(corpus), owner, name)
        found = None if data is None else _restored(owner, corpus, name, data)
        if found is None:
            raise NotFoundError("this answer is not kept, or not any more; ask again")
        return found

    def last(self, owner: str, corpus: str, count: int = 10) -> list[AskedQuestion]:
        """What this person asked this corpus last and got an answer to, newest first; errors as of :meth:`get`."""
        corpus = unicodedata.normalize("NFC", corpus)
        kept = self._store.newest(self._number(corpus), owner, count)
        found = (_restored(owner, corpus, name, data) for name, data in kept)
        return [one for one in found if one is not None]

    def forget(self, owner: str, corpus: str, name: str) -> AskedQuestion:
        """Remove an answer; errors as of :meth:`get`. Returns it as it was."""
        found = self.get(owner, corpus, name)
        self._store.forget(self._number(corpus), owner, name)
        with self._lock:
            self._waiting.pop(name, None)
        return found

    def forget_strangers(self, tokens: Iterable[str]) -> None:
        """Remove what was kept for tokens that are no more: their file may have been removed by hand."""
        try:
            self._store.forget_strangers(["", *tokens], PERSON)
        except StorageError as error:
            log.warning("answers.not_forgotten", **error_fields(error))


def _restored(owner: str, corpus: str, name: str, data: bytes) -> AskedQuestion | None:
    """A kept answer; None for one of another version, or of a corpus that had this one's number in another ledger."""
    try:
        value = unpack(data)
        answer = answer_from_json(value["answer"])
        supposed = {words: ConditionState(state) for words, state in value["supposed"].items()}
        asked = float(value["asked"])
    except (ValueError, KeyError, TypeError, AttributeError, zlib.error) as error:
        log.warning("answer.not_read", answer=name, **error_fields(error))
        return None
    if answer.corpus != corpus:
        return None
    return AskedQuestion(name, owner, corpus, answer.inquiry, answer.epoch, supposed, answer, asked, is_kept=True)
