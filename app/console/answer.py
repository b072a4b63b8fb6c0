"""An answer as the templates draw it: lines, condition trees, and the steps by which it was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clausegraph.app.console.screen import address
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
    TraceStep,
    holds,
    leaves,
    mapped,
)
from clausegraph.query.read.assume import assumed, told_assumptions

Detail = Mapping[str, Any]

_TITLES = {
    "route": "Where to look",
    "retrieve": "What was found",
    "validate": "Is it enough?",
    "comment": "What to try instead",
    "read": "Reading the answer",
    "model": "Asking a language model",
}
_PLACES = {
    "text": "the text of the pages",
    "graph": "the graph of what pages state",
    "hybrid": "the text of the pages and the graph of what they state",
}
_KINDS = {"yes_no": "yes or no", "extractive": "something that a page says"}


def step_title(name: str) -> str:
    """What a step is called on screen; its own name where it is none of the known ones."""
    return _TITLES.get(name, name)


def step_words(name: str, detail: Detail) -> str:
    """What a step did, in a sentence or two; empty where only its figures tell."""
    match name:
        case "route":
            return _route(detail)
        case "retrieve":
            return _retrieve(detail)
        case "validate":
            said = "It is enough" if detail.get("accepted") else "It is not enough"
            return f"{said}: {detail['because']}." if detail.get("because") else f"{said}."
        case "comment":
            return f"The next look is another one, since what was found is {detail.get('feedback', 'not enough')}."
        case "read":
            return _read(detail)
    return ""


def _route(detail: Detail) -> str:
    if detail.get("nothing left to try"):
        return "There was no other place to look in."
    where = _PLACES.get(str(detail.get("module")), f"“{detail.get('module')}”")
    topics, relations = _listed(detail.get("topics")), _listed(detail.get("relations"))
    about = f", for {topics}" if topics else "; no name of the question is one that the pages have"
    return f"In {where}{about}{f', and what is stated with {relations}' if relations else ''}."


def _retrieve(detail: Detail) -> str:
    found = detail.get("elements")
    if not found:
        return "Nothing."
    shared = detail.get("entities shared")
    more = f" What was asked for meets in {shared} entities." if isinstance(shared, int) else ""
    return f"{found} sentences, list items and rows; these fit best.{more}"


def _read(detail: Detail) -> str:
    said = []
    if (kind := _KINDS.get(str(detail.get("kind")))) is not None:
        said.append(f"The question asks for {kind}.")
    sure, needed = detail.get("probability"), detail.get("asserted_from")
    if isinstance(sure, int | float) and isinstance(needed, int | float):
        enough = "so it is asserted" if sure >= needed else "so nothing is asserted, and the pages are quoted"
        said.append(f"The reading is {sure:.0%} sure, and {needed:.0%} are needed: {enough}.")
    elif isinstance(sure, int | float):
        said.append(f"The reading is {sure:.0%} sure.")
    if detail.get("read_again_without"):
        said.append("It was read again without what another page has replaced.")
    if detail.get("contradicted"):
        said.append("What another page contradicts is not asserted.")
    if failed := _listed(detail.get("failed_checks")):
        said.append(f"Failed checks: {failed}.")
    if granted := _listed(detail.get("conditions_taken_for_granted")):
        said.append(f"Taken for granted: {granted}.")
    return " ".join(said)


def _listed(value: object) -> str:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ""
    return "; ".join(str(one) for one in value if isinstance(one, str))


_MODEL = "model"  # a step that sums up what the others asked of a language model: none of its own time
_USED = ("calls", "prompt_tokens", "output_tokens", "money", "saved", "model_seconds")
_LONGEST = 240  # characters of an element
_WORDS = {"because": "reason", "best": "best of them"}


Place = tuple[str, str]  # a page and an anchor
Texts = Mapping[Place, tuple[str, str]]  # the title of its page, and the text of an element


def found_view(answer: Answer, texts: Texts) -> dict[str, Any]:
    """What the template of the timeline needs: the steps, their time in all, and what a language model was paid.

    Of a step: what it did in words, when it ``begins`` (milliseconds since the first), how long it took, the elements
    that it found, best first, its notes as the engine names them, and the number of the round that it ``opens``, or 0.
    """
    steps: list[dict[str, Any]] = []
    total, rounds = 0.0, 0
    for step in answer.trace:
        if step.name == _MODEL:
            continue
        number = step.detail.get("round") if step.name == "route" else None
        opens = number if isinstance(number, int) and number > rounds else 0
        rounds = max(rounds, opens)
        notes = {name: value for name, value in step.detail.items() if name not in _USED}
        steps.append(
            {
                "title": step_title(step.name),
                "said": step_words(step.name, step.detail),
                "begins": total,
                "milliseconds": step.milliseconds,
                "places": [_drawn(answer, texts, one) for value in step.detail.values() for one in _places(value)],
                "details": [
                    {"name": _WORDS.get(name, name.replace("_", " ")), "text": _text(value)}
                    for name, value in notes.items()
                ],
                "opens": opens,
            }
        )
        total += step.milliseconds
    return {"steps": steps, "milliseconds": total, "rounds": rounds, "used": _used(answer.trace)}


def _used(trace: Sequence[TraceStep]) -> dict[str, Any]:
    """What the question used of a language model; nothing where it asked none."""
    for step in reversed(trace):
        if isinstance(step.detail.get("calls"), int):
            return {name: step.detail[name] for name in _USED if name in step.detail}
    return {}


def places_of(answer: Answer) -> list[Place]:
    """The page and the anchor of each element that a step of the answer found."""
    values = [value for step in answer.trace for value in step.detail.values()]
    return list(dict.fromkeys((str(one["page"]), str(one["anchor"])) for value in values for one in _places(value)))


def _places(value: Any) -> Sequence[Mapping[str, Any]]:
    """The elements that a value lists; none where it is something else."""
    if not isinstance(value, list | tuple) or not value:
        return ()
    are = all(isinstance(one, Mapping) and {"page", "anchor"} <= one.keys() for one in value)
    return value if are else ()


def _drawn(answer: Answer, texts: Texts, one: Mapping[str, Any]) -> dict[str, Any]:
    """An element that a step found, and the screen of its page; its place where the epoch has its page no more."""
    page, anchor = str(one["page"]), str(one["anchor"])
    title, words = texts.get((page, anchor), (page, f"{page}, {anchor}"))
    shown = words if len(words) <= _LONGEST else f"{words[:_LONGEST].rstrip()} …"
    where = address(answer.corpus, "page", name=page, epoch=answer.epoch, anchor=anchor)
    return {"page": title, "words": shown, "score": one.get("score"), "address": where}


def _text(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case {"page": page, "anchor": anchor}:
            score = f" {value['score']}" if value.get("score") is not None else ""
            return f"{page}, {anchor}{score}"
        case Mapping():
            return ", ".join(f"{name}: {_text(one)}" for name, one in value.items()) or "none"
        case list() | tuple():
            return "; ".join(_text(one) for one in value) or "none"
        case _:
            return str(value)


WORDS = {ConditionState.MET: "met", ConditionState.UNMET: "unmet", ConditionState.UNKNOWN: "open"}
STATES = {word: state for state, word in WORDS.items()}


def answer_view(asked: AskedQuestion, texts: Texts) -> dict[str, Any]:
    """What the template of an answer needs; ``texts`` are those of the elements that its steps found."""
    answer = asked.answer
    assert answer is not None
    under = asked.under()
    draw = _Drawing(answer, {words: number for number, words in enumerate(asked.conditions())}, asked.supposed)
    shown = present(under)
    cited = [citation for source in shown.sources for citation in source.citations]
    again = {"question": answer.inquiry.question, "scenario": answer.inquiry.scenario, "epoch": answer.epoch}
    told = {"scenario": f"{answer.inquiry.scenario}\n{told_assumptions(answer, asked.supposed)}".strip()}
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
        "headings": {line.text for line in shown.headline},
        "is_prose": bool(under.sentences),
        "found": found_view(answer, texts),
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
        tree = one.condition and mapped(
            one.condition, lambda leaf: replace(leaf, state=states.get(leaf.leaf.text, leaf.state))
        )
        return {
            "text": one.text,
            "heading": condition_heading(one),
            "is_refuted": not assumed(replace(self._answer, alternatives=(one,)), states).alternatives,
            "tree": None if tree is None else self._part(tree),
        }

    def _part(self, tree: JudgedCondition) -> dict[str, Any]:
        """A leaf, or what joins parts: its words or label, and its state in words."""
        match tree:
            case JudgedLeaf():
                return self._leaf(tree)
            case Not(All(children)):
                label, parts = "not all of these", children
            case Not(AnyOf(children)):
                label, parts = "none of these", children
            case Not(child):
                label, parts = "unless", (child,)
            case All(children):
                label, parts = "all of these", children
            case AnyOf(children):
                label, parts = "any of these", children
        return {"label": label, "state": WORDS[holds(tree)], "parts": [self._part(one) for one in parts]}

    def _leaf(self, judged: JudgedLeaf) -> dict[str, Any]:
        """A condition by its number in the answer; ``again``: it stands before in the answer, and is chosen there."""
        leaf, number = judged.leaf, self._numbers[judged.leaf.text]
        again = number in self._seen
        self._seen.add(number)
        page = page_address(self._answer, judged.source, Span(leaf.anchor, leaf.start, leaf.end))
        shown = {"number": number, "words": leaf_words(judged), "state": WORDS[holds(judged)]}
        return shown | {"page": page, "again": again}


def page_address(answer: Answer, evidence: Evidence, span: Span) -> str:
    """Where the archived page is shown with the span marked."""
    marked = {"anchor": span.anchor, "start": span.start, "end": span.end}
    return address(answer.corpus, "page", name=str(evidence.page), epoch=answer.epoch, **marked)
