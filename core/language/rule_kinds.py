"""What a clause rules: its kinds, by modal words, verbs and values; the main one first."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clausegraph.core.language.lexicon import IMPERATIVES, phrases
from clausegraph.core.language.modals import ModalClass, modal_uses
from clausegraph.core.language.normalise import expand
from clausegraph.core.language.values import Value, find_values
from clausegraph.core.types import RuleKind

VERSION = 1  # raise it with every change of what is read as a rule: every page is then derived again

_GETS = r"(?:get|claim|apply|qualify|receive|join|count|be (?:eligible|entitled|paid|covered)|have (?:it|this|access))"
_ADVERBS = r"(?:also|still|usually|normally|only|then|both|not)"
_CANNOT = r"(?:cannot|will not|do not|does not|may not|not able to|no longer|never)"
_GIVEN = (
    r"(?:eligible|entitled|available|payable|covered|accepted|included|counted|allowed|considered|refunded|given|paid"
    r"|funded|refundable|transferable)"
)
_HARM = (
    r"(?:fined|lose|stop|stopped|end|ended|cancel|cancelled|reduced?|refused?|rejected?|prosecuted|withdrawn?|charged"
    r"|disqualified|dismissed|removed?|suspended?|evicted|deducted?|repay|pay (?:it |this |the money )?back"
    r"|terminated?|revoked?|delayed|get a fine)"
)
# In this order: the first that a clause matches is its main kind.
_KINDS: tuple[tuple[RuleKind, str], ...] = (
    (
        RuleKind.CONTACT,
        r"\b0\d[\d ]{7,}\d|[\w.+-]+@[\w-]+\.\w|\b(?:helpline|opening hours|text ?phone|telephone)\b"
        r"|^\W*(?:contact|call|phone|ring|email|write to|visit) (?:us|the|our|your)\b",
    ),
    (
        RuleKind.DEFINITION,
        r"[\"'”)\w] means\b|\b(?:is|are) (?:defined as|known as|called)\b|\bcounts? as\b|\brefers? to (?:an?|the|any)\b"
        r"|\b(?:is|are) (?:someone|anyone|a person|people|any|an? [\w' -]+) (?:who|that|which|where|for)\b"
        r"|^\W*\w[\w' -]{2,40} (?:is|are) not [\w' -]+$|\bincludes?\s*:?\s*$|\bfor the purposes? of\b|\b[wW]e call\b",
    ),
    (
        RuleKind.EXCLUSION,
        rf"\b{_CANNOT} (?:{_ADVERBS} )?(?:be able to )?{_GETS}\b|\bineligible\b|\bno (?:right|entitlement) to\b"
        rf"|\b(?:not|never|no longer) (?:\w+ )?{_GIVEN}\b|\b(?:is|are) (?:excluded|ruled out|exempt)\b"
        r"|\b(?:does|do) not (?:apply|cover|include|count|qualify)\b|\bexcludes?\b|\b(?:refuse|reject)(?:s|d|ed)?\b"
        r"|\b(?:will|do|does|can)(?: ?not|n't) (?:pay for|give|offer|issue|fund|accept|consider|refund)\b"
        r"|\b(?:there is|you get|you have) no (?!charge|fee|cost)\w+",
    ),
    (
        RuleKind.CONSEQUENCE,
        rf"\b(?:will|may|might|can|could|must) (?:\w+ )?(?:be |have your [\w ]+ )?{_HARM}\b|\bpenalt(?:y|ies)\b"
        r"|\b(?:stops|ends|lapses|is (?:lost|cancelled|stopped|suspended|withdrawn|void|treated as))\b"
        r"|\b(?:failure to|failing to)\b",
    ),
    (
        RuleKind.ELIGIBILITY,
        rf"\b(?:can|could|may|might) (?:{_ADVERBS} )*(?:be able to )?{_GETS}\b|\bqualif(?:y|ies)\b"
        r"|\b(?:is|are|be) (?:\w+ )?(?:eligible|entitled)\b|\b(?:is|are) (?:\w+ )?(?:open|available|for) (?:to |for )?"
        r"(?:people|anyone|those|all|any|you|students|residents|employees|staff|families|households)\b"
        r"|\b(?:has|have) (?:the|a) right to\b|\bonly [\w' -]+ (?:can|may)\b",
    ),
    (
        RuleKind.AMOUNT,
        r"\b(?:no|free of) (?:charge|fee|cost)\b|\bfree\b(?! to)|\bnot (?:be )?refund|\brefund(?:ed|able)\b"
        r"|\btax(?:ed|able|-free)\b",
    ),
)
_SAYS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)
_LIMITS = re.compile(  # before a date or duration: when something has to be done, begins or ends
    r"\b(?:within|by|before|no later than|not later than|until|after|due|from|at least|in advance|every|up to|lasts?"
    r"|valid for|expires?|closes?|opens?|takes?|deadline[\w ]*)\s+(?:the |on |about |at |in |a |an )*$",
    re.IGNORECASE,
)
_AFTER_LIMIT = phrases("notice|in advance|before|after")
_NEAR = 30  # characters before and after a value
_NO_NEED = phrases(r"no (?:[\w-]+ ){1,4}(?:is|are) (?:needed|required|necessary)|(?:is|are) (?:allowed|permitted)")
_STATE = phrases("(?:must|need to|has to|have to) (?:also )?(?:be|have|live|hold|own|meet|earn|normally live|work)")
_ELIGIBLE_HEADING = phrases("who (?:can|is|may)|eligib(?:le|ility)|qualif(?:y|ies|ying)|entitle(?:d|ment)|conditions?")
_STEPS_HEADING = phrases("how to|how you|steps?|stages?|process|procedure|applying|what happens")
_OUTCOME = phrases("will|would|may|might|otherwise")
_ABOUT_PAGE = phrases("(?:last |page )(?:updated|reviewed|published|checked)")
_MODAL_KINDS = {
    ModalClass.PROHIBITION: RuleKind.PROHIBITION,
    ModalClass.OBLIGATION: RuleKind.DUTY,
    ModalClass.ADVICE: RuleKind.DUTY,
    ModalClass.EXEMPTION: RuleKind.PERMISSION,
    ModalClass.PERMISSION: RuleKind.PERMISSION,
    ModalClass.MAY: RuleKind.PERMISSION,
}
_SUMS, _TIMES = ("amount", "percent"), ("date", "duration")


@dataclass(frozen=True, slots=True)
class RuledClause:
    """A clause without its condition, and where it stands. ``excepts``: its condition names an exception."""

    text: str
    has_condition: bool = False
    excepts: bool = False
    heading: str = ""
    is_possible: bool = False  # "may", "can" and "could" say that it may come about, and not that it is allowed

    @property
    def values(self) -> list[Value]:
        """What it says how much, when or for how long."""
        return [value for value in find_values(self.text) if value.kind not in ("number", "text")]


def _is_limit(text: str, value: Value) -> bool:
    """Whether a date or duration limits when something is done: "within 30 days", "up to 4 weeks"."""
    opening = text[max(0, value.start - _NEAR) : value.start]
    own = value.text.lower().startswith(("up to", "at least", "no more than"))
    follows = _AFTER_LIMIT.search(text[value.end : value.end + _NEAR])
    return value.kind in _TIMES and (own or follows is not None or _LIMITS.search(opening) is not None)


def kinds_of(clause: RuledClause) -> tuple[RuleKind, ...]:
    """The kinds of a clause, the main one first; none of one that rules nothing."""
    said = expand(clause.text)
    if _ABOUT_PAGE.search(said):
        return ()
    matched = {kind for kind, pattern in _SAYS if pattern.search(said)}
    modal = next(modal_uses(said), None)
    first = said.strip(" -•").lower().split(maxsplit=1)[:1]
    orders = bool(first) and first[0] in IMPERATIVES
    ruled = _MODAL_KINDS.get(modal.kind) if modal else RuleKind.DUTY if orders else None
    comes_about = ruled is RuleKind.PERMISSION and clause.is_possible  # "this can affect how much you get"
    ruled = None if comes_about else ruled
    if _NO_NEED.search(said):
        ruled = RuleKind.PERMISSION
    if said.lower().startswith(("do not ", "never ")):
        ruled = RuleKind.PROHIBITION
    requires = _STATE.search(said) is not None
    of_whom = _ELIGIBLE_HEADING.search(clause.heading) is not None
    if of_whom and (requires or ruled is RuleKind.PERMISSION):
        matched.add(RuleKind.ELIGIBILITY)
    found: dict[RuleKind, None] = {}
    found |= {kind: None for kind, _ in _KINDS if kind in matched and kind is not RuleKind.AMOUNT}
    kinds = {value.kind for value in clause.values}
    if any(_is_limit(clause.text, value) for value in clause.values):
        found[RuleKind.DEADLINE] = None
    if kinds.intersection(_SUMS) or RuleKind.AMOUNT in matched:
        found[RuleKind.AMOUNT] = None
    if ruled is not None and not (ruled is RuleKind.PERMISSION and RuleKind.CONSEQUENCE in found):
        found[ruled] = None
    if not found and kinds.intersection(_TIMES):
        found[RuleKind.DEADLINE] = None
    more = (
        (
            RuleKind.CONSEQUENCE,
            (clause.has_condition or comes_about) and (not found or _OUTCOME.search(said) is not None),
        ),
        (RuleKind.ELIGIBILITY, bool(found) and (requires or of_whom)),
        (RuleKind.EXCLUSION, bool(found) and clause.excepts),
        (RuleKind.STEP, orders and _STEPS_HEADING.search(clause.heading) is not None),
    )
    return tuple(found | {kind: None for kind, holds in more if holds})
