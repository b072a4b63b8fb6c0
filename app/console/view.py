"""An answer as the templates draw it: each alternative with its whole tree, whose leaves can be taken otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clausegraph.app.console.templating import address
from clausegraph.app.console.trace import Texts, found_view
from clausegraph.app.render import answer_markdown
from clausegraph.app.services.kept import AskedQuestion
from clausegraph.core.presentation.answer import present
from clausegraph.core.presentation.disagreement import told
from clausegraph.core.presentation.wording import asked_of, headline, leaf_words, otherwise
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
from clausegraph.query.read.assume import assumed

WORDS = {ConditionState.MET: "met", ConditionState.UNMET: "unmet", ConditionState.UNKNOWN: "open"}
STATES = {word: state for state, word in WORDS.items()}


@dataclass(frozen=True, slots=True)
class Choice:
    """A leaf: its number among the conditions of the answer, and its state in words.

    ``again``: the same condition stands before in the answer, and is chosen there.
    """

    number: int
    words: str
    question: str
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
    disputed = {evidence for _, places in told(answer) for evidence in places}
    again = {"question": answer.inquiry.question, "scenario": answer.inquiry.scenario, "epoch": answer.epoch}
    supposed = [f"{words}={WORDS[state]}" for words, state in asked.supposed.items()]
    return {
        "asked": asked,
        "answer": answer,
        "shown": shown,
        "links": {one.number: page_address(answer, one.evidence, one.evidence.span) for one in cited},
        "quoted_cards": [card(answer, one.evidence, one.number) for one in cited if one.evidence not in disputed],
        "alternatives": [draw.alternative(one) for one in answer.alternatives],
        "sides": [(said, [card(answer, one) for one in places]) for said, places in told(answer)],
        "found": found_view(answer, texts),
        "permalink": address(answer.corpus, "ask", **again, assume=supposed),
        "markdown": answer_markdown(under),
    }


class _Drawing:
    """The alternatives of one answer, drawn in their order."""

    def __init__(self, answer: Answer, numbers: Mapping[str, int], supposed: Mapping[str, ConditionState]) -> None:
        self._answer, self._numbers, self._supposed = answer, numbers, supposed
        self._seen: set[int] = set()

    def alternative(self, one: Alternative) -> dict[str, Any]:
        """What the template of an alternative needs; ``headline`` is empty where it holds no more."""
        own = {leaf.leaf.text for leaf in leaves(one.condition)}
        states = {words: state for words, state in self._supposed.items() if words in own}
        found = assumed(replace(self._answer, alternatives=(one,)), states).alternatives
        first = headline(found[0]) if found else ""
        rest, required = otherwise(found[0]) if found else ("", None)
        tree = None if one.condition is None else _under(one.condition, states)
        needed = None
        if required is not None and isinstance(tree, AnyOf):
            *bars, last = tree.children  # what bars, and below it what whom nothing bars has to meet besides
            if isinstance(last, Not):
                tree, needed = (bars[0] if len(bars) == 1 else AnyOf(tuple(bars))), last.child
        shown = None if tree is None else self._part(tree)
        return {
            "text": one.text,
            "headline": first,
            "otherwise": rest,
            "tree": shown,
            "required": None if needed is None else self._part(needed),
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
        return Choice(number, words, asked_of(judged), _word(judged), page, again)

    def _joined(self, label: str, tree: JudgedCondition, children: Sequence[JudgedCondition]) -> Branch:
        return Branch(label, _word(tree), tuple(self._part(child) for child in children))


def _under(tree: JudgedCondition, states: Mapping[str, ConditionState]) -> JudgedCondition:
    """The tree with these states."""
    return mapped(tree, lambda leaf: replace(leaf, state=states.get(leaf.leaf.text, leaf.state)))


def _word(tree: JudgedCondition) -> str:
    return WORDS[holds(tree)]


def card(answer: Answer, evidence: Evidence, number: int = 0) -> dict[str, Any]:
    """A quotation, with where it stands, and its number if it is cited."""
    path = [evidence.title or str(evidence.page), *(h for h in evidence.headings if h != evidence.title)]
    return {"number": number, "evidence": evidence, "path": path, "page": page_address(answer, evidence, evidence.span)}


def page_address(answer: Answer, evidence: Evidence, span: Span) -> str:
    """Where the archived page is shown with the span marked."""
    marked = {"anchor": span.anchor, "start": span.start, "end": span.end}
    return address(answer.corpus, "page", name=str(evidence.page), epoch=answer.epoch, **marked)
