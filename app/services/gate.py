"""The gate of a corpus: questions that a prepared epoch must answer before readers see it, set, asked and shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import ConfigDict, Field, ValidationError

from clausegraph.app.engines import make_engine
from clausegraph.app.models import opened_model
from clausegraph.app.render import answer_text
from clausegraph.app.services import Record
from clausegraph.app.services.answer_changes import answer_differences, stored_answer
from clausegraph.core.errors import InputError, ModelError, NotFoundError
from clausegraph.core.inquiry import MAX_CHARACTERS, Inquiry
from clausegraph.core.language.normalise import normalise_text, tokens
from clausegraph.core.text import one_line
from clausegraph.eval.files import read_text
from clausegraph.indexes import gates
from clausegraph.indexes.corpora import add_to_report, get_corpus, list_epochs
from clausegraph.indexes.views import prepared_view
from clausegraph.indexes.watches import list_watches
from clausegraph.ingestion.guards import GateVerdict

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.core.types import Answer
    from clausegraph.indexes.ledger.metering import RunMeter
    from clausegraph.indexes.views import View

Approved = Mapping[tuple[str, str], "Answer"]  # by question and scenario
_LONGEST = 300  # characters of an answer that are told
_WRONG = 5  # lines that are named


class GateQuestion(Record):
    """A question with what its answer must be; at least one of what may be expected."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    question: str = Field(min_length=1, max_length=MAX_CHARACTERS)
    scenario: str = Field(default="", max_length=MAX_CHARACTERS)
    status: Literal["answered", "quoted", "not_answerable", "unknown", "invalid_premise"] | None = None
    verdict: Literal["yes", "no"] | None = Field(default=None, description="How the answer begins.")
    has: tuple[str, ...] = Field(default=(), description="Words or values that the answer has, whatever their case.")
    lacks: tuple[str, ...] = Field(default=(), description="Words or values that it does not have.")
    watched: bool = Field(default=False, description="It is as somebody approved it of the watched question.")


class ShownGate(Record):
    """The gate of a corpus."""

    corpus: str
    questions: list[GateQuestion]
    floor: float = Field(description="Share of the questions that must be right, 0 to 1.")
    missed: Literal["keep", "flag"] = Field(description="keep: the last epoch stays; flag: it is published, and told.")
    set_by: str
    created: float = Field(description="Seconds since 1970.")


class GateResult(Record):
    """What the gate says of an epoch."""

    corpus: str
    epoch: int
    asked: int
    missed: list[str] = Field(description="Questions, each with what was expected and what was got.")
    floor: float
    is_met: bool


def read_questions(path: Path) -> list[GateQuestion]:
    """The questions of a file of JSON lines.

    Raises:
        InputError: there is none, or lines are wrong: each with its number and why.
    """
    text = read_text(path, advice="give a file of questions, one a line, as JSON")
    found: list[GateQuestion] = []
    wrong: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found += [_parsed(line)] if line.strip() else []
        except ValueError as error:
            wrong.append(f"line {number}: {error}")
    if wrong:
        more = f"; and {len(wrong) - _WRONG} more" if len(wrong) > _WRONG else ""
        raise InputError(f"{path} cannot be a gate: {'; '.join(wrong[:_WRONG])}{more}")
    if not found:
        raise InputError(f"{path} has no question; write one a line, as JSON")
    return found


def _parsed(line: str) -> GateQuestion:
    try:
        made = GateQuestion.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise ValueError(": ".join([*map(str, first["loc"]), first["msg"]])) from error
    if not made.model_fields_set - {"question", "scenario"}:
        raise ValueError(f"nothing is expected of {one_line(made.question, 60)!r}; give status, verdict, has or lacks")
    return made


def watched_questions(workspace: Workspace, corpus: str) -> list[GateQuestion]:
    """The watched questions of which somebody approved an answer, each to be answered as it was approved.

    Raises:
        InputError: there is none.
    """
    every = list_watches(workspace.ledger, get_corpus(workspace.ledger, corpus).id)
    found = [one for one in every if one.approved_by]
    if not found:
        raise InputError(
            f"no watched question of corpus {corpus!r} has an approved answer; `clausegraph watch approve`"
        )
    return [GateQuestion(question=one.question, scenario=one.scenario, watched=True) for one in found]


def set_gate(
    workspace: Workspace, corpus: str, questions: Sequence[GateQuestion], floor: float, missed: str, by: str
) -> ShownGate:
    """Have every publish of a corpus ask these questions first, in place of those that it asked so far."""
    ledger = workspace.ledger_to_change()
    values = [one.model_dump(mode="json", exclude_defaults=True) for one in questions]
    gates.set_gate(ledger, get_corpus(ledger, corpus).id, values, floor, missed, by)
    return show_gate(workspace, corpus)


def show_gate(workspace: Workspace, corpus: str) -> ShownGate:
    """The gate of a corpus.

    Raises:
        NotFoundError: it has none.
    """
    row = _gate(workspace, corpus)
    return ShownGate.of(row, corpus=corpus, questions=[GateQuestion(**one) for one in row.questions])


def remove_gate(workspace: Workspace, corpus: str) -> ShownGate:
    """Publish a corpus without questions from now on; returns the gate as it was. Errors as :func:`show_gate`."""
    found = show_gate(workspace, corpus)
    ledger = workspace.ledger_to_change()
    gates.remove_gate(ledger, get_corpus(ledger, corpus).id)
    return found


