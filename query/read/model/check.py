"""What a draft is worth: labels must have been shown, quotes be verbatim, conditions be elements, answers be stated.

Nothing that fails here reaches an answer: it is told as a problem, which one repair may mend, or left out with a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from clausegraph.core.condition_trees import VERDICTS, with_children
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.quotes import Quotable
from clausegraph.core.types import (
    All,
    Alternative,
    AnyOf,
    ConditionState,
    Element,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Leaf,
    Not,
    Sentence,
    holds,
    leaves,
    mapped,
)
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.model.schema import Draft, DraftAnswer, DraftCondition, DraftSentence
from clausegraph.query.read.model.shown import Shown, ShownElement
from clausegraph.query.read.protocol import Pages

MAX_DEPTH = 8
MAX_LEAVES = 60
_VALUES = {ConditionState.MET: True, ConditionState.UNMET: False, ConditionState.UNKNOWN: None}
_STATES = {"met": ConditionState.MET, "contradicted": ConditionState.UNMET}


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer whose words stand on a page, with its condition as the scenario has it, and what it rests on.

    ``place`` is where a span stands; a verdict has none. ``value`` is that of the condition: false where the model's
    own conditions refute its answer.
    """

    text: str
    place: tuple[ShownElement, int, int] | None
    condition: JudgedCondition | None
    evidence: tuple[ShownElement, ...]
    value: bool | None

    @property
    def is_verdict(self) -> bool:
        return self.place is None


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence, what is wrong with it, and what may be shown of it: nothing where it has no source."""

    drafted: DraftSentence
    problems: tuple[str, ...]
    shown: Sentence | None


@dataclass(slots=True)
class Checked:
    """The answers and sentences that stand, the problems a repair could mend, and what was left out."""

    answers: list[CheckedAnswer] = field(default_factory=list)
    sentences: list[CheckedSentence] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Unusable(Exception):
    """An answer cannot be used, and why."""


def value_of(tree: JudgedCondition | None) -> bool | None:
    """Whether a condition holds; None where that depends on an open leaf.

    An unknown leaf that is not decisive is taken for granted: it counts for what lets the whole hold, true, or false
    under a "not".
    """
    return _VALUES[holds(None if tree is None else _presumed(tree, favourable=True))]


def _presumed(tree: JudgedCondition, *, favourable: bool) -> JudgedCondition:
    if not isinstance(tree, JudgedLeaf):
        return with_children(tree, lambda child, below_not: _presumed(child, favourable=favourable != below_not))
    if tree.decisive or tree.state is not ConditionState.UNKNOWN:
        return tree
    return replace(tree, state=ConditionState.MET if favourable else ConditionState.UNMET)


def settled(tree: JudgedCondition, *, favourable: bool = True) -> JudgedCondition:
    """The tree with those open leaves no longer decisive on which its value does not depend any more."""
    if holds(_presumed(tree, favourable=favourable)) is not ConditionState.UNKNOWN:
        return mapped(tree, _quiet)
    return with_children(tree, lambda child, below_not: settled(child, favourable=favourable != below_not))


def _quiet(judged: JudgedLeaf) -> JudgedLeaf:
    return replace(judged, decisive=False) if judged.state is ConditionState.UNKNOWN else judged


def check_draft(draft: Draft, shown: Shown, inquiry: Inquiry, pages: Pages) -> Checked:
    """Check every answer of a draft."""
    return _Check(draft, shown, inquiry, pages).run()


class _Check:
    def __init__(self, draft: Draft, shown: Shown, inquiry: Inquiry, pages: Pages) -> None:
        self._draft, self._shown, self._pages = draft, shown, pages
        today = (inquiry.as_of or date.today()).isoformat()
        self._said = Quotable(" ".join([inquiry.scenario, inquiry.question, *inquiry.assumptions, today]))
        self._judged: dict[str, JudgedLeaf] = {}
        self._checked = Checked()

    def run(self) -> Checked:
        found = self._checked
        for answer in self._draft.answers:
            try:
                made = self._answer(answer)
            except _Unusable as problem:
                found.problems.append(f"answer {answer.text[:80]!r}: {problem}")
                continue
            if made.value is False:
                found.problems.append(f"answer {answer.text[:80]!r}: your own conditions refute it")
            found.answers.append(made)
        return found

    def _answer(self, answer: DraftAnswer) -> CheckedAnswer:
        verdict = answer.text.lower().strip(" .!")
        evidence = self._evidence(answer)
        if verdict in VERDICTS:
            text, place = verdict, None
            if not evidence:
                raise _Unusable("none of its evidence was shown")
        else:
            place = self._place(answer, evidence)
            text = place[0].element.text[place[1] : place[2]]
            evidence = list(dict.fromkeys([place[0], *evidence]))
        condition = self._tree(answer.when, 1)
        condition = None if condition is None else settled(condition)
        if len(list(leaves(condition))) > MAX_LEAVES:
            raise _Unusable(f"it has more than {MAX_LEAVES} conditions")
        return CheckedAnswer(text, place, condition, tuple(evidence), value_of(condition))

    def _evidence(self, answer: DraftAnswer) -> list[ShownElement]:
        found: list[ShownElement] = []
        for label in dict.fromkeys([answer.element, *answer.evidence]):
            if label in self._shown.by_label:
                found.append(self._shown.by_label[label])
            elif label:
                self._checked.notes.append(f"left out evidence {label[:20]!r}: not shown")
        return found

    def _place(self, answer: DraftAnswer, evidence: list[ShownElement]) -> tuple[ShownElement, int, int]:
        """Where the words of a span stand: in the element it names, else in its evidence."""
        for shown in evidence:
            place = _place(shown.element, answer.text)
            if place is not None:
                return shown, *place
        named = ", ".join(shown.label for shown in evidence) or "any element that was shown"
        raise _Unusable(f"its words do not stand in {named}; copy them exactly")

    def _tree(self, value: Any, depth: int) -> JudgedCondition | None:
        if depth > MAX_DEPTH:
            raise _Unusable(f"its conditions are nested more than {MAX_DEPTH} deep")
        if value is None or value in ("", [], {}, {"all": []}):
            return None
        if isinstance(value, str):
            return self._leaf(value)
        if isinstance(value, list):
            value = {"all": value}
        given = {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else {}
        if len(given) != 1 or not set(given) <= {"all", "any", "not"}:
            raise _Unusable('its "if" cannot be read')
        operator, inner = next(iter(given.items()))
        if operator == "not":
            child = self._tree(inner, depth + 1)
            if child is None:
                raise _Unusable('its "if" has an empty "not"')
            return child.child if isinstance(child, Not) else Not(child)
        return self._group(operator, inner if isinstance(inner, list) else [inner], depth)

    def _group(self, operator: str, inner: list[Any], depth: int) -> JudgedCondition | None:
        if len(inner) > MAX_LEAVES:
            raise _Unusable(f"it has more than {MAX_LEAVES} conditions")
        made = (self._tree(item, depth + 1) for item in inner)
        children = tuple(dict.fromkeys(child for child in made if child is not None))
        if not children:
            raise _Unusable(f'its "if" has an empty "{operator}"')
        if len(children) == 1:
            return children[0]
        return All(children) if operator == "all" else AnyOf(children)

    def _leaf(self, name: str) -> JudgedLeaf:
        if name not in self._judged:
            self._judged[name] = self._made(name)
        return self._judged[name]

    def _made(self, name: str) -> JudgedLeaf:
        stated = self._draft.conditions.get(name)
        if stated is None:
            raise _Unusable(f"its condition {name[:20]!r} is not among the conditions")
        shown = self._shown.by_label.get(stated.element)
        if shown is None:
            raise _Unusable(f"condition {name[:20]!r} cites {stated.element[:20]!r}, which was not shown")
        text = shown.element.text
        place = _place(shown.element, stated.quote)
        if place is None:
            raise _Unusable(f"the quote of condition {name[:20]!r} does not stand in {stated.element}; copy it exactly")
        state = self._state(stated)
        leaf = Leaf(shown.element.anchor, *place, text[slice(*place)])
        source = evidence_of(shown.page, self._pages(shown.page), shown.element, *place)
        return JudgedLeaf(
            leaf,
            state,
            source,
            decisive=state is not ConditionState.UNKNOWN or stated.state == "open",
            question=stated.ask if stated.state == "open" else "",
            settled_by="" if state is ConditionState.UNKNOWN else stated.scenario,
        )

    def _state(self, stated: DraftCondition) -> ConditionState:
        """The state of a condition; one that is met or contradicted is so by words of the scenario."""
        name = stated.id[:20]
        state = _STATES.get(stated.state, ConditionState.UNKNOWN)
        if state is ConditionState.UNKNOWN:
            if stated.state not in ("open", "granted"):
                raise _Unusable(f"condition {name!r} has no state")
            return state
        if stated.scenario and self._said.find(stated.scenario) is not None:
            return state
        if state is ConditionState.UNMET:
            raise _Unusable(f"condition {name!r} is contradicted by no words of the scenario; copy them exactly")
        self._checked.notes.append(f"condition {name!r} is taken for granted: no words of the scenario")
        return ConditionState.UNKNOWN


def _place(element: Element, quote: str) -> tuple[int, int] | None:
    """Where a quote stands in an element, all of it for none; of a row, cells may be quoted under their headers."""
    if not quote:
        return 0, len(element.text)
    text = Quotable(element.text)
    found = text.find(quote)
    if found is not None or element.tag != "tr":
        return found
    cells = (part.partition(": ")[2] or part for part in quote.split(" | "))
    places = [text.find(cell) for cell in cells]
    standing = [place for place in places if place is not None]
    if len(standing) < len(places):
        return None
    return min(start for start, _ in standing), max(end for _, end in standing)


def decided(answers: Sequence[CheckedAnswer], kind: str, notes: list[str]) -> list[CheckedAnswer]:
    """The answers that hold or may hold, each once.

    A verdict that its own conditions refute becomes the other one where the question is a gate, which is open or shut;
    any other answer that is refuted is left out.
    """
    holding = [answer for answer in answers if answer.value is not False]
    for refuted in (answer for answer in answers if answer.value is False):
        turned = _turned(refuted) if kind == "gate" and refuted.is_verdict else None
        if turned is not None and not any(answer.is_verdict for answer in holding):
            notes.append(f"{refuted.text!r} became {turned.text!r}: its own conditions refute it")
            holding.append(turned)
        else:
            notes.append(f"left out {refuted.text[:80]!r}: its own conditions refute it")
    once: dict[str, CheckedAnswer] = {}
    for answer in holding:
        once.setdefault(answer.text.lower(), answer)
    return list(once.values())


def _turned(answer: CheckedAnswer) -> CheckedAnswer | None:
    if answer.condition is None:
        return None
    other = VERDICTS[answer.text]
    tree = answer.condition
    return CheckedAnswer(other, None, tree.child if isinstance(tree, Not) else Not(tree), answer.evidence, True)


def alternative_of(answer: CheckedAnswer, pages: Pages) -> Alternative:
    """The alternative of an answer, with everything it rests on as evidence."""
    found: list[Evidence] = []
    for shown in answer.evidence:
        if answer.place is not None and shown is answer.place[0]:
            found.append(_evidence(shown, pages, answer.place[1], answer.place[2]))
        else:
            found.append(_evidence(shown, pages))
    return Alternative(answer.text, answer.condition, tuple(found))


def _evidence(shown: ShownElement, pages: Pages, start: int = 0, end: int | None = None) -> Evidence:
    return evidence_of(shown.page, pages(shown.page), shown.element, start, end)
