"""The condition language of policy English: which part of a sentence is a condition, and of what shape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from clausegraph.core.language.clauses import (
    NEXT_CLAUSE,
    OPENER,
    conjuncts,
    main_clause_start,
    next_clause,
    starts_predicate,
    subject_ahead,
    trailing_end,
    trim,
)
from clausegraph.core.language.lexicon import (
    AUXILIARIES,
    IMPERATIVES,
    PREPOSITIONS,
    PRONOUNS,
    WordTable,
    base_of_third_person,
    phrases,
)
from clausegraph.core.language.normalise import plain
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Not

_TABLE = WordTable(__file__)

MARKER = _TABLE.pattern("marker")
_OPENS_PHRASE = phrases("|".join(["even|as", *sorted(PREPOSITIONS)]))
_ASKING = _TABLE.pattern("asking")
_NOUN_CHECK = _TABLE.pattern("noun_check")
_WEAK_FOLLOW = _TABLE.pattern("weak_follow")
_ONCE_FOLLOW = re.compile(r"\s+(?:you|they|the|your|it|he|she)\b|\s*:", re.IGNORECASE)
_TIME_NOUN = _TABLE.pattern("time_noun")
_INSERTED = re.compile(r"\b(?:and|or),\s*$", re.IGNORECASE)  # "a photograph and, if you are over 60, your pass"
_JOINED = _TABLE.pattern("joined")
_QUANTIFIER = _TABLE.pattern("quantifier")
_OPENING = _TABLE.pattern("opening")
_JOINT = _TABLE.pattern("joint")
_COUNTED_WITH = _TABLE.pattern("counted_with")
_EXAMPLES = re.compile(r"\b(?:such as|for example|including|like)(?:\s+(?:an?|the))?\s*:?\s*$", re.IGNORECASE)
OPENING_CASE = _TABLE.pattern("opening_case")
_LONGEST_OPENING = 14  # words
LONGEST_SENTENCE = 1500
"""Characters read of one sentence: no real one is longer, and garbage must not take quadratic time."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A subordinator ``[start, end)``: ``negated`` opens an exception, ``neutral`` no condition at all.

    ``temporal`` for "when", "while", "where", "once"; ``joined`` is how its
    clause joins the one before; ``fronted`` when it opens the sentence.
    """

    start: int
    end: int
    negated: bool = False
    neutral: bool = False
    fronted: bool = False
    joined: str = "all"
    temporal: bool = False


def find_markers(text: str, start: int, end: int, temporal: bool = True) -> list[Marker]:
    """The subordinators of ``text[start:end]`` in order; without ``temporal`` no "when", "while", "where", "once".

    ``text`` must be ``plain``.
    """
    first = _begins(text, start, end)
    found: list[Marker] = []
    for match in MARKER.finditer(text, start, end):
        kind = match.lastgroup or ""
        if (kind == "weak" and not temporal) or _is_look_alike(text, start, match, kind):
            continue
        if found and not found[-1].neutral and _gives_its_reason(text, match):
            continue
        if found and _is_of_reason(text, found[-1], match.start()):
            continue
        fronted = match.start() <= first or _after_short_intro(text, start, match.start())
        marker_start = match.start()
        joint = _JOINED.search(text, start, match.start())
        operator = "all"
        if joint and found and not found[-1].neutral:
            marker_start = joint.start("how")
            operator = "any" if joint["how"].lower() == "or" else "all"
        marker = Marker(
            marker_start, match.end(), kind == "not", kind == "neutral", fronted and not found, operator, kind == "weak"
        )
        found.append(marker)
    return _without_idle_weak(found)


def supposition(text: str) -> str | None:
    """What a text supposes that is one condition and nothing else ("and if she is 66?"), as a sentence; else None."""
    words = plain(text[: LONGEST_SENTENCE + 1]).rstrip("?!. ").split()
    said = " ".join(word for number, word in enumerate(words) if number > 1 or word.lower() != "what")
    found = find_markers(said, 0, len(said))[:1]
    opens = bool(found) and len(said[: found[0].start].split()) <= 1 and not (found[0].negated or found[0].neutral)
    if not opens or len(text) > LONGEST_SENTENCE:
        return None
    clause = said[found[0].end :].strip(" ,")
    asks = any(one in AUXILIARIES and other in PRONOUNS for one, other in pairwise(clause.lower().split()))
    alone = not asks and main_clause_start(f"{said}?", found[0].end, len(said) + 1) >= len(said)
    return f"{clause[:1].upper()}{clause[1:]}." if alone and clause else None


def _begins(text: str, start: int, end: int) -> int:
    """Where a sentence begins behind "but", "so" and the like; a subordinator may begin before it: "so long as"."""
    intro = OPENER.match(text, start, end)
    return intro.end() if intro else start


def opening_marker(text: str, start: int, end: int) -> re.Match[str] | None:
    """The subordinator that ``text[start:end]`` begins with, whatever follows it."""
    found = MARKER.search(text, start, end)
    return found if found is not None and found.start() <= _begins(text, start, end) else None


def independent_clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The main clauses of a sentence that each have a subject and verb: "…, but you can …", "… - you must …"."""
    spans: list[tuple[int, int]] = []
    while start < end:
        opened = opening_marker(text, start, end) or _OPENS_PHRASE.match(text, _begins(text, start, end), end)
        first = main_clause_start(text, opened.start(), end) if opened else start
        stop = next_clause(text, min(first + 3, end), end)
        spans.append((start, stop))
        following = NEXT_CLAUSE.match(text, stop, end)
        start = following.end() if following else end
    return spans


