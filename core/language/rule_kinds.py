"""What a clause rules: its kinds, by modal words, verbs and values; the main one first."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clausegraph.core.language.lexicon import IMPERATIVES, phrases
from clausegraph.core.language.modals import ModalClass, modal_uses
from clausegraph.core.language.normalise import expand
from clausegraph.core.language.values import Value, find_values
from clausegraph.core.types import RuleKind

_GETS = r"(?:get|claim|apply|qualify|receive|join|count|be (?:eligible|entitled|paid|covered)|have (?:it|this|access))"
_ADVERBS = r"(?:also|still|usually|normally|only|then|both|not)"
_CANNOT = r"(?:cannot|will not|do not|does not|may not|not able to|no longer|never)"
_HARM = (
    r"(?:fined|lose|stop|stopped|end|ended|cancel|cancelled|reduced?|refused?|rejected?|prosecuted|withdrawn?|charged"
    r"|disqualified|dismissed|removed?|suspended?|evicted|deducted?|repay|pay (?:it |this |the money )?back"
    r"|terminated?|revoked?|delayed|get a fine)"
)
# In this order: the first that a clause matches is its main kind.
_KINDS: tuple[tuple[RuleKind, str], ...] = (
    (RuleKind.CONTACT, r"\b0\d[\d ]{7,}\d|[\w.+-]+@[\w-]+\.\w|\b(?:helpline|opening hours|text ?phone|telephone)\b"),
    (
        RuleKind.DEFINITION,
        r"[\"'”)\w] means\b|\b(?:is|are) (?:defined as|known as|called)\b|\bcounts? as\b|\brefers? to (?:an?|the|any)\b"
        r"|\b(?:is|are) (?:someone|anyone|a person|people|any|an? [\w' -]+) (?:who|that|which|where|for)\b"
        r"|^\W*\w[\w' -]{2,40} (?:is|are) not [\w' -]+$|\bincludes?\s*:?\s*$",
    ),
    (
        RuleKind.EXCLUSION,
        rf"\b{_CANNOT} (?:{_ADVERBS} )?(?:be able to )?{_GETS}\b|\bineligible\b|\bno (?:right|entitlement) to\b"
        r"|\b(?:not|never) (?:\w+ )?(?:eligible|entitled|available|payable|covered|accepted|included)\b"
        r"|\b(?:is|are) (?:excluded|ruled out|exempt from)\b|\b(?:does|do) not (?:apply|cover|include|count)\b"
        r"|\bnot (?:pay for|give|offer|issue|fund|accept)\b",
    ),
    (
        RuleKind.CONSEQUENCE,
        rf"\b(?:will|may|might|can|could|must) (?:\w+ )?(?:be |have your [\w ]+ )?{_HARM}\b|\bpenalt(?:y|ies)\b"
        r"|\b(?:stops|ends|lapses|is (?:lost|cancelled|stopped|suspended|withdrawn|void))\b",
    ),
    (
        RuleKind.ELIGIBILITY,
        rf"\b(?:can|could|may|might) (?:{_ADVERBS} )*(?:be able to )?{_GETS}\b|\bqualif(?:y|ies)\b"
        r"|\b(?:is|are|be) (?:\w+ )?(?:eligible|entitled)\b|\b(?:is|are) (?:open|available) to\b"
        r"|\b(?:has|have) (?:the|a) right to\b|\bapplies to\b",
    ),
    (
        RuleKind.AMOUNT,
        r"\b(?:no|free of) (?:charge|fee|cost)\b|\bfree\b(?! to)|\bnot (?:be )?refund|\brefund(?:ed|able)\b|\bcosts?\b"
        r"|\btax(?:ed|able|-free)\b",
    ),
)
_ANY_KIND = re.compile("|".join(f"(?P<k{at}>{pattern})" for at, (_, pattern) in enumerate(_KINDS)), re.IGNORECASE)
_BEFORE = phrases(  # of a date or duration that limits when something is done
    r"within|by|before|no later than|not later than|deadline|until|in advance|notice|at least|up to|expires?|lasts?"
    r"|valid for|after|closes?|opens?|due|every|takes?|from"
)
_NO_NEED = phrases(r"no (?:[\w-]+ ){1,4}(?:is|are) (?:needed|required|necessary)|(?:is|are) (?:allowed|permitted)")
_STATE = phrases("(?:must|need to) (?:also )?(?:be|have|live|hold|own|meet|earn|normally live|work)")
_ELIGIBLE_HEADING = phrases(
    "who can|eligib(?:le|ility)|qualif(?:y|ies|ying)|who (?:is|may)|entitle(?:d|ment)|conditions?"
)
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
    """A clause without its condition, and where it stands."""

    text: str
    has_condition: bool = False
    heading: str = ""
    is_step: bool = False

    @property
    def values(self) -> list[Value]:
        """What it says how much, when or for how long."""
        return [value for value in find_values(self.text) if value.kind not in ("number", "text")]


def kinds_of(clause: RuledClause) -> tuple[RuleKind, ...]:
    """The kinds of a clause, the main one first; none of one that rules nothing."""
    said = expand(clause.text)
    if _ABOUT_PAGE.search(said):
        return ()
    found: dict[RuleKind, None] = {RuleKind.STEP: None} if clause.is_step else {}
    matched = {_KINDS[int(match.lastgroup[1:])][0] for match in _ANY_KIND.finditer(said) if match.lastgroup}
    modal = next(modal_uses(said), None)
    words = said.strip(" -•").split(maxsplit=1)
    orders = bool(words) and words[0].lower() in IMPERATIVES
    ruled = _MODAL_KINDS.get(modal.kind) if modal else RuleKind.DUTY if orders else None
    if _NO_NEED.search(said):
        ruled = RuleKind.PERMISSION
    required = _STATE.search(said) and _ELIGIBLE_HEADING.search(clause.heading)
    if required:
        matched.add(RuleKind.ELIGIBILITY)
    found |= {kind: None for kind, _ in _KINDS if kind in matched and kind is not RuleKind.AMOUNT}
    kinds = {value.kind for value in clause.values}
    if kinds.intersection(_TIMES) and _BEFORE.search(said):
        found[RuleKind.DEADLINE] = None
    if kinds.intersection(_SUMS) or RuleKind.AMOUNT in matched:
        found[RuleKind.AMOUNT] = None
    if said.lower().startswith(("do not ", "never ")):
        ruled = RuleKind.PROHIBITION
    if ruled is not None and not (ruled is RuleKind.PERMISSION and RuleKind.CONSEQUENCE in found):
        found[ruled] = None
    if not found and kinds.intersection(_TIMES):
        found[RuleKind.DEADLINE] = None
    if not found and clause.has_condition:
        found[RuleKind.CONSEQUENCE] = None
    return tuple(found)
