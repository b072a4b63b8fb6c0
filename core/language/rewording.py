"""Whether texts and conditions say the same in other words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from clausegraph.core.language.conditions import find_markers
from clausegraph.core.language.lexicon import MONTHS, WEEKDAYS, word_set
from clausegraph.core.language.normalise import content, lemmas, plain, stem, tokens
from clausegraph.core.language.quantities import Quantity, find_quantities
from clausegraph.core.types import Condition, Leaf, fold

CONDITION, EXCEPTION, WORDS = "condition", "exception", "words"
VALUE, DATE, MODALITY = "value", "date", "modality"
ALIKE = 0.4  # share of common words from which on a rule is the one that there was before
_SEVERAL = 2  # words that are only in one text, from which on it says more: "must" is "is required to" with one
_DENIALS = word_set("not no never without")
DAYS = frozenset((*WEEKDAYS, *MONTHS)) - {"may"}  # and months by name
OPENING = word_set("if when unless provided condition conditions")  # of what something depends on
_OF_DATES = ("date", "day of any year")  # units
_ANY = word_set("a an any each every")
_EXCEPTING = word_set("unless except excluding")
_LIGHT = frozenset(
    map(stem, word_set("come comes get gets getting give given gives go goes take taken takes"))
)  # verbs that say little alone
_FORCES = {
    stem(word): force
    for force, words in (
        ("demands", "must shall need have require oblige"),
        ("allows", "can may could might allow entitle"),
        ("advises", "should"),
        ("denies", "not no never without cannot"),
    )
    for word in words.split()
}


def insertion(old: str, new: str, *, joined: bool = True) -> tuple[str, str, str] | None:
    """What was only put in or only taken out: "or by post", "except …" in an item of a list, "or" for "and".

    Returns what that is (exception, condition or words), and the words that only the old and only the new text has.

    Args:
        joined: whether that may be a thing more or less of a list.
    """
    texts = [text.split() for text in (old, new)]
    words = [content(" ".join(text)) - _LIGHT for text in texts]
    joins = [Counter(word for word in tokens(" ".join(text)) if word in ("and", "or")) for text in texts]
    if words[0] == words[1] and joins[0].total() == joins[1].total() and joins[0] != joins[1]:
        old, new = (" ".join((side - other).elements()) for side, other in (joins, reversed(joins)))
        return WORDS, old, new
    if words[0] < words[1] or words[1] < words[0]:
        added = _words_put_in(*texts) if words[0] < words[1] else ""
        gone = _words_put_in(*reversed(texts)) if words[1] < words[0] else ""
        said = set(tokens(added + gone))
        several = len(words[0] ^ words[1]) >= _SEVERAL
        if said & (_EXCEPTING | OPENING) or several or (joins[0] != joins[1] and joined):
            what = EXCEPTION if said & _EXCEPTING else CONDITION if said & OPENING else WORDS
            return what, gone, added
    return None


def _words_put_in(before: Sequence[str], after: Sequence[str]) -> str:
    """The words of a text that another one has not, in order."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return " ".join(" ".join(after[k:m]) for kind, _, _, k, m in matcher.get_opcodes() if kind != "equal").strip(" ,;")


def edit_kind(old: str, new: str) -> str:
    """What an edit of a sentence changes: its value, date, modality, exception, condition, else its words."""
    if not same_figures(old, new):
        return changed_figure(old, new) or VALUE
    if content(old) == content(new) and forces_of(old) != forces_of(new):
        return MODALITY
    longer, other = (plain(text) for text in sorted((old, new), key=len, reverse=True))
    matcher = SequenceMatcher(None, other.split(), longer.split(), autojunk=False)
    last = max((end for kind, *_, end in matcher.get_opcodes() if kind != "equal"), default=0)
    until = len(" ".join(longer.split()[:last]))
    opened = [one for one in find_markers(longer, 0, len(longer)) if one.start < until and not one.neutral]
    return WORDS if not opened else EXCEPTION if opened[-1].negated else CONDITION


