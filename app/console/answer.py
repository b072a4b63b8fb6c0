"""An answer as the templates draw it: lines, condition trees, and the steps by which it was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
_USED = ("calls", "prompt_tokens", "output_tokens", "money", "saved", "model_seconds")
_TITLES = {
    "route": "Where to look",
    "retrieve": "What was found",
    "validate": "Is it enough?",
    "comment": "What to try instead",
    "read": "Reading the answer",
    _MODEL: "Asking a language model",
}
_PLACES = {
    "text": "the text of the pages",
    "graph": "the graph of what pages state",
    "hybrid": "the text of the pages and the graph of what they state",
}
_KINDS = {"yes_no": "yes or no", "extractive": "something that a page says"}
WORDS = {ConditionState.MET: "met", ConditionState.UNMET: "unmet", ConditionState.UNKNOWN: "open"}
STATES = {word: state for state, word in WORDS.items()}


def step_title(name: str) -> str:
    """What a step is called on screen; its own name where it is none of the known ones."""
    return _TITLES.get(name, name)


def step_words(name: str, detail: Detail) -> str:
    """What a step did, in a sentence or two; empty where only its figures tell."""
    match name:
        case "route" if detail.get("nothing left to try"):
            return "There was no other place to look in."
        case "route":
            where = _PLACES.get(str(detail.get("module")), f"“{detail.get('module')}”")
            topics, relations = _listed(detail.get("topics")), _listed(detail.get("relations"))
            about = f", for {topics}" if topics else "; no name of the question is one that the pages have"
            return f"In {where}{about}{f', and what is stated with {relations}' if relations else ''}."
        case "retrieve":
            found, shared = detail.get("elements"), detail.get("entities shared")
            more = f" What was asked for meets in {shared} entities." if isinstance(shared, int) else ""
            return f"{found} sentences, list items and rows; these fit best.{more}" if found else "Nothing."
        case "validate":
            said = "It is enough" if detail.get("accepted") else "It is not enough"
            return f"{said}: {detail['because']}." if detail.get("because") else f"{said}."
        case "comment":
            return f"The next look is another one, since what was found is {detail.get('feedback', 'not enough')}."
    return _read(detail) if name == "read" else ""


def _read(detail: Detail) -> str:
    kind, sure, needed = (detail.get(name) for name in ("kind", "probability", "asserted_from"))
    judged = ""
    if isinstance(sure, int | float) and isinstance(needed, int | float):
        then = "so it is asserted" if sure >= needed else "so nothing is asserted, and the pages are quoted"
        judged = f"The reading is {sure:.0%} sure, and {needed:.0%} are needed: {then}."
    failed, granted = _listed(detail.get("failed_checks")), _listed(detail.get("conditions_taken_for_granted"))
    said = {
        f"The question asks for {_KINDS.get(str(kind))}.": str(kind) in _KINDS,
        judged: judged,
        "It was read again without what another page has replaced.": detail.get("read_again_without"),
        "What another page contradicts is not asserted.": detail.get("contradicted"),
        f"Failed checks: {failed}.": failed,
        f"Taken for granted: {granted}.": granted,
    }
    return " ".join(text for text, holds_here in said.items() if holds_here)


def _listed(value: object) -> str:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ""
    return "; ".join(one for one in value if isinstance(one, str))


def note_text(value: Any) -> str:
    """A note of a step as people read it."""
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case {"page": page, "anchor": anchor}:
            score = f" {value['score']}" if value.get("score") is not None else ""
            return f"{page}, {anchor}{score}"
        case Mapping():
            return ", ".join(f"{name}: {note_text(one)}" for name, one in value.items()) or "none"
        case list() | tuple():
            return "; ".join(map(note_text, value)) or "none"
    return str(value)


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


TEMPLATES.globals |= {"step_words": step_words, "note_text": note_text, "places_in": places_in}


def answer_view(asked: AskedQuestion, texts: Texts) -> dict[str, Any]:
    """What the template of an answer needs; ``texts`` are those of the elements that its steps found."""
    answer = asked.answer
    assert answer is not None
    under, steps = asked.under(), [step for step in answer.trace if step.name != _MODEL]
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
        "links": {one.number: _page_address(answer, one.evidence.page, one.evidence.span) for one in cited},
        "blocks": blocks(shown.headline),
        "disputed": blocks(shown.disputed),
        "sources": [(source, blocks(source.lines)) for source in shown.sources],
        "alternatives": _alternatives(asked, answer),
        "headings": {line.text for line in shown.headline},
        "is_prose": bool(under.sentences),
        "steps": [(step, step_title(step.name)) for step in steps],
        "milliseconds": sum(step.milliseconds for step in steps),
        "used": used[-1] if used else None,
        "unnoted": _USED,
        "texts": texts,
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
                page = _page_address(answer, tree.source.page, Span(leaf.anchor, leaf.start, leaf.end))
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


def _page_address(answer: Answer, page: object, span: Span) -> str:
    """Where the archived page is shown with the span marked."""
    marked = {"anchor": span.anchor, "start": span.start, "end": span.end}
    return address(answer.corpus, "page", name=str(page), epoch=answer.epoch, **marked)
