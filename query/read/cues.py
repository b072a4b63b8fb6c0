"""Words by which a text says itself that it does not plainly hold now: each leaves a doubt about what is read there.

"You might get it", "some people think", "ministers plan", "used to cost", "from 2030", "hardly anyone", "for example".
A cue that the question has, too, is what it asks for.
"""

from __future__ import annotations

import re
from datetime import date

from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.language.words import word_set
from clausegraph.query.read.figures import is_one_of
from clausegraph.query.read.meeting import said, uncovered
from clausegraph.query.read.statements import ReadStatement

_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october"]
_MONTHS += ["november", "december"]
_DATE = rf"(?:(?P<day>\d{{1,2}})\s+)?(?:(?P<month>{'|'.join(_MONTHS)})\s+)?(?P<year>(?:19|20)\d\d)\b"
_STARTS = re.compile(rf"\b(?:from|after|since|starting|as of)\s+(?:on\s+)?{_DATE}", re.IGNORECASE)
_ENDS = re.compile(rf"\b(?:until|till|before|up to|to|ended(?: (?:on|in))?)\s+{_DATE}", re.IGNORECASE)
_CUES = (
    (
        "it is said to be so only as a rule",
        r"\b(?:usually|normally|generally|typically|mostly|often|sometimes|in (?:most|some|many) cases)\b",
    ),
    (
        "it is said to be only possible",
        r"\b(?:might|could|perhaps|maybe|possibly|probably|likely|may (?:also |still |not |then )?(?:be|have|need)"
        r"|depend(?:s|ing) on)\b",
    ),
    ("it holds hardly ever", r"\b(?:rarely|hardly|seldom|scarcely|barely|exceptional(?:ly)?)\b"),
    (
        "it is what somebody says or thinks",
        r"\b(?:(?:people|some|many|others|they|critics|campaigners|ministers|experts) (?:\w+ly )?"
        r"(?:think|believe|say|argue|suggest|claim|assume|expect|hope)|it is (?:\w+ )?(?:said|thought|believed|claimed"
        r"|rumou?red|expected|hoped|true|false)|according to|not true|untrue|myth)\b",
    ),
    (
        "it is only planned",
        r"\b(?:(?:ministers?|government|council|minister|we|they|authority|parliament) (?:\w+ly )?(?:(?:is|are) )?"
        r"(?:plan|intend|propose|consider|consult|aim)(?:s|ned|ed|d|ning|ing)?|planned|proposed|proposals?|draft"
        r"|consultation)\b",
    ),
    (
        "it is past",
        r"(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bbeen )\bused to (?!be used)|\b(?:formerly|previously"
        r"|in the past|at one time|once was)\b",
    ),
    ("it is an example", r"\b(?:for example|for instance|e\.g\.|imagine|suppose)|^\s*examples?\b"),
)
_CUED = tuple((doubt, re.compile(pattern, re.IGNORECASE)) for doubt, pattern in _CUES)
_UNCERTAIN = re.compile(
    r"\bmay (?!(?:also |still |then )?(?:get|have|claim|buy|order|take|keep|use|borrow|bring|choose)\b)(?=[a-z])"
    r"|\b(?:was|were|had)\b"
)  # of a value; "in May" is a month, and what one may have is no doubt about how much
_TIMES = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:was|were|did|last|next|used to|before|will|going to|previous\w*)\b", re.IGNORECASE
)
_ABOUT = re.compile(r"\b(?:about|around|approximately|roughly|nearly|almost)\s+£?$", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:not|no longer|never|neither|nor|cannot|without|instead of|rather than)\b|n['’]t\b", re.IGNORECASE
)
BOUNDED = re.compile(r"\b(?:no|not) (?:more|less|later|earlier|fewer|longer) than\b", re.IGNORECASE)
"""A bound in words that deny: no more than."""
FREE = re.compile(r"\b(?:free|no (?:fee|charge|cost)|not (?:have to )?pay)\b", re.IGNORECASE)
"""Words that say that nothing is to be paid."""
_ANYBODY = word_set("anyone anybody everyone everybody someone person people aged only just you your own other")
_PRONOUN = re.compile(r"(?:it|they|this|that|these)\b", re.IGNORECASE)
_SOMEBODY = re.compile(r"(?:the|your) \w+", re.IGNORECASE)
_THEY = re.compile(r"\bthey\b", re.IGNORECASE)


def cued(text: str, question: str, today: date) -> list[str]:
    """A doubt for each kind of cue that a text has and the question has not, and for a time that is over or to come."""
    doubts = [doubt for doubt, cue in _CUED if cue.search(text) and not cue.search(question)]
    if any(_day(found) > today for found in _STARTS.finditer(text)):
        doubts.append("it is still to come")
    if any(_day(found) < today for found in _ENDS.finditer(text)):
        doubts.append("it is past")
    return list(dict.fromkeys(doubts))


def is_of_now(text: str, question: str, today: date) -> bool:
    """Whether a row or sentence is not of a time that is over or to come, unless a question asks for such a time."""
    if _TIMES.search(question):
        return True
    return not any(_day(found) > today for found in _STARTS.finditer(text)) and not any(
        _day(found) < today for found in _ENDS.finditer(text)
    )


def is_time(text: str) -> bool:
    """Whether a text says from when or until when: "From 6 April 2026"."""
    return bool(_STARTS.search(text) or _ENDS.search(text))


def _day(found: re.Match[str]) -> date:
    """The first day that a date can mean."""
    month = _MONTHS.index(found["month"].lower()) + 1 if found["month"] else 1
    day = int(found["day"]) if found["day"] and found["month"] else 1
    return date(int(found["year"]), month, min(max(day, 1), 28))


def denied(before: str, text: str, question: str) -> list[str]:
    """A doubt where a value is negated, past, only possible or roughly said, or given as what is not to be paid.

    Args:
        before: its sentence up to it.
        text: all of its sentence, without its conditions.
    """
    kept = BOUNDED.sub(" ", text)
    doubts = []
    if _NOT.search(kept) and not _NOT.search(question):
        doubts.append("the value stands beside a “not”")
    if FREE.search(kept) and not FREE.search(question):
        doubts.append("something is said to be free there")
    if _UNCERTAIN.search(text) or _ABOUT.search(before):
        doubts.append("the value is only possible, past or roughly said")
    return doubts


def subject_of(statement: ReadStatement) -> str:
    """Of whom or what a statement, or the list that it is of, is said."""
    says = statement.lead if statement.lead.rstrip().endswith(":") else main_clause(statement)
    return split_proposition(_STARTS.sub(" ", _ENDS.sub(" ", says)).strip(" ,")).subject


def of_others(statement: ReadStatement, told: str) -> list[str]:
    """A doubt where a statement is about somebody or something that neither question nor scenario names."""
    subject = subject_of(statement)
    if is_one_of(subject, told):
        return []
    if _PRONOUN.match(subject) or (_SOMEBODY.fullmatch(subject) and _THEY.search(told)):  # "can they …?": whoever it is
        return []
    names = uncovered(frozenset(w for w in said(subject) if not (w in _ANYBODY or w[0].isdigit())), told)
    return [f"it is said of “{subject}”"] if names else []


def main_clause(statement: ReadStatement) -> str:
    """The words of a statement without its conditions."""
    first, last = statement.parsed.main
    return statement.candidate.element.text[first:last] or statement.text
