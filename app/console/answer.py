"""An answer as the templates draw it: lines, condition trees, and the steps by which it was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
    told = _TOLD.get(name)
    return "" if told is None else told(detail)


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


def _validate(detail: Detail) -> str:
    return _because("It is enough" if detail.get("accepted") else "It is not enough", detail)


def _comment(detail: Detail) -> str:
    return f"The next look is another one, since what was found is {detail.get('feedback', 'not enough')}."


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


def _because(said: str, detail: Detail) -> str:
    return f"{said}: {detail['because']}." if detail.get("because") else f"{said}."


def _listed(value: object) -> str:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ""
    return "; ".join(str(one) for one in value if isinstance(one, str))


_TOLD: Mapping[str, Callable[[Detail], str]] = {
    "route": _route,
    "retrieve": _retrieve,
    "validate": _validate,
    "comment": _comment,
    "read": _read,
}


_MODEL = "model"  # a step that sums up what the others asked of a language model: none of its own time
_USED = ("calls", "prompt_tokens", "output_tokens", "money", "saved", "model_seconds")
_LONGEST = 240  # characters of an element
_WORDS = {"because": "reason", "best": "best of them"}


Place = tuple[str, str]  # a page and an anchor
Texts = Mapping[Place, tuple[str, str]]  # the title of its page, and the text of an element


@dataclass(frozen=True, slots=True)
class DrawnPlace:
    """An element that a step found: its words, where it stands, how well it fits, and the screen of its page.

    ``words`` is its place where the epoch has its page no more.
    """

    page: str
    words: str
    score: float | None
    address: str


@dataclass(frozen=True, slots=True)
class DrawnDetail:
    """What a step notes of one thing, as the engine names it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """A step: what it did in words, when it began (milliseconds since the first), how long it took, and its notes.

    ``places`` are elements that it found, best first.
    ``opens``: the number of the round that begins with it; 0 where none does.
    """

    title: str
    said: str
    begins: float
    milliseconds: float
    places: tuple[DrawnPlace, ...]
    details: tuple[DrawnDetail, ...]
    opens: int = 0


def found_view(answer: Answer, texts: Texts) -> dict[str, Any]:
    """What the template of the timeline needs: the steps, their time in all, and what a language model was paid."""
    steps: list[DrawnStep] = []
    total, rounds = 0.0, 0
    for step in answer.trace:
        if step.name == _MODEL:
            continue
        number = step.detail.get("round") if step.name == "route" else None
        opens = number if isinstance(number, int) and number > rounds else 0
        rounds = max(rounds, opens)
        places = tuple(_drawn(answer, texts, one) for value in step.detail.values() for one in _places(value))
        said = step_words(step.name, step.detail)
        steps.append(
            DrawnStep(step_title(step.name), said, total, step.milliseconds, places, tuple(_details(step)), opens)
        )
        total += step.milliseconds
    return {"steps": steps, "milliseconds": total, "rounds": rounds, "used": _used(answer.trace)}


def _used(trace: Sequence[TraceStep]) -> dict[str, Any]:
    """What the question used of a language model; nothing where it asked none."""
    for step in reversed(trace):
        if isinstance(step.detail.get("calls"), int):
            return {name: step.detail[name] for name in _USED if name in step.detail}
    return {}


def _details(step: TraceStep) -> list[DrawnDetail]:
    shown = {name: value for name, value in step.detail.items() if name not in _USED}
    return [DrawnDetail(_WORDS.get(name, name.replace("_", " ")), _text(value)) for name, value in shown.items()]


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


def _drawn(answer: Answer, texts: Texts, one: Mapping[str, Any]) -> DrawnPlace:
    page, anchor = str(one["page"]), str(one["anchor"])
    title, words = texts.get((page, anchor), (page, f"{page}, {anchor}"))
    shown = words if len(words) <= _LONGEST else f"{words[:_LONGEST].rstrip()} …"
    where = address(answer.corpus, "page", name=page, epoch=answer.epoch, anchor=anchor)
    return DrawnPlace(title, shown, one.get("score"), where)


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
