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
    r"(?:(?:is|are|am|was|were|do|does|did|can|could|will|would|shall|should|may|might|must|has|have|had|need)(?:n?'t)?"
    r"|won't|cannot|ain't|dose)"
)
_WH = r"(?:what|how|when|where|who|whom|whose|which|why)(?:'?s)?"
_WHO = r"(?:i|we|you|he|she|it|they|there|my|our|your|his|her|its|their|the|an?|any|anyone|someone|this|that)"
_SUBJECT = rf"(?:{_WHO}|these|those|all|both|either|one|being|having)"
_SENTENCE_END = re.compile(r"(?<=[?!.])\s+(?=\S)")
_DROP = re.compile(
    r"(?i)^(?:(?:and|so|but|or|also|then|however|in this case|if so|ok|okay|hi|hello|please|additionally)\b[,\s]*)+"
)
_STARTS_WH = re.compile(
    rf"(?i)^(?:(?:at|in|on|by|for|from|to|with|under|until|since|of|within|during|through|about)\s+)?{_WH}\b"
)
_ANY_WH = re.compile(rf"(?i)\b{_WH}\b")
_STARTS_AUX = re.compile(rf"(?i)^{_AUX}\b")
_WH_AUX = re.compile(rf"(?i)\b{_WH}\b(?:\s+[\w'-]+){{0,4}}?\s+{_AUX}\b")
_AUX_SUBJECT = re.compile(rf"(?i)(?:^|[,;:-]\s*|\b(?:and|so|but|then|now|case|or)\s+){_AUX}\s+{_SUBJECT}\b")
_WHETHER = re.compile(
    r"(?i)\b(?:know|wonder|wondering|ask|asking|sure|check|tell me|see|confirm|clarify|find out)\s+(?:if|whether)\b"
    rf"|,\s*{_AUX}\s+(?:not\s+)?(?:i|we|you|he|she|it|they)\s*\?*$"
)
_CLAUSE = re.compile(  # "penalty for parking without a permit" has none
    rf"(?i)\b(?:{_AUX}|i|we|you|he|she|it|they|there|i'm|im|i've|ive|i'd|my|your|allowed|eligible|entitled)\b"
)
_NAMED = re.compile(  # "penalty if the return is late", "most rent help i can get": a value is named, nothing is stated
    rf"(?i)^(?!{_WHO}\b(?<!the)|got\b|am\b|im\b|i'm\b)(?:the )?(?:[\w-]+ ){{0,2}}?(?:penalty|fine|fees?|costs?|price"
    r"|charge|rate|deadline|amount|limit|allowance|percent|percentage|minimum|maximum|max|lowest|highest|most"
    r"|last date|duty)\b"
)
_TELL_ME = re.compile(
    r"(?i)^(?:can|could|would|will|do|does)\s+(?:you|someone|anyone|anybody|i)\s+(?:please\s+)?(?:tell"
    rf"|explain|advise|let|know|get to know|ask|clarify|give me)\b.*\b{_WH}\b"
    r"|\b(?:and|so|if so)[,;]?\s+(?:(?:by|for|at|in|to|from)\s+)?(?:what|how|when|where|who|which)\b"
    r"(?!\s+(?:is|was|are)\s+not)"
)
_OPENS = re.compile(
    rf"(?i)\b(?:{_AUX}\s+{_WHO}\b|how (?:much|many|long|old|often|soon|far|do|does|can)\b"
    r"|(?:what|when|where|who|which)\b)"
)
_ASKS_AT_ONCE = re.compile(rf"(?i)^(?:(?:so|and|but|hi|hello|please)\b[,\s]*)*(?:{_AUX}|{_WH})\b")
_CLINGS = re.compile(r"(?i)\b(?:by|for|to|in|at|of|with|on|from|the|a|an|my|know|sure|ask|tell|me|about)\s*$")
_ENDS = re.compile(
    r"(?i)(?:\s*[,;:]|\s+-|\s+(?:as|because|since|cos|cuz|but|and|given(?: that)?|considering(?: that)?"
    r"|now(?: that)?|who))\s+(?:(?:i|we|he|she|they)(?:'m|'ve|'d|'s|m|ve)?|im|ive|my|our|his|her|its|it's"
    r"|the (?:house|job|baby|landlord|council))\b"
    r"|(?<!\bif)(?<!\bthat)(?<!\bwhen)(?<!\bwhile)(?<!\b(?:can|how|has))(?<!\b(?:do|am|is))(?<!\b(?:will|does))\s+"
    r"(?=(?:i am|i'm|im|i have|i've|ive|i (?:work|live|look|get|earn|was|don't|dont)|he is|she is|he's|she's"
    r"|they are|we are|we have|my \w+ (?:is|has|was))\b)"
)
_CASE = re.compile(r"(?i)\s+(?:even\s+)?(?:if|when|once|where|while|after|unless|although|though)\s+(?=\w)")
_FEWEST = 2  # a part of no more words is none
_MONEY = r"(?:costs?|fees?|prices?|charges?|rates?|fine|penalty|amounts?|discount|surcharge|threshold|percent(?:age)?)"
_TYPES: tuple[tuple[AnswerType, str], ...] = (
    (AnswerType.AGE, r"how old|what age|which age|minimum age|maximum age|age limit"),
    (AnswerType.DURATION, r"\b(?:amount|length|period|maximum|minimum) of (?:time|leave|notice|holiday)\b"),
    (
        AnswerType.AMOUNT,
        r"how much(?! (?:time|notice|longer|leave|holiday|warning))|how expensive|what (?:percentage|amount|rate|sum)"
        r"|what (?:is|are|will be|would be|was)?\s?(?:the|my|our|his|her|their|your)?\s?(?:[\w-]+ ){0,3}?"
        rf"(?:{_MONEY}|sum|salary|allowance|limit|refund|grant|benefit)\b"
        rf"|^(?:the )?(?:[\w-]+ ){{0,2}}(?:{_MONEY}|(?:income|savings) limit|wage|duty|tax|minimum|maximum)\b"
        r"(?!.*\b(?:how|who|when|where|do|does|can)\b)"
        r"|what (?:do|will|would|did|should) (?:i|we|you|they|he|she) (?:have to )?pay\b"
        r"|^(?:the )?(?:max|most)\b.*\b(?:help|pay|paid|get|money)\b"
        r"|^(?!.*\b(?:how|who|when|where|do|does|can|what|which)\b).*\b(?:money|pay|rate|benefit)"
        r" (?:per|a|each|every) \w+"
        r"|\b(?:amount|cost|costs|fee|price|rate|rates)\s*\??$",
    ),
    (
        AnswerType.DURATION,
        r"how (?:long|soon|quickly|often|frequently|far in advance|much (?:time|notice|longer|leave|holiday"
        r"|warning)|many (?:days|weeks|months|years|hours|minutes))|what (?:is|are) the (?:[\w-]+ ){0,2}"
        r"(?:notice period|time ?frame|time limit|timescale|duration|length|period|time)\b",
    ),
    (
        AnswerType.DATE,
        r"\bwhen\b|(?:what|which) (?:date|day|time|year|month)|deadline|due date|by what"
        r"|^(?:the )?(?:last|latest|earliest|first) (?:date|day)\b",
    ),
    (AnswerType.NUMBER, r"how many"),
    (AnswerType.FORM, r"(?:what|which) (?:[\w-]+ ){0,2}forms?\b"),
    (AnswerType.PERSON, r"\b(?:who|whom|whose)\b"),
    (AnswerType.PLACE, r"\bwhere\b"),
    (
        AnswerType.LIST,
        r"(?:what|which|any) (?:are |is |other |else |kinds? of |types? of |sorts? of |the |my |some )*"
        r"(?:[\w'-]+ ){0,3}?(?:documents?|documentation|paperwork|evidence|proofs?|papers|information|details"
        r"|requirements|criteria|conditions|exceptions|options|steps|ways|things|benefits|reasons|rules|alternatives"
        r"|support|types|items|restrictions|rights|responsibilities|circumstances|factors|consequences|expenses)\b",
    ),
    (AnswerType.METHOD, r"\bhow\b"),
)
"""The first one that is found decides: "how much" is an amount though "how" is a method."""
_ASKS = (
    ("duty", r"\b(?:have to|has to|need|needs to|must|required|obliged|obligated|necessary|supposed to)\b"),
    ("eligible", r"\b(?:eligible|entitled|qualify|eligibility)\b"),
    ("ability", r"\b(?:can|could|able|allowed|may|permitted|possible)\b"),
)


