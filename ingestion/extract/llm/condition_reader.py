"""The ``if`` of a rule as a condition tree whose leaves are parts of elements, and what its leaves mean.

``2 and (3a or not 3c) and 4"you rent" and 5="the flat is empty" and any 6-9``: whole lines, parts of them, words of
them, what they mean, and the lines of a list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from clausegraph.core.extraction import names_above
from clausegraph.core.language.clauses import after_number
from clausegraph.core.language.conditions import join
from clausegraph.core.language.lexicon import phrases, word_set
from clausegraph.core.language.normalise import clean_name, tokens
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Not, Span, leaves
from clausegraph.ingestion.extract.llm.items import UnusableItem, described
from clausegraph.ingestion.extract.llm.page_words import YOU, ShownWords, akin, content_words, numbers_of
from clausegraph.ingestion.extract.llm.parts import Places

MAX_DEPTH = 8
MAX_LEAVES = 50
_LONGEST_MEANING = 300
_DENYING = word_set("not no never cannot neither nor none without unable nobody nothing")
_POINTING = phrases(
    r"(?:these|those|the (?:following|above)|either|both|all|any|one) (?:\w+ )?(?:appl(?:y|ies)|changes?|happens?)"
    r"|(?:any|all|one|both|either|each|some|none) of (?:these|those|the (?:following|above))"
    r"|this (?:is the case|happens|applies)"
)
_ONE = phrases("ones?")  # a pronoun more often than a number: "you do not have one"
_LEANING = YOU | word_set(
    "it its this that they them their these those there he him his she her we us our one if not unless when once so do"
)
_OTHERWISE = word_set("other another different else otherwise only")  # what a meaning may say with "not"
_CLAUSE = 2  # words from which a condition says something by itself: "this happens" leans on what was said before
_SHARE = 1 / 3  # of the words of a condition that its meaning has, in some form
_TOKEN = re.compile(
    r"""\s*(?:(?P<word>and|or|not|any|all)\b|(?P<bracket>[()])|(?P<first>\d+)\s*-\s*(?P<last>\d+)(?![a-z\d])
    |(?P<place>\d+[a-z]?)(?:(?P<quote>"[^"]*"))?(?:\s*=\s*(?P<means>"[^"]*"))?(?!\w)|(?P<wrong>\S+))""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)