def run_gate(workspace: Workspace, corpus: str, epoch: int | None = None) -> GateResult:
    """What the gate says of the published epoch, or of a retained one; nothing is published. Errors as
    :func:`show_gate`, of ``Workspace.view``, and ``ModelError`` where it cannot be asked."""
    gate = _gate(workspace, corpus)
    with workspace.view(corpus, epoch) as view:
        verdict = _verdict(workspace, gate, view, workspace.embedder, None)
        return GateResult.of(verdict, corpus=corpus, epoch=view.epoch, missed=list(verdict.missed))


def evaluate_published(workspace: Workspace, corpus: str) -> GateResult | None:
    """As :func:`run_gate`, kept in the report of the run that made the epoch; None of a corpus without a gate."""
    ledger = workspace.ledger_to_change()
    row = get_corpus(ledger, corpus)
    gate = gates.find_gate(ledger, row.id)
    if gate is None:
        return None
    with workspace.view(corpus) as view:
        verdict = _verdict(workspace, gate, view, workspace.embedder, None)
        for made in list_epochs(ledger, row.id):
            if made.number == view.epoch:
                add_to_report(ledger, row.id, made.run_id, gate=asdict(verdict))
        return GateResult.of(verdict, corpus=corpus, epoch=view.epoch, missed=list(verdict.missed))


def ask_prepared(workspace: Workspace, embedder: Embedder, meter: RunMeter, corpus: str, epoch: int) -> GateVerdict:
    """What the gate says of an epoch that is prepared and that no reader sees; the ``Gate`` of a run's tools.

    Args:
        embedder, meter: of the run, on whose budget a model draws here.

    Raises:
        ModelError: a model cannot be asked, so nobody knows whether the epoch is as it must be.
    """
    with prepared_view(workspace.ledger, corpus, epoch) as view:
        return _verdict(workspace, _gate(workspace, corpus), view, embedder, meter)


def _gate(workspace: Workspace, corpus: str) -> gates.GateRow:
    found = gates.find_gate(workspace.ledger, get_corpus(workspace.ledger, corpus).id)
    if found is None:
        raise NotFoundError(f"corpus {corpus!r} has no gate; `clausegraph gate set QUESTIONS.jsonl` gives it one")
    return found


def _verdict(
    workspace: Workspace, gate: gates.GateRow, view: View, embedder: Embedder, meter: RunMeter | None
) -> GateVerdict:
    settings, approved = workspace.settings, _approved_answers(workspace, view.corpus)
    missed = []
    try:
        with opened_model(settings, meter) if settings.llm else nullcontext() as llm:
            engine = make_engine(view, embedder, settings, llm, reranker=workspace.reranker)
            for values in gate.questions:
                wanted = GateQuestion(**values)
                got = engine.ask(Inquiry(wanted.question, wanted.scenario))
                missed += _missed(wanted, got, _unlike_approved(wanted, got, approved) if wanted.watched else ())
    except ModelError as error:
        raise ModelError(f"the gate could not be asked, so nobody knows what it would say: {error}") from error
    return GateVerdict(len(gate.questions), tuple(missed), gate.floor, gate.missed == gates.KEEP)


def _approved_answers(workspace: Workspace, corpus: str) -> Approved:
    """The answers of watched questions that somebody approved."""
    every = list_watches(workspace.ledger, get_corpus(workspace.ledger, corpus).id)
    known = {
        (one.question, one.scenario): stored_answer(one, one.approved or one.answer) for one in every if one.approved_by
    }
    return {asked: answer for asked, answer in known.items() if answer is not None}


def _unlike_approved(wanted: GateQuestion, got: Answer, approved: Approved) -> list[str]:
    """In what an answer differs from the one that was approved."""
    right = approved.get((wanted.question, wanted.scenario))
    if right is None:
        return ["an approved answer, which is there no more: `clausegraph watch approve` it again"]
    found = answer_differences(right, got)
    return [f"{one.what} “{one.old}”, as approved" if one.old else f"no “{one.new}”" for one in found]


def _missed(wanted: GateQuestion, got: Answer, unlike: Sequence[str]) -> list[str]:
    """What an answer misses, in words; nothing where it is as it must be."""
    text = answer_text(got)
    expected = ", ".join((*_lacking(wanted, got, text), *unlike))
    told = f"{got.status.value}: {one_line(text, _LONGEST)}"
    return [f"{one_line(wanted.question)} Expected {expected}; got {told}"] if expected else []


def _lacking(wanted: GateQuestion, got: Answer, text: str) -> Iterator[str]:
    """What is expected of an answer and not so."""
    if wanted.status and wanted.status != got.status.value:
        yield f"status {wanted.status}"
    first = got.alternatives[0].text if got.alternatives else text
    if wanted.verdict and tokens(first)[:1] != [wanted.verdict]:
        yield f"verdict {wanted.verdict}"
    yield from (f"“{words}”" for words in wanted.has if not _has(text, words))
    yield from (f"not “{words}”" for words in wanted.lacks if _has(text, words))


def _has(text: str, words: str) -> bool:
    """Whether a text has these words or this value as a whole: "30 days" is not in "130 days", nor "2" in "2.5"."""
    plain, wanted = (" ".join(normalise_text(one).casefold().split()) for one in (text, words))
    return re.search(rf"(?<!\w)(?<!\d[.,]){re.escape(wanted)}(?!\w|[.,]\d)", plain) is not None