def asking_sentence(question: str) -> str:
    """The last sentence that asks: ends in "?", else opens like a question, else the last sentence."""
    sentences = [s.strip() for s in _SENTENCE_END.split(normalise_text(question)) if s.strip(" ?!.")]
    opened = {sentence: _DROP.sub("", sentence) for sentence in sentences}
    asking = [s for s in sentences if s.endswith("?")]
    opening = [s for s in sentences if _STARTS_WH.match(opened[s]) or _STARTS_AUX.match(opened[s])]
    return (asking or opening or sentences or [""])[-1]


def _kind(sentence: str) -> tuple[QuestionKind, str]:
    """The kind of an asking sentence, and why."""
    opened = _DROP.sub("", sentence)
    if _STARTS_WH.match(opened):
        opening, comma, rest = opened.partition(",")  # "When I move, can I ...?": the opening clause is no question
        if comma and re.match(r"(?:when|where)\b", opened, re.IGNORECASE) and not _WH_AUX.match(opening):
            return _kind(rest.strip())
        return QuestionKind.SPAN, "opens with a question word"
    auxiliary, word = _AUX_SUBJECT.search(opened), _WH_AUX.search(opened)
    if _STARTS_AUX.match(opened):
        asks_whether = not _TELL_ME.search(opened)
    elif _WHETHER.search(opened) or (auxiliary and (not word or auxiliary.start() > word.start())):
        asks_whether = True
    else:  # a value is named, or a statement put as a question
        asks_whether = not (_ANY_WH.search(opened) or _NAMED.match(opened)) and bool(_CLAUSE.search(opened))
    return (QuestionKind.YES_NO, "asks whether") if asks_whether else (QuestionKind.SPAN, "asks for a thing")


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
    sentence = asking_sentence(question)
    others = normalise_text(question).replace(sentence, " ", 1)
    opens = None if _ASKS_AT_ONCE.match(sentence) else _OPENS.search(sentence)
    before = sentence[: opens.start()] if opens is not None else ""
    if len(before.split()) <= _FEWEST or _CLINGS.search(before):
        before = ""
    asks, after = _cut(sentence[len(before) :], _ENDS)
    asks, case = _cut(asks, _CASE)
    return Parts(asks, _CASE.sub("", case, count=1), " ".join(f"{others} {before} {after}".split()).lstrip(" ,;:-"))


def _cut(text: str, at: re.Pattern[str]) -> tuple[str, str]:
    """A text up to where a pattern is found behind its first words, and the rest."""
    found = (match.start() for match in at.finditer(text) if len(text[: match.start()].split()) > _FEWEST)
    cut = next(found, len(text))
    return text[:cut], text[cut:]


def asked_for(form: QuestionForm) -> str:
    """What the question asks about: "duty", "eligible", "ability" or "other"."""
    return next((name for name, pattern in _ASKS if re.search(pattern, form.sentence, re.IGNORECASE)), "other")
