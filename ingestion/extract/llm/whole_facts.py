"""Whether a fact says its rule to somebody who does not see the page: "deposit is £200", not "tenant must pay £200"."""

from __future__ import annotations

from clausegraph.core.language.lexicon import AUXILIARIES, DETERMINERS, PREPOSITIONS, word_set
from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.values import find_values, opening_value
from clausegraph.core.types import Literal, Statement, leaves
from clausegraph.ingestion.extract.llm.page_words import content_words

_POINTING = word_set("this these")
_POINTING_BACK = word_set("above below shown listed")  # as the last word: "the charge shown"
_SOMEBODY = word_set("role person people group organisation")
_QUANTITIES = word_set(
    "amount fee charge cost price rent rate limit deposit fine penalty allowance threshold maximum minimum pay payment"
    " contribution period time notice deadline age discount salary wage refund increase reduction length term award"
)
_BOUNDS = word_set("up least most more less maximum minimum every each per once twice only full")
_LINKING = AUXILIARIES | DETERMINERS | PREPOSITIONS | _BOUNDS
_WHEN = word_set("within by until before after during every each once twice")


def gap_of(fact: Statement) -> str:
    """What the fact does not say alone; empty where it is whole."""
    value = fact.object.value if isinstance(fact.object, Literal) else ""
    said = (f"{fact.relation} {value}", *(leaf.words for leaf in leaves(fact.condition)))
    if pointing := [text for text in said if _points(tokens(text))]:
        return f"what {pointing[0]!r} points to"
    found, relation = list(find_values(value)), tokens(fact.relation)
    is_when = not _WHEN.isdisjoint((*tokens(value)[:1], *relation[-1:]))  # and not what is done
    if not value or not (is_when or opening_value(value)):
        return ""
    verb_and_more = [word for word in relation if word not in _LINKING]
    of_what = content_words(value) - content_words(" ".join(one.text for one in found)) - _BOUNDS
    if fact.subject.type in _SOMEBODY:
        whole = len(verb_and_more) > 1 or bool(of_what and not is_when)
    else:
        counted = fact.subject.type in ("benefit", "tax") or not _QUANTITIES.isdisjoint(fact.subject.key.split()[-1:])
        telling = not {one.kind for one in found} <= {"percent", "number"}
        whole = bool(of_what or (telling and (verb_and_more or counted)))  # a plain "is" tells no cost
    return "" if whole else f"of what {value!r} is"


def _points(words: list[str]) -> bool:
    """Whether words point to others beside them: "this", "in that time", "the charge shown"."""
    that = any(word == "that" and (not at or words[at - 1] in PREPOSITIONS) for at, word in enumerate(words))
    return that or not _POINTING.isdisjoint(words) or not _POINTING_BACK.isdisjoint(words[-1:])
