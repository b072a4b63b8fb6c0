"""How two names can be one name written in two ways, and what tells names apart however alike they look."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from clausegraph.core.language.definitions import initials
from clausegraph.core.language.lexicon import DENIALS, MONTHS, NUMBERS, SHORT_MONTHS, WEEKDAYS, word_set

_TELLING_WORDS = word_set(  # numbers, dates, denials, periods
    "sixty seventy eighty ninety hundred thousand million billion half quarter third double single both first second "
    "fourth fifth sixth seventh eighth ninth tenth last next previous "
    "sept spring summer autumn winter "
    "non without except former ex unless other another "
    "hourly daily weekly fortnightly monthly quarterly yearly annual annually day week month year"
) | {*NUMBERS, *MONTHS, *SHORT_MONTHS, *WEEKDAYS, *(DENIALS - {"none"})}
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
_PART = re.compile(r"[^\W_]+(?:[.,'][^\W_]+)*%?|[£$€]\S+")
_SPELLINGS = (  # British and American ways
    (r"is(e|er|ing|ed|ation|ations)$", r"iz\1"), (r"yse(r?)$", r"yze\1"), (r"(?<=[a-z]{2})our$", "or"),
    (r"(?<=[a-z]{2})tre$", "ter"), (r"ense$", "ence"), (r"ogramme$", "ogram"), (r"ogue$", "og"),
    (r"ll(?=ed$|ing$|er$)", "l"),
)  # fmt: skip
_VERBAL_NOUN = re.compile(r"(?:ations?|ments?|ings?|ions?)$")
_SHORTEST_STEM = 4


class Variant(StrEnum):
    """In what two ways of writing one name differ."""

    ACRONYM = "acronym"  # one has its own initials with it: "Public Guardian Office (PGO)"
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
    is_number = any(letter.isdigit() for letter in word) or bool(_ROMAN.fullmatch(word))
    return is_number or (len(word) == 1 and word.isalpha()) or word in _TELLING_WORDS


def _opposed(one: str, other: str) -> bool:
    negated = any(one == prefix + other or other == prefix + one for prefix in _NEGATING)
    return negated or frozenset((one, other)) in _OPPOSITES


def signature(key: str) -> tuple[str, ...]:
    """What all ways of writing a name share: the stems of its content words, sorted; empty for what is no name.

    Names of equal signature are compared by :func:`variant`; nothing else need be.
    """
    words = _plain(key)
    if _PRONOUNS & set(words):
        return ()
    return tuple(sorted(_stems(words)))


def variant(one: str, other: str) -> Variant | None:
    """In what two keys of equal signature differ; None where that may make them two things."""
    mine, theirs = _plain(one), _plain(other)
    if not may_be_same(" ".join(mine), " ".join(theirs)):
        return None
    if mine == theirs:
        has_acronym = any(_without_acronym(words) != words for words in (_parts(one), _parts(other)))
        return Variant.ACRONYM if has_acronym else Variant.WORDING
    first, second = _stems(mine), _stems(theirs)
    more_links = sum(word in _LINKING for word in mine) - sum(word in _LINKING for word in theirs)
    if first == second and not more_links:
        return Variant.WORDING  # other small words, or another spelling
    # "process of adoption" is an "adoption process", and "child for adoption" is no "child adoption"
    is_turned = any(first == second[i:] + second[:i] for i in range(1, len(second)))
    return Variant.ORDER if is_turned and abs(more_links) == 1 else None


def stem(word: str) -> str:
    """A word without what British and American spelling, or a verb and its noun, tell apart."""
    for pattern, written in _SPELLINGS:
        word = re.sub(pattern, written, word)
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


def _stems(words: Sequence[str]) -> list[str]:
    """Stems of the content words, in order."""
    return [stem(word) for word in words if word not in _FUNCTION_WORDS]