def leaf_key(leaf: Leaf) -> frozenset[str]:
    """What a leaf says: its words but those of grammar, and whether it denies."""
    return (content(leaf.words) - _LIGHT) | (_DENIALS & set(tokens(leaf.words)))


def base_words(text: str) -> frozenset[str]:
    """The base forms of its words but those of grammar."""
    return lemmas(" ".join(word for word in tokens(text) if content(word)))


def swapped(old: str, new: str) -> tuple[str, str] | None:
    """The words of one text that the other has not, in order, where both have such; of verbs that say much alone."""
    sides = [base_words(text) for text in (old, new)]
    alone = [
        " ".join(dict.fromkeys(word for word in tokens(text) if _is_alone(word, other)))
        for text, other in zip((old, new), reversed(sides), strict=True)
    ]
    return (alone[0], alone[1]) if all(alone) else None


def _is_alone(word: str, others: frozenset[str]) -> bool:
    light = stem(word) in _LIGHT or stem(word) in _FORCES
    return not light and bool(content(word)) and not lemmas(word) & others


def forces_of(text: str) -> set[str]:
    """What the words of a text do: demand, allow, advise or deny."""
    return {_FORCES[word] for word in map(stem, tokens(text)) if word in _FORCES}


def condition_form(condition: Condition | None, *, exceptions: bool = False) -> object:
    """What the leaves say and how they are joined, whatever their order: those that have to hold, with ``exceptions``
    all of them; None without any."""

    def leaf(one: Leaf) -> object:
        return leaf_key(one)

    def group(kind: str, parts: list[object]) -> object:
        held = frozenset(parts) - {None}
        if not held or (kind == "not" and not exceptions):
            return None
        return (kind, held) if kind == "not" or len(held) > 1 else next(iter(held))

    return None if condition is None else fold(condition, leaf, group)


@lru_cache(maxsize=10_000)
def figures(text: str) -> frozenset[tuple[str, float, str, str]]:
    """The numbers, dates and amounts of a text, but "one": each end of a quantity as unit, value, bound (empty for a
    plain value) and period; other words with digits, and days by name, as they are."""
    found: set[tuple[str, float, str, str]] = set()
    quantities, rest = _quantities(text)
    for one in quantities:
        number = ("GBP" if one.unit == "pound" else "", 1)
        unit, times = {"age": ("month", 12), "number": number}.get(one.kind, (one.unit, 1))
        for end, bound, included in ((one.low, "from", one.low_included), (one.high, "to", one.high_included)):
            if end is not None and (one.kind != "number" or end != 1 or not one.exact):
                found.add((unit, times * end, "" if one.exact else f"{bound} {included}", one.period))
    return frozenset(found | {(word, 0.0, "", "") for word in tokens(rest) if _is_figure(word)})


def _quantities(text: str) -> tuple[list[Quantity], str]:
    """The quantities of a text, but "a week" and "any year", and the text without them."""
    said = rest = (text[:1].lower() + text[1:]).replace("twice", "two times")
    found = [one for one in find_quantities(said) if said[one.start : one.end].partition(" ")[0] not in _ANY]
    for one in reversed(found):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    return found, rest


def _is_figure(word: str) -> bool:
    return word in DAYS or any(map(str.isdigit, word))


def changed_figure(old: str, new: str) -> str | None:
    """What differs where all other words are the same: "date", "value", or None where other words differ, or none."""
    words = [{word for word in tokens(_quantities(text)[1]) if not _is_figure(word)} for text in (old, new)]
    differing = figures(old) ^ figures(new)
    if not differing or words[0] != words[1]:
        return None
    return DATE if all(unit in _OF_DATES or unit in DAYS for unit, *_ in differing) else VALUE


def same_figures(one: str, other: str) -> bool:
    """Whether the figures of texts may be the same; a bound or period that one of them lacks may not have been read."""
    sides = figures(one), figures(other)
    return all(
        any(a[:2] == b[:2] and all(x == y or not x or not y for x, y in zip(a[2:], b[2:], strict=True)) for b in there)
        for here, there in (sides, sides[::-1])
        for a in here
    )