def _is_look_alike(text: str, start: int, match: re.Match[str], kind: str) -> bool:
    """ "check if", "the country where you live", "provided by": words that open no condition of the whole."""
    before = text[start : match.start()]
    word = match[0].lower()
    aside = before[before.rfind("(or ") :] if "(or " in before else ")"
    of_another = ")" not in aside and any(map(str.isdigit, aside))  # "13 weeks (or 17 weeks if you are 60)"
    inserted = _INSERTED.search(before) is not None and "," in text[match.end() :]
    if of_another or inserted or kind == "not":
        return of_another or inserted
    asked = bool(_ASKING.search(before)) and not _NOUN_CHECK.search(before)
    if kind != "weak":
        return asked and kind == "if"
    if asked or not _WEAK_FOLLOW.match(text, match.end()):
        return True
    if word == "where":
        return bool(before.strip()) and not before.rstrip().endswith((",", "("))
    if word == "once" and before.strip() and not _ONCE_FOLLOW.match(text, match.end()):
        return True
    return bool(_TIME_NOUN.search(before))


def _is_of_reason(text: str, before: Marker, start: int) -> bool:
    """Whether a marker belongs to the reason before it: "because you may lose it if you are away"."""
    reason = before.neutral and text[before.start : before.end].lower() in ("because", "although")
    return reason and not re.search(r"[,;:()]|\s-\s", text[before.end : start])


def _gives_its_reason(text: str, match: re.Match[str]) -> bool:
    """Whether "because" goes on with the condition before it: "unless you left because of illness"."""
    return match[0].lower() == "because" and not text[: match.start()].rstrip().endswith((",", "-", ";", ":", ")"))


def _after_short_intro(text: str, start: int, position: int) -> bool:
    """ "In England, if …": a marker after a short opening phrase and its comma is fronted too."""
    before = text[start:position].rstrip()
    return (
        before.endswith(",")
        and len(before.split()) <= 6
        and bool(re.match(r"(?:in|at|for|from|on|under|after|before)\s", before, re.IGNORECASE))
    )


def _without_idle_weak(found: list[Marker]) -> list[Marker]:
    """Drop "when", "while" and "where" beside a strong subordinator, unless they open the sentence."""
    strong = any(not marker.temporal and not marker.neutral for marker in found)
    return [marker for marker in found if not marker.temporal or marker.fronted or not strong]


@dataclass(frozen=True, slots=True)
class Slot:
    """A condition to be filled by list items: ``operator`` is all, any or, where the text does not say, None."""

    operator: str | None
    negated: bool = False
    joined: str = "all"


def quantifier(text: str) -> tuple[str | None, bool]:
    """The operator that a lead-in names ("any of these"), and whether it negates ("none of")."""
    found = list(_QUANTIFIER.finditer(text))
    if not found:
        return None, False
    kind = found[-1].lastgroup
    return ("any", True) if kind == "none" else (kind, False)


def lists_examples(text: str) -> bool:
    """Whether a lead-in's list gives examples: "things like:", "for example:"."""
    return bool(_EXAMPLES.search(text))


def split_slot(text: str, start: int, end: int, open_ended: bool) -> tuple[tuple[int, int] | None, Slot | None]:
    """Split the clause ``text[start:end]`` into its closed part and the slot its list fills.

    A clause that is not ``open_ended`` (no colon) is closed throughout.
    """
    if not open_ended:
        return (start, end), None
    clause = text[start:end]
    if _EXAMPLES.search(clause):
        return (start, end), None
    operator, negated = quantifier(clause[-90:])
    opening = _OPENING.search(clause)
    if opening and starts_predicate(clause[: opening.start()], "x x x"):
        operator, negated = quantifier(clause[opening.start() :])
        joined = "any" if opening[1].lower() == "or" else "all"
        return (start, start + opening.start()), Slot(operator, negated, joined)
    return None, Slot(operator, negated)


@dataclass(frozen=True, slots=True)
class OpenItem:
    """A list item that goes on in a list of its own: it states ``[start, end)`` itself, its list fills ``slot``.

    ``counts``: the list only names what else is counted, and states no condition: "after tax and:".
    """

    start: int
    end: int
    slot: Slot
    counts: bool = False


def split_item(text: str, start: int, end: int, items: Sequence[str]) -> OpenItem | None:
    """What an item states before the "and" or "or" that its own list goes on from; None where it only introduces it.

    Args:
        items: texts of its list.
    """
    found = _JOINT.search(text, start, end)
    if found is None:
        return None
    own = text[start : found.start()]
    if not (starts_predicate(own, "x x x") or any(map(base_of_third_person, own.lower().split()[1:]))):
        return None
    both = found["joint"].lower() == "and"
    operator, negated = quantifier(found["stub"])
    named = not found["stub"].strip() and not any(starts_predicate(one, "x x x") for one in items)
    counts = both and named and bool(_COUNTED_WITH.search(own))
    joined = "all" if both else "any"
    return OpenItem(start, found.start(), Slot(operator, negated, joined), counts)


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


