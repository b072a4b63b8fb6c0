"""Hedges and tense markers (might, some people think, planned, until 2030) that lower the probability of an answer."""

from __future__ import annotations

import re
from datetime import date

from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.propositions import split_proposition
from clausegraph.query.read.figures import is_one_of
from clausegraph.query.read.statements import ReadStatement
from clausegraph.query.read.word_match import missing_terms, terms

_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october"]
_MONTHS += ["november", "december"]
_DATE = rf"(?:(?P<day>\d{{1,2}})\s+)?(?:(?P<month>{'|'.join(_MONTHS)})\s+)?(?P<year>(?:19|20)\d\d)\b"
_STARTS = re.compile(rf"\b(?:from|after|since|starting|as of)\s+(?:on\s+)?{_DATE}", re.IGNORECASE)
_ENDS = re.compile(rf"\b(?:until|till|before|up to|to|ended(?: (?:on|in))?)\s+{_DATE}", re.IGNORECASE)
_HEDGES = re.compile(
    r"\b(?:usually|normally|generally|typically|mostly|often|sometimes|in (?:most|some|many) cases"
    r"|might|could|perhaps|maybe|possibly|probably|likely|may (?:also |still |not |then )?(?:be|have|need)"
    r"|rarely|hardly|seldom|scarcely|barely|exceptional(?:ly)?"
    r"|(?:people|some|many|others|they|critics|campaigners|ministers|experts) (?:\w+ly )?"
    r"(?:think|believe|say|argue|suggest|claim|assume|expect|hope)|it is (?:\w+ )?(?:said|thought|believed|claimed"
    r"|rumou?red|expected|hoped|true|false)|according to|not true|untrue|myth"
    r"|(?:ministers?|government|council|minister|authority|parliament) (?:\w+ly )?(?:(?:is|are) )?"
    r"(?:plan|intend|propose|consider|consult|aim)(?:s|ned|ed|d|ning|ing)?|planned|proposed|proposals?|draft"
    r"|consultation|(?<!is )(?<!are )(?<!be )(?<!been )used to (?!be used)|formerly|previously|in the past"
    r"|for example|for instance|imagine|suppose)\b",
    re.IGNORECASE,
)
"""The words by which a text says that it does not plainly hold: as a rule, perhaps, hardly, reported, planned, past."""
_UNCERTAIN = re.compile(
    r"\bmay (?!(?:also |still |then )?(?:get|have|claim|buy|order|take|keep|use|borrow|bring|choose)\b)(?=[a-z])"
    r"|\b(?:was|were|had)\b|\b(?:about|around|approximately|roughly|nearly|almost)\s+£?\d"
    r"|\b(?:not|no longer|never)\b(?:\s+\w+){0,2}\s+£?\d"
)
_TIMES = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:was|were|did|last|next|used to|before|will|going to|previous\w*)\b", re.IGNORECASE
)
BOUNDED = re.compile(r"\b(?:no|not) (?:more|less|later|earlier|fewer|longer) than\b", re.IGNORECASE)
"""A bound in words that deny: no more than."""
FREE = re.compile(r"\b(?:free|no (?:fee|charge|cost)|not (?:have to )?pay)\b", re.IGNORECASE)
"""Words that say that nothing is to be paid."""
_ANYBODY = word_set("anyone anybody everyone everybody someone person people aged only just you your own other")
_PRONOUN = re.compile(r"(?:it|they|this|that|these)\b", re.IGNORECASE)
_SOMEBODY = re.compile(r"(?:the|your) \w+", re.IGNORECASE)
_THEY = re.compile(r"\bthey\b", re.IGNORECASE)


def is_hedged(text: str, question: str, today: date) -> bool:
    """Whether a text says that it does not plainly hold, or not now, in words that the question does not have."""
    hedges = {found[0].lower() for found in _HEDGES.finditer(text)} - {f[0].lower() for f in _HEDGES.finditer(question)}
    return bool(hedges) or any(_day(found) > today for found in _STARTS.finditer(text)) or _is_over(text, today)


def is_uncertain(text: str) -> bool:
    """Whether the place of a value denies it, or says it only as possible, past or roughly."""
    return bool(_UNCERTAIN.search(BOUNDED.sub(" ", text)))


def _is_over(text: str, today: date) -> bool:
    return any(_day(found) < today for found in _ENDS.finditer(text))


def is_of_now(text: str, question: str, today: date) -> bool:
    """Whether a row or sentence is not of a time that is over or to come, unless a question asks for such a time."""
    if _TIMES.search(question):
        return True
    return not any(_day(found) > today for found in _STARTS.finditer(text)) and not _is_over(text, today)


def is_time(text: str) -> bool:
    """Whether a text says from when or until when: "From 6 April 2026"."""
    return bool(_STARTS.search(text) or _ENDS.search(text))


def _day(found: re.Match[str]) -> date:
    """The first day that a date can mean."""
    month = _MONTHS.index(found["month"].lower()) + 1 if found["month"] else 1
    day = int(found["day"]) if found["day"] and found["month"] else 1
    return date(int(found["year"]), month, min(max(day, 1), 28))


def subject_of(statement: ReadStatement) -> str:
    """Of whom or what a statement, or the list that it is of, is said."""
    says = statement.lead if statement.lead.rstrip().endswith(":") else main_clause(statement)
    return split_proposition(_STARTS.sub(" ", _ENDS.sub(" ", says)).strip(" ,")).subject


def is_of_others(statement: ReadStatement, user_text: str) -> bool:
    """Whether a statement is about somebody or something that neither question nor scenario names."""
    subject = subject_of(statement)
    if (
        is_one_of(subject, user_text)
        or _PRONOUN.match(subject)
        or (_SOMEBODY.fullmatch(subject) and _THEY.search(user_text))
    ):
        return False  # "can they …?": whoever it is
    return bool(missing_terms(frozenset(w for w in terms(subject) if not (w in _ANYBODY or w[0].isdigit())), user_text))


def main_clause(statement: ReadStatement) -> str:
    """The words of a statement without its conditions."""
    first, last = statement.parsed.main
    return statement.candidate.element.text[first:last] or statement.text
