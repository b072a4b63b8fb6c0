"""An answer as the templates draw it: lines, condition trees, and the places that its steps found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from clausegraph.app.console.screen import TEMPLATES, address
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
    JudgedCondition,
    JudgedLeaf,
    Not,
    Span,
    holds,
    leaves,
    mapped,
)
from clausegraph.query.read.assume import assumed, told_assumptions

Detail = Mapping[str, Any]
Place = tuple[str, str]  # a page and an anchor
Texts = Mapping[Place, tuple[str, str]]  # the title of its page, and the text of an element

_MODEL = "model"  # a step that sums up what the others asked of a language model: none of its own time
WORDS = {ConditionState.MET: "met", ConditionState.UNMET: "unmet", ConditionState.UNKNOWN: "open"}
STATES = {word: state for state, word in WORDS.items()}


def places_in(detail: Detail) -> list[Mapping[str, Any]]:
    """The elements that a step lists, each with page, anchor and score."""
    found: list[Mapping[str, Any]] = []
    for value in detail.values():
        if isinstance(value, list | tuple) and all(
            isinstance(one, Mapping) and {"page", "anchor"} <= one.keys() for one in value
        ):
            found += value
    return found


def places_of(answer: Answer) -> list[Place]:
    """The page and the anchor of each element that a step of the answer found."""
    listed = [one for step in answer.trace for one in places_in(step.detail)]
    return list(dict.fromkeys((str(one["page"]), str(one["anchor"])) for one in listed))


def answer_view(asked: AskedQuestion, texts: Texts) -> dict[str, Any]:
    """What the template of an answer needs; ``texts`` are those of the elements that its steps found."""
    answer = asked.answer
    assert answer is not None
    under = asked.under()
    shown = present(under)
    cited = [citation for source in shown.sources for citation in source.citations]
    again = {"question": answer.inquiry.question, "scenario": answer.inquiry.scenario, "epoch": answer.epoch}
    told = {"scenario": f"{answer.inquiry.scenario}\n{told_assumptions(answer, asked.supposed)}".strip()}
    supposed = [f"{words}={WORDS[state]}" for words, state in asked.supposed.items()]
    used = [step.detail for step in answer.trace if isinstance(step.detail.get("calls"), int)]
    return {
        "asked": asked,
        "answer": answer,
        "shown": shown,
        "links": {one.number: page_address(answer, one.evidence.page, one.evidence.span) for one in cited},
        "alternatives": _alternatives(asked, answer),
        "is_prose": bool(under.sentences),
        "steps": [step for step in answer.trace if step.name != _MODEL],
        "used": used[-1] if used else None,
        "texts": texts,
        "supposed": supposed,
        "permalink": address(answer.corpus, "ask", **again, assume=supposed),
        "told": address(answer.corpus, "ask", **again | told) if answer.sentences and not under.sentences else "",
        "markdown": answer_markdown(under),
    }


def blocks(lines: Iterable[PresentedLine]) -> list[dict[str, Any]]:
    """Lines that are drawn together: sentences as a paragraph, items as a list, quotes below each other, a table.

    Conditions, which are drawn as a tree, and lines that a table stands for are left out.
    """
    made: list[dict[str, Any]] = []
    for line in lines:
        if line.kind is LineKind.CONDITION or (line.is_in_table and line.table is None):
            continue
        last = made[-1]["kind"] if made else ""
        is_count = line.kind is LineKind.NOTE and line.depth > 0 and last == LineKind.QUOTE
        kind = "table" if line.table else LineKind.QUOTE if is_count else line.kind
        if kind == last and kind in (LineKind.SENTENCE, LineKind.ITEM, LineKind.QUOTE):
            made[-1]["lines"].append(line)
        else:
            made.append({"kind": str(kind), "lines": [line]})
    return made


TEMPLATES.globals["places_in"] = places_in
TEMPLATES.filters["blocks"] = blocks


def _alternatives(asked: AskedQuestion, answer: Answer) -> list[dict[str, Any]]:
    """The alternatives that have conditions; a tree keeps its form whatever is taken otherwise.

    ``is_refuted``: it is an answer no more, nor turned round. A leaf is named by its number in the answer; ``again``:
    it stands before in the answer, and is chosen there.
    """
    numbers = {words: number for number, words in enumerate(asked.conditions())}
    seen: set[int] = set()

    def drawn(tree: JudgedCondition) -> dict[str, Any]:
        state = WORDS[holds(tree)]
        match tree:
            case JudgedLeaf(leaf):
                number = numbers[leaf.text]
                page = page_address(answer, tree.source.page, Span(leaf.anchor, leaf.start, leaf.end))
                again = number in seen
                seen.add(number)
                return {"number": number, "words": leaf_words(tree), "state": state, "page": page, "again": again}
            case Not(All(children)):
                label = "not all of these"
            case Not(AnyOf(children)):
                label = "none of these"
            case Not(child):
                label, children = "unless", (child,)
            case All(children):
                label = "all of these"
            case AnyOf(children):
                label = "any of these"
        return {"label": label, "state": state, "parts": [drawn(one) for one in children]}

    def view(one: Alternative, condition: JudgedCondition) -> dict[str, Any]:
        own = {leaf.leaf.text for leaf in leaves(condition)}
        states = {words: state for words, state in asked.supposed.items() if words in own}
        tree = mapped(condition, lambda leaf: replace(leaf, state=states.get(leaf.leaf.text, leaf.state)))
        refuted = not assumed(replace(answer, alternatives=(one,)), states).alternatives
        return {"text": one.text, "heading": condition_heading(one), "is_refuted": refuted, "tree": drawn(tree)}

    return [view(one, one.condition) for one in answer.alternatives if one.condition is not None]


def page_address(answer: Answer, page: object, span: Span) -> str:
    """Where the archived page is shown with the span marked."""
    marked = {"anchor": span.anchor, "start": span.start, "end": span.end}
    return address(answer.corpus, "page", name=str(page), epoch=answer.epoch, **marked)
