"""The rules of one chunk: what each clause, list and row rules, about what, for whom, with which values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.conditions import join, opening_marker, without
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.names import Scene, entities_named, scheme_name, somebody_named
from clausegraph.core.language.normalise import WORD, plain
from clausegraph.core.language.rule_kinds import RuledClause, kinds_of
from clausegraph.core.language.values import effective_dates
from clausegraph.core.types import (
    PUBLISHER,
    Condition,
    Literal,
    Mention,
    Modality,
    Role,
    RoleName,
    Rule,
    RuleKind,
    Span,
    leaves,
)

_MOST_NAMED = 8  # things of one rule
_WE = word_set("we us our")
_PAID = word_set("pay leave holiday allowance")  # of which a time is so much
_OF_ROWS = (RuleKind.AMOUNT, RuleKind.DEADLINE, RuleKind.CONTACT)


@dataclass(frozen=True, slots=True)
class Ruling:
    """Words that may rule something: their spans, their own first, the words with those of a lead-in, and when they
    hold.

    ``main``: what rules of the words of a list, whose items are conditions; ``listed``: the items, where they are none.
    ``fact``: the main clause, where it may come to a fact; ``is_cased``: its condition is that of a heading.
    """

    spans: tuple[Span, ...]
    text: str
    condition: Condition | None
    main: str = ""
    listed: str = ""
    fact: str = ""
    is_cased: bool = False


class Rulings:
    """What was met that may rule something; it becomes rules when these are asked for."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        self._scheme = scheme_name(" ".join(chunk_input.title.split()))
        self._met: list[Callable[[], Rule | None]] = []

    def add(self, element: InputElement, said: Ruling, scene: Scene) -> Callable[[], Rule | None]:
        """Keep a clause; returns what tells its rule, if it is one, and works it out once."""
        told = cache(partial(self._of_clause, element, said, scene))
        self._met.append(told)
        return told

    def row(self, element: InputElement, said: Ruling, dates: tuple[str | None, str | None], scene: Scene) -> None:
        """Keep a row of a table; ``dates``: of those from and until when it holds."""
        self._met.append(partial(self._of_row, element, said, dates, scene))

    def found(self) -> list[Rule]:
        """The rules, each once, in the order in which they were met."""
        return list(dict.fromkeys(rule for made in self._met if (rule := made()) is not None))

    def _of_clause(self, element: InputElement, said: Ruling, scene: Scene) -> Rule | None:
        """What a clause rules, if it does."""
        words = said.main or said.text
        opened = opening_marker(plain(words), 0, len(words))
        begins = opened.end() if opened is not None and opened.lastgroup != "neutral" else 0
        main = without(words[begins:], leaves(said.condition)).lstrip(" ,")
        clause = RuledClause(main, said.condition is not None, scene.heading, said.is_cased)
        listed = RuledClause(said.listed)
        sums = any(value.kind in ("amount", "percent") for value in listed.values)
        kinds = kinds_of(clause) or ((RuleKind.AMOUNT,) if sums else ())
        if not kinds:
            return None
        priced = (clause, listed) if kinds[0] is RuleKind.AMOUNT else (clause,)  # "The fees are:"
        values, exact = _values(*priced), clause.parts.exact
        holds = kinds[0] not in (RuleKind.EXCLUSION, RuleKind.PROHIBITION) and exact is not Modality.NEED_NOT
        roles = (Role(RoleName.ABOUT, self._scheme), *self._roles(said, clause, scene))
        dates = effective_dates(main)
        return Rule(kinds, said.spans, roles, values, holds, exact, said.condition, *dates)

    def _of_row(
        self, element: InputElement, said: Ruling, dates: tuple[str | None, str | None], scene: Scene
    ) -> Rule | None:
        """What the cells of a table's row rule; what its headers say, they say of whom or when that is."""
        cells = element.text.split(" | ")
        clause = RuledClause("; ".join(cell for cell in cells[1:] if cell), heading=scene.heading)
        kinds = tuple(kind for kind in kinds_of(clause) if kind in _OF_ROWS)
        if not (clause.values or kinds):
            return None
        timed = all(value.kind in ("date", "duration") for value in clause.values)
        if timed and not _PAID.isdisjoint(WORD.findall(" ".join(element.headers[1:]).lower())):
            kinds = (RuleKind.AMOUNT,)
        kinds = kinds or (RuleKind.DEADLINE if timed else RuleKind.AMOUNT,)
        named = (Role(RuledClause("").part_of(one, element.text), one) for one in self._things(element.text))
        roles = (Role(RoleName.ABOUT, self._scheme), *named)
        since, until = dates
        return Rule(kinds, said.spans, roles, _values(clause), True, Modality.IS, said.condition, since, until)

    def _roles(self, said: Ruling, clause: RuledClause, scene: Scene) -> Iterator[Role]:
        """What a rule names beside its scheme, with its part in it where the grammar says that."""
        if scene.person is not None and clause.subject == "you":
            yield Role(RoleName.ACTOR, scene.person)
        text = f"{said.text} {said.listed}"
        if not _WE.isdisjoint(WORD.findall(plain(text).replace("US", "").lower())):
            parts = [clause.part_of(replace(PUBLISHER, surface=word)) for word in ("we", "us")]
            yield Role(min(parts), PUBLISHER)  # authority before names
        yield from (Role(clause.part_of(entity, said.listed), entity) for entity in self._things(text))

    def _things(self, text: str) -> Iterator[Mention]:
        """What a text names that other pages name as well."""
        named = entities_named(text, _MOST_NAMED)
        ends = {one.key.split()[-1] for one in named}  # "British citizen" is no citizen besides
        for entity in (*named, *(one for one in somebody_named(text) if one.key not in ends)):
            if entity.key != self._scheme.key:
                yield entity


def _values(*clauses: RuledClause) -> tuple[Literal, ...]:
    values = (value for clause in clauses for value in clause.values)
    return tuple(dict.fromkeys(Literal(value.text.rstrip(","), value.kind) for value in values))


def both(scope: Condition | None, own: Condition | None) -> Condition | None:
    """What a section sets and what a clause states, each once."""
    if scope is None or own is None or _said(scope) <= _said(own):
        return own if own is not None else scope
    return join("all", [scope, own])


def _said(condition: Condition) -> set[str]:
    return {leaf.text.lower() for leaf in leaves(condition)}
