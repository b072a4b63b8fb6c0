"""An answer as the templates draw it: its lines in blocks, and trees whose leaves can be taken otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clausegraph.app.console.templating import address
from clausegraph.app.console.trace import Texts, found_view
from clausegraph.app.render import answer_markdown
from clausegraph.app.services.kept import AskedQuestion
from clausegraph.core.presentation.answer import present
from clausegraph.core.presentation.quoted_parts import LineKind, PresentedLine
from clausegraph.core.presentation.wording import condition_heading, leaf_words
from clausegraph.core.types import (
    All,
    Alternative,
    Answer,
    AnyOf,
    ConditionState,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Not,
    Span,
    holds,
    leaves,
    mapped,
)
from clausegraph.query.read.assume import assumed, told_assumptions

WORDS = {ConditionState.MET: "met", ConditionState.UNMET: "unmet", ConditionState.UNKNOWN: "open"}
STATES = {word: state for state, word in WORDS.items()}


@dataclass(frozen=True, slots=True)
class Choice:
    """A leaf: its number among the conditions of the answer, its words, and its state in words.

    ``again``: the same condition stands before in the answer, and is chosen there.
    """

    number: int
    words: str
    state: str
    page: str
    again: bool


@dataclass(frozen=True, slots=True)
class Branch:
    """What joins leaves or branches: "any of these", and its state in words."""

    label: str
    state: str
    parts: tuple[Branch | Choice, ...]


def answer_view(asked: AskedQuestion, texts: Texts) -> dict[str, Any]:
    """What the template of an answer needs; ``texts`` are those of the elements that its steps found."""
    answer = asked.answer
    assert answer is not None
    under = assumed(answer, asked.supposed) if asked.supposed else answer
    draw = _Drawing(answer, {words: number for number, words in enumerate(asked.conditions())}, asked.supposed)
    shown = present(under)
    cited = [citation for source in shown.sources for citation in source.citations]
    headings = {line.text for line in shown.headline}
    again = {"question": answer.inquiry.question, "scenario": answer.inquiry.scenario, "epoch": answer.epoch}
    supposed = [f"{words}={WORDS[state]}" for words, state in asked.supposed.items()]
    return {
        "asked": asked,
        "answer": answer,
        "shown": shown,
        "links": {one.number: page_address(answer, one.evidence, one.evidence.span) for one in cited},
        "blocks": blocks(shown.headline),
        "disputed": blocks(shown.disputed),
        "sources": [(source, blocks(source.lines)) for source in shown.sources],
        "alternatives": [draw.alternative(one) for one in answer.alternatives],
        "headings": headings,
        "is_prose": bool(under.sentences),
        "found": found_view(answer, texts),
        "permalink": address(answer.corpus, "ask", **again, assume=supposed),
        "told": _told_address(answer, asked.supposed) if answer.sentences and not under.sentences else "",
        "markdown": answer_markdown(under),
    }


def _told_address(answer: Answer, supposed: Mapping[str, ConditionState]) -> str:
    """Where the question is asked with what is supposed among the scenario, so that a model writes for it."""
    scenario = f"{answer.inquiry.scenario}\n{told_assumptions(answer, supposed)}".strip()
    return address(answer.corpus, "ask", question=answer.inquiry.question, scenario=scenario, epoch=answer.epoch)


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Lines that are drawn together: sentences as a paragraph, items as a list, quotes below each other, a table."""

    kind: str
    lines: list[PresentedLine]


def blocks(lines: Iterable[PresentedLine]) -> list[LineBlock]:
    """The lines without the conditions, which are drawn as a tree, and without those that a table stands for."""
    made: list[LineBlock] = []
    for line in lines:
        if line.kind is LineKind.CONDITION or (line.is_in_table and line.table is None):
            continue
        last = made[-1].kind if made else ""
        is_count = line.kind is LineKind.NOTE and line.depth > 0 and last == LineKind.QUOTE
        kind = "table" if line.table else LineKind.QUOTE if is_count else line.kind
        if kind == last and kind in (LineKind.SENTENCE, LineKind.ITEM, LineKind.QUOTE):
            made[-1].lines.append(line)
        else:
            made.append(LineBlock(str(kind), [line]))
    return made


class _Drawing:
    """The alternatives of one answer, drawn in their order."""

    def __init__(self, answer: Answer, numbers: Mapping[str, int], supposed: Mapping[str, ConditionState]) -> None:
        self._answer, self._numbers, self._supposed = answer, numbers, supposed
        self._seen: set[int] = set()

    def alternative(self, one: Alternative) -> dict[str, Any]:
        """What the template of an alternative needs; its tree keeps its form whatever is taken otherwise.

        ``is_refuted``: it is an answer no more, nor turned round.
        """
        own = {leaf.leaf.text for leaf in leaves(one.condition)}
        states = {words: state for words, state in self._supposed.items() if words in own}
        return {
            "text": one.text,
            "heading": condition_heading(one),
            "is_refuted": not assumed(replace(self._answer, alternatives=(one,)), states).alternatives,
            "tree": None if one.condition is None else self._part(_under(one.condition, states)),
        }

    def _part(self, tree: JudgedCondition) -> Branch | Choice:
        match tree:
            case JudgedLeaf():
                return self._choice(tree)
            case Not(All(children)):
                return self._joined("not all of these", tree, children)
            case Not(AnyOf(children)):
                return self._joined("none of these", tree, children)
            case Not(child):
                return self._joined("unless", tree, (child,))
            case All(children):
                return self._joined("all of these", tree, children)
            case AnyOf(children):
                return self._joined("any of these", tree, children)

    def _choice(self, judged: JudgedLeaf) -> Choice:
        words, leaf, number = leaf_words(judged), judged.leaf, self._numbers[judged.leaf.text]
        again = number in self._seen
        self._seen.add(number)
        page = page_address(self._answer, judged.source, Span(leaf.anchor, leaf.start, leaf.end))
        return Choice(number, words, _word(judged), page, again)

    def _joined(self, label: str, tree: JudgedCondition, children: Sequence[JudgedCondition]) -> Branch:
        return Branch(label, _word(tree), tuple(self._part(child) for child in children))


def _under(tree: JudgedCondition, states: Mapping[str, ConditionState]) -> JudgedCondition:
    """The tree with these states."""
    return mapped(tree, lambda leaf: replace(leaf, state=states.get(leaf.leaf.text, leaf.state)))


def _word(tree: JudgedCondition) -> str:
    return WORDS[holds(tree)]


def page_address(answer: Answer, evidence: Evidence, span: Span) -> str:
    """Where the archived page is shown with the span marked."""
    marked = {"anchor": span.anchor, "start": span.start, "end": span.end}
    return address(answer.corpus, "page", name=str(evidence.page), epoch=answer.epoch, **marked)
