"""What a question asks for (yes or no, or a value of which type), and which part of it asks, which tells.

Only the last sentence that asks something counts: policy questions often tell a little more of the story
first ("My visa ends in May. Can I stay?").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from clausegraph.core.language.lexicon import WordTable
from clausegraph.core.language.normalise import normalise_text

_TABLE = WordTable(__file__)


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


_SENTENCE_END = _TABLE.pattern("sentence_end")
_DROP = _TABLE.pattern("drop")
_STARTS_WH = _TABLE.pattern("starts_wh")
_ANY_WH = _TABLE.pattern("any_wh")
_STARTS_AUX = _TABLE.pattern("starts_aux")
_WH_AUX = _TABLE.pattern("wh_aux")
_AUX_SUBJECT = _TABLE.pattern("aux_subject")
_WHETHER = _TABLE.pattern("whether")
_CLAUSE = _TABLE.pattern("clause")
_NAMED = _TABLE.pattern("named")
_TELL_ME = _TABLE.pattern("tell_me")
_OPENS = _TABLE.pattern("opens")
_ASKS_AT_ONCE = _TABLE.pattern("asks_at_once")
_CLINGS = _TABLE.pattern("clings")
_ENDS = _TABLE.pattern("ends")
_CASE = _TABLE.pattern("case")
_FEWEST = 2  # a part of no more words is none
_TYPES = tuple((AnswerType(one["type"]), _TABLE.text(one["asked"])) for one in _TABLE.file["types"])  # in this order
_ASKS = _TABLE.file["asks"]


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
    return next((name for name, pattern in _ASKS.items() if re.search(pattern, form.sentence, re.IGNORECASE)), "other")
