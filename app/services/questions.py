"""Answers that people judged: kept as places of pages, listed, and exported as questions that ``eval`` reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from clausegraph.app.services import Key, Record, Slice
from clausegraph.app.services.browse import Shelf, open_shelf
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.types import Alternative, Answer, AnswerStatus, ConditionState, Evidence, PageKey, Reading, leaves
from clausegraph.indexes.answers import RIGHT, JudgedAnswer, forget_judgement, keep_judgement, list_judged
from clausegraph.indexes.corpora import get_corpus

if TYPE_CHECKING:
    from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question


Place = list[str]  # source, uri and anchor of an element, as JSON values
_VERDICTS = ("yes", "no")


class JudgedQuestion(Record):
    """An answer that somebody judged."""

    id: int
    question: str
    scenario: str
    epoch: int
    verdict: Literal["right", "wrong"]
    expected: str
    status: str
    judged_by: str
    judged: float


def judge(workspace: Workspace, answer: Answer, verdict: str, expected: str, by: str) -> JudgedQuestion:
    """Keep what somebody says of an answer; errors as ``indexes.answers.keep_judgement``, and of ``open_shelf``.

    Args:
        verdict: "right" or "wrong".
        expected: what is right where the answer is not, in words; may be empty.
    """
    ledger = workspace.ledger_to_change()
    shelf = open_shelf(ledger, answer.corpus, answer.epoch)
    known = _Pages(shelf)
    kept = {
        "status": answer.status.value,
        "alternatives": [_alternative(known, one) for one in answer.alternatives],
        "evidence": _places(evidence for one in answer.alternatives for evidence in one.evidence),
    }
    asked, words = (answer.inquiry.question, answer.inquiry.scenario), " ".join(expected.split())
    return _record(keep_judgement(ledger, shelf.corpus, answer.epoch, *asked, verdict, words, kept, by))


def judged_slice(workspace: Workspace, corpus: str, limit: int, after: Key | None = None) -> Slice:
    """Judged answers of a corpus, oldest first; errors as ``get_corpus``."""
    row = get_corpus(workspace.ledger, corpus)
    found = list_judged(workspace.ledger, row.id, int(after[0]) if after else 0, limit + 1)
    return Slice([_record(one) for one in found[:limit]], [found[limit - 1].id] if len(found) > limit else None)


def forget(workspace: Workspace, corpus: str, number: int) -> JudgedQuestion:
    """Remove a judged answer; errors as ``indexes.answers.forget_judgement``. Returns it as it was."""
    ledger = workspace.ledger_to_change()
    return _record(forget_judgement(ledger, get_corpus(ledger, corpus), number))


def export(workspace: Workspace, corpus: str, path: Path) -> dict[str, Any]:
    """Write the judged answers as questions in ConditionalQA's form, which ``clausegraph eval conditionalqa`` reads.

    A right answer is a question's gold answer as long as the published epoch has the elements it rests on; a wrong one
    where it was said what is right.

    Returns:
        ``written`` questions, and of each other the id and why it is ``left_out``.

    Raises:
        InputError: there is nothing to write, or the file cannot be written.
    """
    from clausegraph.eval.conditionalqa.dataset import write_questions

    shelf = open_shelf(workspace.ledger, corpus)
    known = _Pages(shelf)
    made: list[Question] = []
    left_out = []
    for one in list_judged(workspace.ledger, shelf.corpus.id):
        try:
            made.append(_question(known, one))
        except _NoGold as error:
            left_out.append({"id": one.id, "question": one.question, "why": str(error)})
    if not made:
        why = f": {left_out[0]['why']}" if left_out else "; judge some on the console's Ask"
        raise InputError(f"corpus {corpus!r} has no judged answer that makes a question to measure on{why}")
    write_questions(path, made)
    return {"corpus": corpus, "epoch": shelf.epoch, "file": str(path), "written": len(made), "left_out": left_out}


class _NoGold(Exception):
    """Why a judged answer says of no question what is right."""


class _Pages:
    """The elements of one epoch; each page is read once."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._listed = shelf.versions
        self._read: dict[PageKey, Reading] = {}

    def reading(self, page: PageKey) -> Reading | None:
        if page not in self._listed:
            return None
        if page not in self._read:
            self._read[page] = self._shelf.reading(self._listed[page][0])
        return self._read[page]

    def element(self, place: Place) -> tuple[str, str]:
        """Text and serialised form of an element."""
        page = PageKey(place[0], place[1])
        reading = self.reading(page)
        found = reading.element(place[2]) if reading is not None else None
        if found is None:
            raise _NoGold(f"what it rests on ({page}, {place[2]}) is not on the pages any more; ask and judge it again")
        return found.text, found.html


def _alternative(known: _Pages, one: Alternative) -> dict[str, Any]:
    """The text of an answer as a place, but for yes and no and what stands on no page; and its open conditions."""
    judged = (leaf for leaf in leaves(one.condition) if leaf.decisive and leaf.state is ConditionState.UNKNOWN)
    value: dict[str, Any] = {"conditions": _places(leaf.source for leaf in judged)}
    if one.text.lower() not in _VERDICTS:
        for evidence in one.evidence:
            reading = known.reading(evidence.page)
            element = reading.element(evidence.span.anchor) if reading is not None else None
            if element is not None and (start := element.text.find(one.text)) >= 0:
                return value | {"at": _place(evidence), "start": start, "end": start + len(one.text)}
    return value | {"text": one.text}


def _places(found: Iterator[Evidence]) -> list[Place]:
    return [list(place) for place in dict.fromkeys(tuple(_place(one)) for one in found)]


def _place(one: Evidence) -> Place:
    return [one.page.source, one.page.uri, one.span.anchor]


def _question(known: _Pages, one: JudgedAnswer) -> Question:
    """The question with its gold answers."""
    from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question

    answers: tuple[ConditionalAnswer, ...]
    kept, evidence = one.answer, list[str]()
    if one.verdict != RIGHT:
        if not one.expected:
            raise _NoGold("it was judged wrong, and nobody said what is right")
        said = one.expected.strip(" .").lower()
        answers = (ConditionalAnswer(said if said in _VERDICTS else one.expected),)
    elif kept["status"] in (AnswerStatus.UNKNOWN.value, AnswerStatus.QUOTED.value):
        raise _NoGold("nothing was asserted, so there is nothing to expect of an engine")
    else:
        answers = tuple(_gold(known, alternative) for alternative in kept["alternatives"])
        evidence = [known.element(place)[1] for place in kept["evidence"]]
    url = _url(known, kept["evidence"])
    return Question(f"judged-{one.id}", url, one.scenario, one.question, not answers, answers, tuple(evidence))


def _gold(known: _Pages, kept: Mapping[str, Any]) -> ConditionalAnswer:
    from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer

    conditions = tuple(known.element(place)[1] for place in kept["conditions"])
    if "at" not in kept:
        return ConditionalAnswer(kept["text"], conditions)
    return ConditionalAnswer(known.element(kept["at"])[0][kept["start"] : kept["end"]], conditions)


def _url(known: _Pages, places: list[Place]) -> str:
    """Where the first page that the answer rests on stands; empty where it rests on none."""
    if not places:
        return ""
    reading = known.reading(PageKey(places[0][0], places[0][1]))
    return (reading.url if reading is not None else None) or places[0][1]


def _record(one: JudgedAnswer) -> JudgedQuestion:
    return JudgedQuestion.of(one, status=one.answer["status"], judged=one.created)
