"""What follows an answer: another question of the same person, and the same question of the state of today."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.app.services.answer_changes import AnswerDifference, answer_differences, quoted_pages
from clausegraph.app.services.ask import answer
from clausegraph.app.services.browse import open_shelf
from clausegraph.app.services.changes import changed_rules
from clausegraph.app.services.kept import AskedQuestion
from clausegraph.app.services.rule_changes import ChangedRule
from clausegraph.app.services.statements import HidingDecision, hidden_status
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import supposition
from clausegraph.core.language.lexicon import AUXILIARIES, word_set
from clausegraph.core.language.normalise import content, overlap, tokens
from clausegraph.core.types import Answer, leaves
from clausegraph.query.read.assume import told_assumptions

_GOES_ON = word_set("and but or also so then")  # of a text that is no question of its own
_ASKS = _GOES_ON | AUXILIARIES | word_set("how what when where whether which who whom whose why if")
_DECIDES = 0.5  # share of the words of a settled condition that are told anew, from which on it is no longer settled


class ChangedSince(Record):
    """What differs between an answer and that of now, and what changed on the pages that either quotes."""

    question: str
    scenario: str
    since: int = Field(description="The epoch of the old answer.")
    epoch: int
    differences: list[AnswerDifference]
    rules: list[ChangedRule]
    hidden: list[HidingDecision] = Field(description="Statements of these pages that are hidden since then.")


def follow_up(asked: AskedQuestion, said: str) -> Inquiry:
    """What somebody asks who says something after an answer.

    Who asks stays the same person: the scenario goes on, with what was settled of the answer's conditions. "And if she
    pays her own fees?" is told in the scenario, and the question before is asked again; "and for my partner?" is asked
    behind it; what is a question of its own is asked alone.
    """
    before, told = asked.inquiry, supposition(said)
    alternatives = asked.answer.alternatives if asked.answer is not None else ()
    read = {leaf.leaf.text: leaf.state for one in alternatives for leaf in leaves(one.condition)}
    settled = {
        words: state
        for words, state in asked.supposed.items()
        if state is not read.get(words) and overlap(content(words), told or "") < _DECIDES
    }
    known = told_assumptions(asked.answer, settled) if asked.answer is not None and settled else ""
    scenario = "\n".join(filter(None, (before.scenario, known, told)))
    if told is not None:
        return Inquiry(before.question, scenario)
    goes_on = _GOES_ON & set(tokens(said)[:1]) or tokens(said)[1:2] == ["about"]
    return Inquiry(f"{before.question} {said}" if goes_on else said, scenario)


def conversation(messages: Sequence[str]) -> Inquiry:
    """What the last of a person's messages asks, oldest first: what was told in them is its scenario, and each follows
    the one before as of :func:`follow_up`. One that asks nothing ("She pays them.") has the question before asked.
    """
    question = scenario = ""
    for message in messages:
        sentences = [message[start:end].strip() for start, end in sentence_spans(message)]
        asked = [one for one in sentences if one.endswith("?") or _ASKS.intersection(tokens(one)[:1])]
        if asked and question:
            found = follow_up(AskedQuestion("", "", "", Inquiry(question, scenario), None), " ".join(asked))
            question, scenario = found.question, found.scenario
        question = question or " ".join(asked)
        scenario = "\n".join(filter(None, (scenario, *(one for one in sentences if one not in asked))))
    if not messages:
        raise InputError("there is no message of a person; send one with a question")
    return Inquiry(question, scenario) if question else Inquiry(messages[-1], "\n".join(messages[:-1]))


def ask_again_now(workspace: Workspace, asked: AskedQuestion) -> tuple[ChangedSince, Answer]:
    """The question of a kept answer, asked of the published epoch, and what of its pages' rules made it another one.

    Raises:
        NotFoundError: it has no answer yet; others as of ``answer``.
    """
    before = asked.answer
    if before is None:
        raise NotFoundError("this question has no answer yet; wait for it")
    now = answer(workspace, asked.corpus, asked.inquiry)
    shelves = [open_shelf(workspace.ledger, asked.corpus, one.epoch) for one in (before, now)]
    pages = sorted(quoted_pages(before) | quoted_pages(now))
    rules = [one for page in pages for one in changed_rules(shelves[0], shelves[1], page)]
    listed = hidden_status(workspace, asked.corpus).hidden
    names = {str(page) for page in pages}
    found = ChangedSince(
        question=asked.inquiry.question, scenario=asked.inquiry.scenario, since=before.epoch, epoch=now.epoch,
        differences=answer_differences(before, now), rules=rules,
        hidden=[one for one in listed if one.page in names and before.epoch < (one.since or 0) <= now.epoch],
    )  # fmt: skip
    return found, now
