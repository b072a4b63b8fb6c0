"""Whether the conditions of a statement are whole: each can be met, is told once, and needs no page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from clausegraph.core.language.frames import expand
from clausegraph.core.language.standing import LOSABLE, points, stems, told_before
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Mention, Not, Statement, leaves
from clausegraph.ingestion.extract.rules.parts import target_text
from clausegraph.ingestion.extract.rules.scope import beyond

_LONGEST_LEAF = 40  # words
_ODD_LEAF = re.compile(  # no condition that can be met, or one cut from its sentence
    r":|^to\b|^that\b|\b(?:an?|the|new|used|any|your|their|of|for|to|with|and|or)$"
    r"|\b(?:able|going) to \w+$|,\s+(?:as well as|which|so|but)\b|\bdo (?:have|not have) to\b"
    r"|\b(?:may|might|must|should|could|certain)\b"
    r"|\b(?:eligible|entitled)$|^you need (?:any |some |more |further )?(?:help|information|advice)$"
)


def conditions_stand(one: Statement, scope: Condition | None, whole: str) -> bool:
    """Whether the conditions are whole, each told once, and none says what the statement says."""
    every = [*leaves(beyond(scope, one.subject)), *leaves(one.condition)]
    said = stems(f"{one.subject.surface} {one.relation} {target_text(one)}")
    once = len({leaf.text.lower() for leaf in every}) == len(every)
    mixed = any(map(_is_mixed, _set_apart(one.condition, whole)))
    return once and not mixed and all(_leaf_stands(_told(leaf, every), one, said) for leaf in every)


def _told(leaf: Leaf, every: Sequence[Leaf]) -> Leaf:
    """A leaf without what was told before: "part time, if it takes up …", "the course starts" after "your course"."""
    within = any(other.anchor == leaf.anchor and other.end < leaf.start and not other.start for other in every)
    text = re.sub(r"^(?:it|they)\s", "", leaf.text, flags=re.IGNORECASE) if within else leaf.text
    earlier = " ".join(other.text for other in every[: every.index(leaf)])
    named = {found[1].lower() for found in re.finditer(r"\b(?:your|an?) (\w+)", earlier)}
    text = re.sub(r"\bthe (\w+)", lambda found: found[1] if found[1].lower() in named else found[0], text)
    return replace(leaf, text=text)


def _set_apart(condition: Condition | None, whole: str) -> list[Condition | None]:
    """A condition and its exception, where a comma sets that off: "if A or B, unless C"; else all in one."""
    parts = condition.children if isinstance(condition, All) else ()
    waived = [part for part in parts if isinstance(part, Not)]
    if len(waived) != 1 or len(parts) < 2:
        return [condition]
    before = whole[: min(leaf.start for leaf in leaves(waived[0]))].rstrip()
    if not re.search(r",\s+(?:but not (?:if|when)|unless|except (?:if|when|where))$", before, re.IGNORECASE):
        return [condition]
    rest = tuple(part for part in parts if part is not waived[0])
    return [All(rest) if len(rest) > 1 else rest[0], waived[0]]


def _is_mixed(condition: Condition | None) -> bool:
    """Whether "and" and "or" join clauses of one sentence, or "not" is said of both: what binds closer is not told."""
    found, kinds = list(leaves(condition)), set(_kinds(condition))
    denied = any(re.search(r"\b(?:never|not|no|n't|neither)\b", expand(leaf.text)) for leaf in found[:1])
    return len({leaf.anchor for leaf in found}) == 1 and ({"all", "any"} <= kinds or (denied and bool(kinds)))


def _kinds(condition: Condition | None) -> Iterator[str]:
    match condition:
        case All(children) | AnyOf(children):
            yield "all" if isinstance(condition, All) else "any"
            for child in children:
                yield from _kinds(child)
        case Not(child):
            yield from _kinds(child)


def _leaf_stands(leaf: Leaf, one: Statement, said: set[str]) -> bool:
    text = expand(leaf.text)
    beside = isinstance(one.object, Mention) and leaf.anchor == one.spans[0].anchor and not one.spans[0].start
    pointing = re.sub(r"^(?:it|they)\b", "", text, flags=re.IGNORECASE) if beside else text  # the object before it
    pointing = re.sub(r"\bsuch as\b|\bthere (?=is\b|are\b)", "", pointing)
    own = stems(text) - LOSABLE
    whole = 1 < len(text.split()) <= _LONGEST_LEAF and text.count("(") == text.count(")")
    told = told_before(re.sub(r"\byour\b|(?<=\w )the (?=person\b)", "", text))
    return whole and not (points(pointing) or told or _ODD_LEAF.search(text)) and not (own and own <= said)