class ConditionReader:
    """Reads the conditions of the rules of one chunk."""

    def __init__(self, places: Places, shown: ShownWords) -> None:
        self._places, self._shown = places, shown
        self._tokens: list[re.Match[str]] = []
        self._own = Span("", 0, 0)
        self._leaves = 0
        self.notes: list[str] = []  # on meanings that were left out

    def read(self, text: str, own: Span) -> Condition | None:
        """The tree without repeated children, and without leaves that only point to others; none for no text.

        Args:
            own: the words of the rule. What of them is its condition ("After six months we do not pay") may be cited
                with what it means alone.

        Raises:
            UnusableItem: it is malformed or too large, or cites what the chunk does not say.
        """
        if not text.strip():
            return None
        self._own, self._leaves, self._tokens = own, 0, list(reversed(list(_TOKEN.finditer(text.rstrip()))))
        tree = self._joined("or", 1)
        if self._tokens:
            raise UnusableItem(f"its condition cannot be read at {described(self._tokens[-1][0].strip())}")
        children = tree.children if isinstance(tree, All) else (tree,)
        kept = [
            child for child in children if not (isinstance(child, Leaf) and self._is_own(child) and not child.meaning)
        ]
        return self._without_pointers(join("all", kept)) if kept else None

    def _is_own(self, leaf: Leaf) -> bool:
        return leaf.anchor == self._own.anchor and leaf.start <= self._own.start and self._own.end <= leaf.end

    def _next(self, *wanted: str) -> re.Match[str] | None:
        """The next token, taken if it is one of the words that are wanted (any, without them)."""
        if self._tokens and (not wanted or self._tokens[-1][0].strip().lower() in wanted):
            return self._tokens.pop()
        return None

    def _joined(self, operator: str, depth: int) -> Condition:
        """Terms joined by "or", of factors joined by "and"."""
        if depth > MAX_DEPTH:
            raise UnusableItem(f"its condition is nested more than {MAX_DEPTH} deep")
        children: dict[Condition, None] = {}
        more: re.Match[str] | None = None
        while more is not None or not children:
            children[self._joined("and", depth) if operator == "or" else self._factor(depth)] = None
            more = self._next(operator)
        return join("any" if operator == "or" else "all", list(children))

    def _factor(self, depth: int) -> Condition:
        token = self._next()
        if token is None:
            raise UnusableItem("its condition breaks off")
        word = token[0].strip().lower()
        if word == "(":
            inner = self._joined("or", depth + 1)
            if self._next(")") is None:
                raise UnusableItem("its condition lacks a bracket")
            return inner
        if word == "not":
            if depth > MAX_DEPTH:
                raise UnusableItem(f"its condition is nested more than {MAX_DEPTH} deep")
            child = self._factor(depth + 1)
            return child.child if isinstance(child, Not) else Not(child)
        if word in ("any", "all") and self._tokens and self._tokens[-1]["first"]:
            return self._list(word, self._tokens.pop())
        if token["first"]:
            return self._list("all", token)
        if not token["place"]:
            raise UnusableItem(f"its condition cannot be read at {described(word)}")
        leaf = self._leaf(token["place"].lower(), (token["quote"] or "").strip('"'))
        if token["means"]:
            try:
                return replace(leaf, meaning=self._meaning(leaf, token["means"].strip('"')))
            except UnusableItem as problem:  # the page's own words still say it
                self.notes.append(f"left out: {problem}")
        return leaf

    def _list(self, operator: str, token: re.Match[str]) -> Condition:
        first, last = int(token["first"]), int(token["last"])
        if not first <= last < first + MAX_LEAVES:
            raise UnusableItem(f"its condition has no list {token[0].strip()!r}")
        return join(operator, [self._leaf(str(number)) for number in range(first, last + 1)])

    def _leaf(self, place: str, quote: str = "") -> Leaf:
        self._leaves += 1
        if self._leaves > MAX_LEAVES:
            raise UnusableItem(f"its condition has more than {MAX_LEAVES} parts")
        span = self._places.find(place, quote)
        if span is None and (far := self._places.elsewhere(place, quote)):
            own = self._own  # the section cannot cite it; what it says is what is meant
            return Leaf(own.anchor, own.start, own.end, self._places.text(own), far)
        if span is None:
            quoted = f'"{quote}"'
            what = f"has no words {described(quoted)} in" if quote else "cites what its section does not have:"
            raise UnusableItem(f"its condition {what} {described(place)}")
        return Leaf(span.anchor, span.start, span.end, self._places.text(span))

    def _meaning(self, leaf: Leaf, means: str) -> str:
        """The meaning, if it says what the leaf says and the page has its words; empty where it only repeats it."""
        meaning, text = clean_name(means, _LONGEST_MEANING), leaf.text[after_number(leaf.text) :]
        if meaning is None:
            raise UnusableItem("what its condition means is no text, empty or too long")
        if tokens(meaning) == tokens(text):
            return ""
        if not self._shown.names(meaning):
            raise UnusableItem(f"not stated: what its condition means, {meaning!r}")
        if not self._places.is_condition(Span(leaf.anchor, leaf.start, leaf.end)):  # a situation that it speaks of
            return meaning
        if not numbers_of(meaning).issuperset(numbers_of(_ONE.sub("", text))):
            raise UnusableItem(f"what its condition means, {meaning!r}, lacks a number of {text!r}")
        wanted, found = content_words(text) - _LEANING, content_words(meaning)
        whole = len(wanted) >= _CLAUSE
        element = self._places.elements[leaf.anchor]  # what leads into it may deny it
        may_deny = bool(element.lead_in or element.parent) or not whole or not _OTHERWISE.isdisjoint(tokens(text))
        if _denies(text) > _denies(meaning) or (_denies(meaning) > _denies(text) and not may_deny):
            raise UnusableItem(f"what its condition means, {meaning!r}, turns {text!r} round")
        if whole and sum(any(akin(word, other) for other in found) for word in wanted) < _SHARE * len(wanted):
            raise UnusableItem(f"what its condition means, {meaning!r}, is not what {text!r} says")
        return meaning

    def _without_pointers(self, condition: Condition) -> Condition:
        """The condition without the leaves that only point to others beside them ("any of these apply:")."""
        match condition:
            case All(children):
                rest = [child for child in children if not self._is_said_below(child, children)]
                return join("all", [self._without_pointers(child) for child in rest])
            case AnyOf(children):
                return AnyOf(tuple(map(self._without_pointers, children)))
            case Not(child):
                return Not(self._without_pointers(child))
            case Leaf() if _POINTING.search(condition.words):
                raise UnusableItem(f"its condition only points to other lines: {condition.words!r}")
        return condition

    def _is_said_below(self, child: Condition, among: Sequence[Condition]) -> bool:
        """Whether a leaf points to others of its list, whose elements its own introduces."""
        if not isinstance(child, Leaf) or not _POINTING.search(child.words):
            return False
        below = (leaf.anchor for other in among if other is not child for leaf in leaves(other))
        return any(child.anchor in names_above(self._places.elements[label], self._places.elements) for label in below)


def _denies(text: str) -> bool:
    return any(word in _DENYING or word.endswith(("n't", "n’t")) for word in tokens(text))
