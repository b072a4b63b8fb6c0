"""The condition language of policy English: which part of a sentence is a condition, and of what shape.

``parse_conditions`` takes one sentence (or list item, or question) and returns its main clause and a tree of
all / any / not over spans of the text; "if", "only if", "as long as" give leaves, "unless" and "except" a
``Not``. A lead-in ("You can claim if:") leaves a slot that ``ParsedClause.with_items`` fills with its list.
Pure and deterministic; the rules are those of examples/README.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clausegraph.core.language.clauses import main_clause_start, next_clause, trailing_end
from clausegraph.core.language.conjunctions import Group, split_conjuncts, trim
from clausegraph.core.language.markers import Marker, find_markers, plain
from clausegraph.core.language.slots import Slot, split_slot
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Not

LONGEST_SENTENCE = 1500
"""Characters read of one sentence: no real one is longer, and garbage must not take quadratic time."""


@dataclass(frozen=True, slots=True)
class ParsedClause:
    """A sentence taken apart: its main clause, the condition it states, and the slot its list will fill.

    ``main`` is a span ``[start, end)`` of the text. ``condition`` has leaves of this text only; ``slot`` is
    set when the text ends in a colon and a condition goes on in the list below it.
    """

    main: tuple[int, int]
    condition: Condition | None = None
    slot: Slot | None = None

    def with_items(self, items: Sequence[Condition], default: str = "all") -> Condition | None:
        """The whole condition once the list items are known; ``default`` joins an unmarked list."""
        if self.slot is None or not items:
            return self.condition
        filled = join(self.slot.operator or default, items)
        if self.slot.negated:
            filled = Not(filled)
        if self.condition is None:
            return filled
        return join(self.slot.joined, (self.condition, filled))


def join(operator: str, children: Sequence[Condition]) -> Condition:
    """``All`` or ``AnyOf`` of the children, flat; a single child stands for itself."""
    kind = AnyOf if operator == "any" else All
    flat: list[Condition] = []
    for child in children:
        flat.extend(child.children if isinstance(child, kind) else (child,))
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def parse_conditions(
    text: str, anchor: str = "", start: int = 0, end: int | None = None, *, temporal: bool = True
) -> ParsedClause:
    """Parse the sentence ``text[start:end]``; leaves are spans of ``text`` under ``anchor``.

    Without ``temporal``, "when", "while" and "where" open no condition (they belong to what a list item states).
    """
    end = min(len(text) if end is None else end, start + LONGEST_SENTENCE)
    return _Parser(text, anchor, start, end, temporal).parse()


def leaves_of(text: str, anchor: str, start: int, end: int) -> Condition:
    """The leaves of ``text[start:end]``, a condition without subordinator: split where clauses are joined."""

    def tree(part: Group | tuple[int, int]) -> Condition:
        if isinstance(part, Group):
            return join(part.operator, [tree(piece) for piece in part.pieces])
        return Leaf(anchor, part[0], part[1], text[part[0] : part[1]])

    return tree(split_conjuncts(plain(text), start, end))


@dataclass
class _Parser:
    """One sentence being parsed; ``norm`` is the text with plain quotes, of equal length."""

    text: str
    anchor: str
    start: int
    end: int
    temporal: bool

    def parse(self) -> ParsedClause:
        """Markers, then fronted clauses, the main clause and trailing clauses."""
        norm = plain(self.text)
        markers = find_markers(norm, self.start, self.end, self.temporal)
        if not markers:
            return ParsedClause(trim(norm, self.start, self.end))
        main_start = self.start
        fronted: list[Marker] = []
        if markers[0].fronted:
            main_start = main_clause_start(norm, markers[0].end, self.end)
            fronted = [marker for marker in markers if marker.start < main_start]
            if (
                main_start >= self.end and fronted[0].temporal
            ):  # "when the sale will complete": a question, not a condition
                return ParsedClause(trim(norm, self.start, self.end))
        trailing = markers[len(fronted) :]
        main_end = trailing[0].start if trailing else self.end
        limit = next_clause(norm, trailing[0].end, self.end) if trailing else self.end
        trailing = [marker for marker in trailing if marker.start < limit]
        clauses = self._clauses(norm, fronted, main_start) + self._clauses(norm, trailing, limit)
        condition, slot = self._combine(clauses)
        return ParsedClause(trim(norm, main_start, main_end), condition, slot)

    def _clauses(
        self, norm: str, markers: Sequence[Marker], limit: int
    ) -> list[tuple[Marker, Condition | None, Slot | None]]:
        """The condition and slot of each marker's clause, which ends before the next marker or ``limit``."""
        found: list[tuple[Marker, Condition | None, Slot | None]] = []
        open_ended = norm[self.start : self.end].rstrip().endswith(":")
        for position, marker in enumerate(markers):
            if marker.neutral:
                continue
            stop = markers[position + 1].start if position + 1 < len(markers) else limit
            stop = trailing_end(norm, marker.end, stop, fronted=marker.fronted)
            closed, slot = split_slot(norm, marker.end, stop, open_ended=open_ended and stop == self.end)
            condition = self._leaves(norm, *closed) if closed else None
            found.append((marker, condition, slot))
        return found

    def _leaves(self, norm: str, start: int, end: int) -> Condition | None:
        start, end = trim(norm, start, end)
        return leaves_of(self.text, self.anchor, start, end) if start < end else None

    def _combine(
        self, clauses: Sequence[tuple[Marker, Condition | None, Slot | None]]
    ) -> tuple[Condition | None, Slot | None]:
        """Join the clauses: all of them, "or if" as alternatives of the clause before."""
        combined: Condition | None = None
        slot: Slot | None = None
        for marker, condition, opened in clauses:
            if opened is not None:
                slot = Slot(opened.operator, marker.negated, opened.joined if condition else marker.joined)
            if condition is None:
                continue
            signed = Not(condition) if marker.negated else condition
            combined = signed if combined is None else join(marker.joined, (combined, signed))
        return combined, slot
