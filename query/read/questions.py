"""What a question asks for (yes or no, or a value of which type), and which part of it asks, which tells.

Only the last sentence that asks something counts: policy questions often tell a little more of the story
first ("My visa ends in May. Can I stay?").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from clausegraph.core.language.normalise import normalise_text
from clausegraph.core.types import Modality


class QuestionKind(StrEnum):
    """The form of the answer."""

    YES_NO = "yes_no"
    SPAN = "span"


class AnswerType(StrEnum):
    """What kind of thing a span answer is."""

    AMOUNT = "amount"
    DURATION = "duration"
    DATE = "date"
    AGE = "age"
    NUMBER = "number"
    PERSON = "person"
    PLACE = "place"
    FORM = "form"
    LIST = "list"
    METHOD = "method"
    CLAUSE = "clause"


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """The asking sentence of a question, the form of its answer, and why that form."""

    sentence: str
    kind: QuestionKind
    type: AnswerType
    reason: str


@dataclass(frozen=True, slots=True)
class Parts:
    """What a question asks, the case it asks for ("if …"), and what it tells of the one who asks."""

    asks: str
    case: str
    scenario_text: str


_AUX = (
    r"(?:is|are|am|was|were|do|does|did|can|could|will|would|shall|should|may|might|must|has|have|had|need"
    r"|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|can't|cannot|couldn't|won't|wouldn't|shouldn't|hasn't"
    r"|haven't|hadn't|ain't|dose)"
)
_WH = r"(?:what|what's|whats|how|when|where|where's|who|who's|whom|whose|which|why)"
_SUBJECT = (
    r"(?:i|we|you|he|she|it|they|there|this|that|these|those|my|our|your|his|her|its|their|the|a|an|any|anyone"
    r"|someone|all|both|either|one|being|having)"
)
_SENTENCE_END = re.compile(r"(?<=[?!.])\s+(?=\S)")
_DROP = re.compile(
    r"^(?:and|so|but|or|also|then|however|in this case|if so|ok|okay|hi|hello|please|additionally)\b[,\s]*", re.I
)
_STARTS_WH = re.compile(
    rf"^(?:(?:at|in|on|by|for|from|to|with|under|until|since|of|within|during|through|about)\s+)?{_WH}\b", re.I
)
_STARTS_AUX = re.compile(rf"^{_AUX}\b", re.I)
_INDIRECT_IF = re.compile(
    r"\b(?:know|wonder|wondering|ask|asking|sure|check|tell me|see|confirm|clarify|find out)\s+(?:if|whether)\b", re.I
)
_WH_AUX = re.compile(rf"\b{_WH}\b(?:\s+[\w'-]+){{0,4}}?\s+{_AUX}\b", re.I)
_WH_ANY = re.compile(rf"\b{_WH}\b", re.I)
_AUX_SUBJECT = re.compile(rf"(?:^|[,;:-]\s*|\b(?:and|so|but|then|now|case|or)\s+){_AUX}\s+{_SUBJECT}\b", re.I)
_TAG = re.compile(rf",\s*{_AUX}\s+(?:not\s+)?(?:i|we|you|he|she|it|they)\s*\?*$", re.I)
_CLAUSE = re.compile(  # "penalty for parking without a permit" has none
    r"\b(?:i|we|you|he|she|it|they|there|is|are|am|was|were|do|does|did|can|could|will|would|shall|should|may|must|has"
    r"|have|had|need|i'm|im|i've|ive|i'd|my|your|allowed|eligible|entitled)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"^(?:i|we|you|he|she|it|they|my|our|your|his|her|their|this|that|there|got|am|im|i'm)\b", re.IGNORECASE
)
_NAMED = re.compile(  # "penalty if the return is late", "most rent help i can get": a value is named, nothing is stated
    r"^(?:the )?(?:[\w-]+ ){0,2}?(?:penalty|fine|fees?|costs?|price|charge|rate|deadline|amount|limit|allowance"
    r"|percent|percentage|minimum|maximum|max|lowest|highest|most|last date|duty)\b",
    re.IGNORECASE,
)
_BE_TOLD = re.compile(
    r"^(?:can|could|would|will|do|does)\s+(?:you|someone|anyone|anybody|i)\s+(?:please\s+)?(?:tell"
    r"|explain|advise|let|know|get to know|ask|clarify|give me)\b",
    re.I,
)
_AND_WH = re.compile(
    r"\b(?:and|if so|so|or)?[,;]?\s*(?:and|if so|so)[,;]?\s+(?:(?:by|for|at|in|to|from)\s+)?(?:what|how"
    r"|when|where|who|which)\b(?!\s+(?:is|was|are)\s+not)",
    re.I,
)
_WE = r"(?:i|we|you|he|she|it|they|there|my|our|your|his|her|their|the|a|an|any|anyone|someone|this|that)"
_PART_AUX = r"(?:am|is|are|was|do|does|did|can|could|will|would|should|may|must|have|has)"
_PART_WH = r"(?:how|what|when|where|who|which|why|whats|whos)"
_OPENS = re.compile(
    rf"\b(?:{_PART_AUX}\s+{_WE}\b|how (?:much|many|long|old|often|soon|far|do|does|can)\b"
    r"|(?:what|when|where|who|which)\b)",
    re.IGNORECASE,
)
_ASKS_AT_ONCE = re.compile(rf"^(?:(?:so|and|but|hi|hello|please)\b[,\s]*)*(?:{_PART_AUX}|{_PART_WH})\b", re.IGNORECASE)
_CLINGS = re.compile(
    r"\b(?:by|for|to|in|at|of|with|on|from|the|a|an|my|know|sure|ask|tell|me|about)\s*$", re.IGNORECASE
)
_TELLS = (
    r"(?:(?:i|we|he|she|they)(?:'m|'ve|'d|'s|m|ve)?|im|ive|my|our|his|her|its|it's"
    r"|the (?:house|job|baby|landlord|council))"
)
_SINCE = r"(?:as|because|since|cos|cuz|but|and|given(?: that)?|considering(?: that)?|now(?: that)?|who)"
_SAYS = (
    r"(?:i am|i'm|im|i have|i've|ive|i work|i live|i look|i get|i earn|i was|i don't|i dont|he is|she is|he's|she's"
    r"|they are|we are|we have|my \w+ (?:is|has|was))"
)
_ENDS = re.compile(
    rf"(?:\s*[,;:]|\s+-|\s+{_SINCE})\s+{_TELLS}\b"
    rf"|(?<!\bif)(?<!\bthat)(?<!\bwhen)(?<!\bwhile)(?<!\b(?:can|how|has))(?<!\b(?:do|am|is))(?<!\b(?:will|does))\s+(?={_SAYS}\b)",
    re.IGNORECASE,
)
_CASE = re.compile(r"\s+(?:even\s+)?(?:if|when|once|where|while|after|unless|although|though)\s+(?=\w)", re.IGNORECASE)
_FEWEST = 2  # a part of no more words is none
_TYPES: tuple[tuple[AnswerType, str], ...] = (
    (AnswerType.AGE, r"how old|what age|which age|minimum age|maximum age|age limit"),
    (AnswerType.DURATION, r"\b(?:amount|length|period|maximum|minimum) of (?:time|leave|notice|holiday)\b"),
    (
        AnswerType.AMOUNT,
        r"how much(?! (?:time|notice|longer|leave|holiday|warning))|how expensive|what (?:is|are|will be"
        r"|would be|was)?\s?(?:the|my|our|his|her|their|your)?\s?"
        r"(?:[\w-]+ ){0,3}?(?:amount|amounts|cost|costs|fee|fees|price|charge|charges|rate|rates|sum|fine"
        r"|penalty|threshold|discount|salary|allowance|limit|percentage|surcharge|refund|grant|benefit)\b"
        r"|what (?:percentage|amount|rate|sum)"
        r"|^(?:the )?(?:[\w-]+ ){0,2}(?:costs?|fees?|prices?|charges?|rates?|fine|penalty|amount|discount|surcharge"
        r"|threshold|income limit|savings limit|wage|percent|percentage|duty|tax|minimum|maximum)\b"
        r"(?!.*\b(?:how|who|when|where|do|does|can)\b)"
        r"|what (?:do|will|would|did|should) (?:i|we|you|they|he|she) (?:have to )?pay\b"
        r"|^(?:the )?(?:max|most)\b.*\b(?:help|pay|paid|get|money)\b"
        r"|^(?!.*\b(?:how|who|when|where|do|does|can|what|which)\b).*"
        r"\b(?:money|pay|rate|benefit) (?:per|a|each|every) \w+"
        r"|\b(?:amount|cost|costs|fee|price|rate|rates)\s*\??$",
    ),
    (
        AnswerType.DURATION,
        r"how (?:long|soon|quickly|often|frequently|far in advance|much (?:time|notice|longer|leave|holiday"
        r"|warning)|many (?:days|weeks|months|years|hours|minutes))|what (?:is|are) the (?:[\w-]+ "
        r"){0,2}(?:notice period|time ?frame|time limit|timescale|duration|length|period|time)\b",
    ),
    (
        AnswerType.DATE,
        r"\bwhen\b|what (?:date|day|time|year|month)|which (?:date|day|year|month)|(?:deadline|due date|by what)"
        r"|^(?:the )?(?:last|latest|earliest|first) (?:date|day)\b",
    ),
    (AnswerType.NUMBER, r"how many"),
    (AnswerType.FORM, r"(?:what|which) (?:[\w-]+ ){0,2}forms?\b|what form"),
    (AnswerType.PERSON, r"\bwho\b|\bwhom\b|\bwhose\b"),
    (AnswerType.PLACE, r"\bwhere\b"),
    (
        AnswerType.LIST,
        r"(?:what|which|any) (?:are |is |other |else |kinds? of |types? of |sorts? of |the |my |some "
        r")*(?:[\w'-]+ ){0,3}?(?:documents?|documentation|paperwork|evidence|proofs?|papers|information"
        r"|details|requirements|criteria|conditions"
        r"|exceptions|options|steps|ways|things|benefits|reasons|rules|alternatives|support|types|items"
        r"|restrictions|rights|responsibilities|circumstances|factors|consequences|expenses|options)\b",
    ),
    (AnswerType.METHOD, r"\bhow\b"),
)
"""The first one that is found decides: "how much" is an amount though "how" is a method."""
_ASKS = (
    (
        "duty",
        r"\b(?:have to|need to|must|required|obliged|obligated|necessary|need (?:a|an|any|my|the)|supposed to"
        r"|has to|needs to|need)\b",
    ),
    ("eligible", r"\b(?:eligible|entitled|qualify|eligibility)\b"),
    ("ability", r"\b(?:can|could|able|allowed|may|permitted|possible)\b"),
    ("should", r"\bshould\b"),
    ("will", r"\b(?:will|would)\b"),
    ("exists", r"\b(?:is|are) (?:there|they)\b"),
    ("is", r"^(?:is|are|am|was)\b"),
)
_FITS = {
    "duty": {Modality.MUST: 1.0, Modality.NEED_NOT: 1.0, Modality.IS: 0.8, Modality.SHOULD: 0.8},
    "ability": {Modality.MAY: 1.0, Modality.CAN: 1.0, Modality.CANNOT: 1.0, Modality.IS: 0.8},
    "eligible": {Modality.MAY: 1.0, Modality.CAN: 1.0, Modality.CANNOT: 1.0, Modality.IS: 0.8},
}


def asking_sentence(question: str) -> str:
    """The last sentence that asks: ends in "?", else opens like a question, else the last sentence."""
    sentences = [s.strip() for s in _SENTENCE_END.split(normalise_text(question)) if s.strip(" ?!.")]
    if not sentences:
        return ""
    asking = [s for s in sentences if s.endswith("?")]
    opening = [s for s in sentences if _STARTS_WH.match(_opened(s)) or _STARTS_AUX.match(_opened(s))]
    return (asking or opening or sentences)[-1]


def _opened(sentence: str) -> str:
    """The sentence without the small words before its question."""
    bare, before = sentence, ""
    while bare != before:
        before, bare = bare, _DROP.sub("", bare)
    return bare


def _kind(sentence: str) -> tuple[QuestionKind, str]:
    opened = _opened(sentence)
    if _STARTS_WH.match(opened):
        # "When I move, can I ...?": the opening clause is no question.
        tail = opened.split(",", 1)
        if len(tail) == 2 and re.match(r"(?:when|where|as|while)\b", opened, re.I) and not _WH_AUX.match(tail[0]):
            return _kind(tail[1].strip())
        return QuestionKind.SPAN, "opens with a question word"
    if _STARTS_AUX.match(opened):
        if _BE_TOLD.match(opened) and _WH_ANY.search(opened):
            return QuestionKind.SPAN, "asks to be told a question word"
        if _AND_WH.search(opened):
            return QuestionKind.SPAN, "yes/no question followed by a question word"
        return QuestionKind.YES_NO, "opens with an auxiliary verb"
    return _embedded_kind(opened)


def _embedded_kind(opened: str) -> tuple[QuestionKind, str]:
    """The kind of a sentence whose question comes after other words."""
    if _INDIRECT_IF.search(opened):
        return QuestionKind.YES_NO, "asks whether"
    if _TAG.search(opened):
        return QuestionKind.YES_NO, "ends with a tag question"
    auxiliary, word = _AUX_SUBJECT.search(opened), _WH_AUX.search(opened)
    if auxiliary and (not word or auxiliary.start() > word.start()):
        return QuestionKind.YES_NO, "auxiliary before its subject"
    if _WH_ANY.search(opened):
        return QuestionKind.SPAN, "question word inside"
    named = bool(_NAMED.match(opened)) and not _PRONOUN.match(opened)
    if not named and (auxiliary or _CLAUSE.search(opened)):
        return QuestionKind.YES_NO, "auxiliary before its subject" if auxiliary else "a statement put as a question"
    return QuestionKind.SPAN, "names a value" if named else "names a thing"


def question_form(question: str) -> QuestionForm:
    """Read the form of a question; an empty one counts as asking for a clause."""
    sentence = asking_sentence(question)
    if not sentence:
        return QuestionForm("", QuestionKind.SPAN, AnswerType.CLAUSE, "no asking sentence")
    kind, reason = _kind(sentence)
    asked = (answer for answer, pattern in _TYPES if re.search(pattern, sentence, re.IGNORECASE))
    return QuestionForm(sentence, kind, next(asked, AnswerType.CLAUSE), reason)


@lru_cache(maxsize=512)
def parts(question: str) -> Parts:
    """The parts of a question; all of it asks where nothing sets them apart."""
    whole = normalise_text(question)
    sentence = asking_sentence(question)
    others = whole.replace(sentence, " ", 1)
    before, asks = _before_asking(sentence)
    asks, after = _cut(asks, _ENDS)
    asks, case = _cut(asks, _CASE)
    return Parts(asks, case, " ".join(f"{others} {before} {after}".split()))


def _before_asking(sentence: str) -> tuple[str, str]:
    """What comes before the words that open a question, and the rest."""
    opens = None if _ASKS_AT_ONCE.match(sentence) else _OPENS.search(sentence)
    before = sentence[: opens.start()] if opens is not None else ""
    if opens is None or len(before.split()) <= _FEWEST or _CLINGS.search(before):
        return "", sentence
    return before, sentence[opens.start() :]


def _cut(text: str, at: re.Pattern[str]) -> tuple[str, str]:
    """A text up to where a pattern is found behind its first words, and what comes after."""
    for found in at.finditer(text):
        if len(text[: found.start()].split()) > _FEWEST:
            return text[: found.start()], text[found.end() :] if at is _CASE else text[found.start() :].lstrip(" ,;:-")
    return text, ""


def asked_for(form: QuestionForm) -> str:
    """What the question asks about: a duty, eligibility, ability, ..."""
    return next((name for name, pattern in _ASKS if re.search(pattern, form.sentence, re.IGNORECASE)), "other")


def kind_fit(form: QuestionForm, modality: Modality) -> float:
    """How far a statement of that modality answers what is asked: "must" says little of "can I"."""
    fits = _FITS.get(asked_for(form))
    return 1.0 if fits is None else fits.get(modality, 0.6)
