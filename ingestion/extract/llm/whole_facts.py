"""Whether a fact says its rule to somebody who does not see the page: "deposit is £200", not "tenant must pay £200"."""

from __future__ import annotations

import re

from clausegraph.core.language.clauses import after_number
from clausegraph.core.language.lexicon import AUXILIARIES, DETERMINERS, PREPOSITIONS, word_set
from clausegraph.core.language.normalise import expand, lemmas, tokens
from clausegraph.core.language.values import find_values, opening_value
from clausegraph.core.types import Literal, Statement, leaves
from clausegraph.ingestion.extract.llm.page_words import content_words
from clausegraph.ingestion.extract.rules.facts import LOSABLE

_POINTING = word_set("this these")
_POINTING_BACK = word_set("above below shown listed")  # as the last word: "the charge shown"
_SOMEBODY = word_set("role person people group organisation")
_QUANTITIES = word_set(
    "amount fee charge cost price rent rate limit deposit fine penalty allowance threshold maximum minimum pay payment"
    " contribution period time notice deadline age discount salary wage refund increase reduction length term award"
)
_BOUNDS = word_set("up least most more less maximum minimum every each per once twice only full")
_LINKING = AUXILIARIES | DETERMINERS | PREPOSITIONS | _BOUNDS
_MODAL = word_set("may might can could must shall should cannot not")
_EXAMPLE = re.compile(r"\s*[,(–-]?\s*\b(?:for example|such as)\b[^.]*", re.IGNORECASE)
_IDLE = LOSABLE | word_set("it them they those this anyone who unless except also only so but then")
_VERBS = word_set("cost mean include make last pay get")  # by which a fact says what its clause says otherwise
_WHEN = word_set("within by until before after during every each once twice")


def gap_of(fact: Statement, clause: str, title: str) -> str:
    """What the fact does not say alone, or what it and its ``clause``, the rule's words without conditions, do not
    share; empty where it is whole."""
    value = fact.object.value if isinstance(fact.object, Literal) else ""
    said = (f"{fact.relation} {value}", *(leaf.words for leaf in leaves(fact.condition)))
    if pointing := [text for text in said if _points(tokens(text))]:
        return f"what {pointing[0]!r} points to"
    found, relation = list(find_values(value)), tokens(fact.relation)
    is_when = not _WHEN.isdisjoint((*tokens(value)[:1], *relation[-1:]))  # and not what is done
    if not value or not (is_when or opening_value(value)):
        return _unshared(fact, clause, title)
    verb_and_more = [word for word in relation if word not in _LINKING]
    of_what = content_words(value) - content_words(" ".join(one.text for one in found)) - _BOUNDS
    if fact.subject.type in _SOMEBODY:
        whole = len(verb_and_more) > 1 or bool(of_what and not is_when)
    else:
        counted = fact.subject.type in ("benefit", "tax") or not _QUANTITIES.isdisjoint(fact.subject.key.split()[-1:])
        telling = not {one.kind for one in found} <= {"percent", "number"}
        whole = bool(of_what or (telling and (verb_and_more or counted)))  # a plain "is" tells no cost
    return _unshared(fact, clause, title) if whole else f"of what {value!r} is"


def _unshared(fact: Statement, clause: str, title: str) -> str:
    """The words that only the clause or only the fact has; also the verb, where the fact has none."""
    if not set(tokens(fact.relation)) - _MODAL:
        return f"what is done: {fact.relation!r} is no verb"
    value, name = (fact.object.value, "") if isinstance(fact.object, Literal) else ("", fact.object.surface)
    conditions = " ".join(leaf.words for leaf in leaves(fact.condition))
    known = _words(f"{fact.subject.surface} {name} {conditions} {title}")  # by which "you" may be called
    told, said = _words(_EXAMPLE.sub("", clause[after_number(clause) :])), _words(f"{fact.relation} {value}")
    of_price = _QUANTITIES if "cost" in said else frozenset()  # "Fee", of what costs so much
    if lost := told - said - known - of_price:
        return f"all of its rule, but leaves out {', '.join(sorted(lost))}"
    more = said - told - known - _VERBS
    return f"its rule, but {', '.join(sorted(more))}" if more else ""


def _words(text: str) -> frozenset[str]:
    return lemmas(expand(text)) - _IDLE


def _points(words: list[str]) -> bool:
    """Whether words point to others beside them: "this", "in that time", "the charge shown"."""
    that = any(word == "that" and (not at or words[at - 1] in PREPOSITIONS) for at, word in enumerate(words))
    return that or not _POINTING.isdisjoint(words) or not _POINTING_BACK.isdisjoint(words[-1:])
