"""How two names can be one name written in two ways, and what tells names apart however alike they look."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from clausegraph.core.language.definitions import initials
from clausegraph.core.language.lexicon import DENIALS, MONTHS, NUMBERS, SHORT_MONTHS, WEEKDAYS, word_set

_NUMBER_WORDS = word_set(
    "sixty seventy eighty ninety hundred thousand million billion half quarter third double single both first second "
    "fourth fifth sixth seventh eighth ninth tenth last next previous"
) | set(NUMBERS)
_DATE_WORDS = word_set("sept spring summer autumn winter") | {*MONTHS, *SHORT_MONTHS, *WEEKDAYS}
_DENIALS = (DENIALS - {"none"}) | word_set("non without except former ex unless other another")
_PERIODS = word_set("hourly daily weekly fortnightly monthly quarterly yearly annual annually day week month year")
_ROMAN = re.compile(r"(?:x{0,3})(?:ix|iv|v?i{1,3}|v)")  # i to xxxix; a lone x is a single letter anyway
_NEGATING = word_set("un in im il ir dis non non- ex- mis anti- self- pre- post- sub-")
_OPPOSITES = tuple(
    frozenset(pair.split("/"))
    for pair in word_set(
        "maternity/paternity maternal/paternal mother/father husband/wife man/woman male/female son/daughter "
        "employer/employee landlord/tenant buyer/seller lender/borrower owner/renter parent/child adult/child "
        "minimum/maximum min/max lower/higher lower/upper low/high before/after start/end early/late more/less "
        "full/part full-time/part-time public/private domestic/foreign inside/outside increase/decrease old/new "
        "north/south east/west income/expense debit/credit temporary/permanent fixed/variable paid/unpaid "
        "to/from over/under above/below up/down in/out on/off into/out within/outside with/without for/against"
    )
)
_JOINING = word_set("and or")
_LINKING = word_set(
    "of for the in on at to a an with by from under over about into within outside against before after"
)
_TELLING = word_set("against before after outside within under over from by about")  # links that are not exchanged
_FUNCTION_WORDS = _JOINING | _LINKING
_DANGLING = _JOINING | word_set("of for in on at to with by from as about")  # at the ends of a name: cut off with it
_TOTAL = word_set("all any every each own also")  # "all immigration advisers" are immigration advisers
_PRONOUNS = word_set("i you we they he she it me us them him who whom which that this these those your our their")
_ARTICLES = word_set("a an the your our their his her its my this")
_PART = re.compile(r"[^\W_]+(?:[.,'][^\W_]+)*%?|[£$€]\S+")
_SPELLINGS = tuple(  # British and American ways
    (re.compile(pattern), written)
    for pattern, written in (
        (r"is(e|er|ing|ed|ation|ations)$", r"iz\1"),
        (r"yse(r?)$", r"yze\1"),
        (r"(?<=[a-z]{2})our$", "or"),
        (r"(?<=[a-z]{2})tre$", "ter"),
        (r"ense$", "ence"),
        (r"ogramme$", "ogram"),
        (r"ogue$", "og"),
        (r"ll(?=ed$|ing$|er$)", "l"),
    )
)
_VERBAL_NOUN = re.compile(r"(?:ations?|ments?|ings?|ions?)$")
_SHORTEST_STEM = 4


class Variant(StrEnum):
    """In what two ways of writing one name differ."""

    ACRONYM = "acronym"  # one has its own initials with it: "Public Guardian Office (PGO)"
    ABBREVIATION = "abbreviation"  # one is made of the other's initials
    WORDING = "wording"  # small words, spelling: "change of circumstances", "change in circumstances"
    ORDER = "order"  # "adoption process", "process of adoption"


def may_be_same(one: str, other: str) -> bool:
    """False when two entity keys differ in what tells things apart: numbers, dates, letters, negation, opposites.

    "form 12" and "form 13", "2019" and "2020", "band b" and "band c", "resident" and "non-resident" never are.
    """
    mine, theirs = set(one.split()), set(other.split())
    left, right = mine - theirs, theirs - mine
    if any(_tells_apart(word) for word in left | right) or (left and right and _TELLING & (left | right)):
        return False
    if {frozenset(left), frozenset(right)} == {frozenset({"and"}), frozenset({"or"})}:
        return False
    return not any(_opposed(a, b) for a in left for b in right)


def _tells_apart(word: str) -> bool:
    return (
        any(letter.isdigit() for letter in word)
        or (len(word) == 1 and word.isalpha())
        or word in _NUMBER_WORDS
        or word in _DATE_WORDS
        or word in _DENIALS
        or word in _PERIODS
        or bool(_ROMAN.fullmatch(word))
    )


def _opposed(one: str, other: str) -> bool:
    negated = any(one == prefix + other or other == prefix + one for prefix in _NEGATING)
    return negated or frozenset((one, other)) in _OPPOSITES


# --- one name in two ways -------------------------------------------------------------------------


def signature(key: str) -> tuple[str, ...]:
    """What all ways of writing a name share: the stems of its content words, sorted; empty for what is no name.

    Names of equal signature are compared by :func:`variant`; nothing else need be, but for abbreviations.
    """
    words = _plain(key)
    if _PRONOUNS & set(words):
        return ()
    return tuple(sorted(stem(word) for word in _content(words)))


def variant(one: str, other: str) -> Variant | None:
    """In what two keys of equal signature differ; None where that may make them two things."""
    mine, theirs = _plain(one), _plain(other)
    if not may_be_same(" ".join(mine), " ".join(theirs)):
        return None
    if mine == theirs:
        return (
            Variant.ACRONYM if any(_without_acronym(p) != p for p in (_parts(one), _parts(other))) else Variant.WORDING
        )
    (first, links), (second, other_links) = _stems(mine), _stems(theirs)
    if first == second and len(links) == len(other_links):
        return Variant.WORDING  # other small words, or another spelling
    if _swapped_about_and(mine, theirs):
        return Variant.ORDER
    # "process of adoption" is an "adoption process", and "child for adoption" is no "child adoption"
    turned = any(first == second[i:] + second[:i] for i in range(1, len(second)))
    return Variant.ORDER if turned and abs(len(links) - len(other_links)) == 1 else None


def stem(word: str) -> str:
    """A word without what British and American spelling, or a verb and its noun, tell apart."""
    for pattern, written in _SPELLINGS:
        word = pattern.sub(written, word)
    found = _VERBAL_NOUN.search(word)
    if found and found.start() >= _SHORTEST_STEM:
        word = word[: found.start()]
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM else word


def _parts(key: str) -> list[str]:
    return _PART.findall(key.replace("-", " "))


def _plain(key: str) -> list[str]:
    """The words of a key without its own initials, words of totality, and small words at its ends."""
    words = [word for word in _without_acronym(_parts(key)) if word not in _TOTAL]
    while words and words[0] in _DANGLING:
        words = words[1:]
    while words and words[-1] in _DANGLING:
        words = words[:-1]
    return words


def _without_acronym(words: list[str]) -> list[str]:
    """Without a word that is made of the initials of the words right before it."""
    for i, word in enumerate(words):
        before = words[max(0, i - len(word) - 2) : i]
        if len(word) > 1 and any(word in initials(" ".join(before[j:])) for j in range(max(0, len(before) - 1))):
            return words[:i] + words[i + 1 :]
    return words


def _content(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in _FUNCTION_WORDS]


def _stems(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Stems of the content words in order, and the linking words."""
    return [stem(word) for word in _content(words)], [word for word in words if word in _LINKING]


def _swapped_about_and(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """ "land and property" and "property and land", each side whole."""
    for joining in _JOINING & set(mine):
        i = mine.index(joining)
        for other in _JOINING & set(theirs):
            j = theirs.index(other)
            if Counter(mine) - Counter([joining]) == Counter(theirs) - Counter([other]):
                return list(mine[:i]) == list(theirs[j + 1 :]) and list(mine[i + 1 :]) == list(theirs[:j])
    return False
