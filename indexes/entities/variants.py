"""Which names can never stand for one entity, however alike they look, and which abbreviate each other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from clausegraph.core.language.words import word_set

_NUMBER_WORDS = word_set(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion half "
    "quarter third double single both first second fourth fifth sixth seventh eighth ninth tenth last next previous"
)
_DATE_WORDS = word_set(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter"
)
_DENIALS = word_set("not no non never without except former ex unless cannot neither nor other another")
_PERIODS = word_set("hourly daily weekly fortnightly monthly quarterly yearly annual annually day week month year")
_ROMAN = re.compile(r"(?:x{0,3})(?:ix|iv|v?i{1,3}|v)")  # i to xxxix; a lone x is a single letter anyway
_NEGATING = (
    "un",
    "in",
    "im",
    "il",
    "ir",
    "dis",
    "non",
    "non-",
    "ex-",
    "mis",
    "anti-",
    "self-",
    "pre-",
    "post-",
    "sub-",
)
_OPPOSITES = tuple(
    frozenset(pair.split("/"))
    for pair in word_set(
        "maternity/paternity maternal/paternal mother/father husband/wife man/woman male/female son/daughter "
        "employer/employee landlord/tenant buyer/seller lender/borrower owner/renter parent/child adult/child "
        "minimum/maximum min/max lower/higher lower/upper low/high before/after start/end early/late more/less "
        "full/part full-time/part-time public/private domestic/foreign inside/outside increase/decrease old/new "
        "north/south east/west income/expense debit/credit temporary/permanent fixed/variable paid/unpaid"
    )
)
_FUNCTION_WORDS = word_set("and of for the in on at to a an with by")


def may_be_same(one: str, other: str) -> bool:
    """False when two entity keys differ in what tells things apart: numbers, dates, letters, negation, opposites.

    "form 12" and "form 13", "2019" and "2020", "band b" and "band c", "resident" and "non-resident" never are.
    """
    mine, theirs = set(one.split()), set(other.split())
    left, right = mine - theirs, theirs - mine
    if any(_tells_apart(word) for word in left | right):
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


def initials(surface: str) -> Iterator[str]:
    """What a name of several words may be abbreviated to: with and without its function words, and with words
    in capitals or of two letters taken whole ("HM Revenue and Customs" → "hmrac", "hmrc", "hrac", "hrc")."""
    words = re.findall(r"[^\W_]+", surface)
    for chosen in (words, [word for word in words if word.lower() not in _FUNCTION_WORDS]):
        if len(chosen) > 1:
            yield "".join(word[0] for word in chosen).lower()
            yield "".join(word if _is_short_form(word) else word[0] for word in chosen).lower()


def _is_short_form(word: str) -> bool:
    return word.lower() not in _FUNCTION_WORDS and (len(word) <= 2 or (word.isupper() and len(word) <= 4))


def abbreviated(key: str, surfaces: Collection[str]) -> bool:
    """Whether a one-word key of at least two letters is made of the initials of one of the surfaces."""
    return len(key) > 1 and key.isalpha() and any(key in initials(surface) for surface in surfaces)