def without(text: str, conditions: Iterable[Leaf]) -> str:
    """The text without the words of conditions."""
    for leaf in conditions:
        text = text.replace(leaf.text, " ")
    return text


def parse_conditions(
    text: str, anchor: str = "", start: int = 0, end: int | None = None, *, temporal: bool = True
) -> ParsedClause:
    """Parse the sentence ``text[start:end]``; leaves are spans of ``text`` under ``anchor``.

    Without ``temporal``, "when", "while" and "where" open no condition (they belong to what a list item states).
    """
    end = min(len(text) if end is None else end, start + LONGEST_SENTENCE)
    norm = plain(text)  # of equal length
    markers = find_markers(norm, start, end, temporal)
    if not markers:
        return ParsedClause(trim(norm, start, end))
    main_start = start
    fronted: list[Marker] = []
    if markers[0].fronted:
        main_start = main_clause_start(norm, markers[0].end, end)
        fronted = [marker for marker in markers if marker.start < main_start]
        if main_start >= end and fronted[0].temporal:  # "when the sale will complete": a question, not a condition
            return ParsedClause(trim(norm, start, end))
    trailing = markers[len(fronted) :]
    main_end = trailing[0].start if trailing else end
    limit = next_clause(norm, trailing[0].end, end) if trailing else end
    trailing = [marker for marker in trailing if marker.start < limit]
    is_open = norm[start:end].rstrip().endswith(":")
    condition: Condition | None = None
    slot: Slot | None = None
    for marker, found, opened in (
        *_clauses(text, anchor, fronted, main_start, end if is_open else -1),
        *_clauses(text, anchor, trailing, limit, end if is_open else -1),
    ):
        if opened is not None:
            slot = Slot(opened.operator, marker.negated, opened.joined if found else marker.joined)
        if found is not None:
            signed = Not(found) if marker.negated else found
            condition = signed if condition is None else join(marker.joined, (condition, signed))
    return ParsedClause(trim(norm, main_start, main_end), condition, slot)


def opening_case(text: str, anchor: str, start: int, end: int) -> Leaf | None:
    """The phrase that opens ``text[start:end]`` and narrows what the rest is for: "Inside London, …"; else None."""
    norm = plain(text)
    opening = OPENING_CASE.match(norm, start, end)
    if opening is None or opening_marker(norm, start, end):  # "On condition that"
        return None
    main = main_clause_start(norm, opening.end(), end)
    main = min(
        subject_ahead(norm, start, main, main), *(one.start for one in find_markers(norm, opening.end(), main)), end
    )
    begin, stop = trim(norm, start, main)
    first = norm[main:end].lower().split(maxsplit=1)[:1] or [norm[start:end].rstrip()[-1:]]  # "In Wales:" opens a list
    orders = opening["place"] and first[0] in IMPERATIVES  # "On the form, tick …"
    narrows = not orders and (main < end or first[0] == ":") and len(norm[begin:stop].split()) <= _LONGEST_OPENING
    return Leaf(anchor, begin, stop, text[begin:stop]) if narrows else None


def opens_case(sentence: str) -> bool:
    """Whether a sentence begins with its condition: "When you move out, your permit ends"."""
    found = find_markers(plain(sentence), 0, len(sentence))
    return bool(found) and found[0].fronted and not found[0].neutral


def leaves_of(text: str, anchor: str, start: int, end: int) -> Condition:
    """The leaves of ``text[start:end]``, a condition without subordinator: split where clauses are joined; "and" binds
    closer than "or"."""
    (first, *more), operators = conjuncts(plain(text), start, end)
    groups: list[list[Condition]] = [[Leaf(anchor, *first, text[slice(*first)])]]
    for piece, operator in zip(more, operators, strict=True):
        leaf = Leaf(anchor, *piece, text[slice(*piece)])
        if operator == "all":
            groups[-1].append(leaf)
        else:
            groups.append([leaf])
    return join("any", [join("all", group) for group in groups])


_Clause = tuple[Marker, Condition | None, Slot | None]


def _clauses(text: str, anchor: str, markers: Sequence[Marker], limit: int, opens_at: int) -> Iterator[_Clause]:
    """The condition and slot of each marker's clause, which ends before the next marker or ``limit``; a list goes on
    from one that ends at ``opens_at``."""
    norm = plain(text)
    for position, marker in enumerate(markers):
        if marker.neutral:
            continue
        stop = markers[position + 1].start if position + 1 < len(markers) else limit
        stop = trailing_end(norm, marker.end, stop, fronted=marker.fronted)
        closed, slot = split_slot(norm, marker.end, stop, open_ended=stop == opens_at)
        start, end = trim(norm, *closed) if closed else (0, 0)
        yield marker, leaves_of(text, anchor, start, end) if start < end else None, slot
