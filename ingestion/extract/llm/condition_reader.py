"""The ``if`` of a rule as a condition tree whose leaves are parts of elements, and what its leaves mean.

``2 and (3a or not 3c) and 4"you rent" and 5="the flat is empty" and any 6-9``: whole lines, parts of them, words of
them, what they mean, and the lines of a list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clausegraph.core.extraction import InputElement, names_above
from clausegraph.core.language.clauses import after_number
from clausegraph.core.language.conditions import join
from clausegraph.core.language.lexicon import WordTable, phrases, word_set
from clausegraph.core.language.normalise import clean_name, tokens
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Not, Span, leaves
from clausegraph.ingestion.extract.llm.items import UnusableItem, described
from clausegraph.ingestion.extract.llm.page_words import YOU, ShownWords, akin, content_words, numbers_of
from clausegraph.ingestion.extract.llm.parts import Places, covers, is_condition

_TABLE = WordTable(__file__)

MAX_DEPTH = 8
MAX_LEAVES = 50
_LONGEST_MEANING = 300
_DENYING = word_set("not no never cannot neither nor none without unable nobody nothing")
_POINTING = _TABLE.pattern("pointing")
_ONE = phrases("ones?")  # a pronoun more often than a number: "you do not have one"
_LEANING = YOU | word_set(
    "it its this that they them their these those there he him his she her we us our one if not unless when once so do"
)
_OTHERWISE = word_set("other another different else otherwise only")  # what a meaning may say with "not"
_CLAUSE = 2  # words from which a condition says something by itself: "this happens" leans on what was said before
_SHARE = 1 / 3  # of the words of a condition that its meaning has, in some form
_TOKEN = _TABLE.pattern("token")


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

        What of the rule's ``own`` words is its condition ("After six months we do not pay") may be cited with what it
        means alone.
        """
        if not text.strip():
            return None
        self._own, self._leaves, self._tokens = own, 0, list(reversed(list(_TOKEN.finditer(text.rstrip()))))
        tree = self._joined("or", 1)
        if self._tokens:
            raise UnusableItem(f"its condition cannot be read at {described(self._tokens[-1][0].strip())}")
        if denied := _said_and_denied(tree):
            raise UnusableItem(f"its condition says and denies the same: {denied.words!r}")
        children = tree.children if isinstance(tree, All) else (tree,)
        kept = [one for one in children if not (isinstance(one, Leaf) and covers(one, own) and not one.meaning)]
        return self._without_pointers(join("all", kept)) if kept else None

    def _next(self, *wanted: str) -> re.Match[str] | None:
        """The next token, taken if it is one of the words that are wanted (any, without them)."""
        if self._tokens and (not wanted or self._tokens[-1][0].strip().lower() in wanted):
            return self._tokens.pop()
        return None

    def _joined(self, operator: str, depth: int) -> Condition:
        """Terms joined by "or", of factors joined by "and"."""
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
        if depth > MAX_DEPTH:
            raise UnusableItem(f"its condition is nested more than {MAX_DEPTH} deep")
        word = token[0].strip().lower()
        if word == "(":
            inner = self._joined("or", depth + 1)
            if self._next(")") is None:
                raise UnusableItem("its condition lacks a bracket")
            return inner
        if word == "not":
            child = self._factor(depth + 1)
            return child.child if isinstance(child, Not) else Not(child)
        if word in ("any", "all") and self._tokens and self._tokens[-1]["first"]:
            return self._list(word, self._tokens.pop())
        if token["first"]:
            return self._list("all", token)
        if not token["place"]:
            raise UnusableItem(f"its condition cannot be read at {described(word)}")
        return self._leaf(token["place"].lower(), *((token[name] or "").strip('"') for name in ("quote", "means")))

    def _list(self, operator: str, token: re.Match[str]) -> Condition:
        first, last = int(token["first"]), int(token["last"])
        if not first <= last < first + MAX_LEAVES:
            raise UnusableItem(f"its condition has no list {token[0].strip()!r}")
        return join(operator, [self._leaf(str(number)) for number in range(first, last + 1)])

    def _leaf(self, place: str, quote: str = "", means: str = "") -> Leaf:
        self._leaves += 1
        if self._leaves > MAX_LEAVES:
            raise UnusableItem(f"its condition has more than {MAX_LEAVES} parts")
        span = self._places.find(place, quote)
        found = (self._places.elements[span.anchor], span) if span else self._places.elsewhere(place, quote)
        if found is None:
            quoted = f'"{quote}"'
            what = f"has no words {described(quoted)} in" if quote else "cites what its section does not have:"
            raise UnusableItem(f"its condition {what} {described(place)}")
        element, cited = found
        text, meaning = element.text[cited.start : cited.end], ""
        try:
            meaning = self._meaning(element, cited, means) if means else ""
        except UnusableItem as problem:  # the page's own words still say it
            self.notes.append(f"left out: {problem}")
        meaning = meaning or self._places.headed(element, cited)
        if span is not None:
            return Leaf(span.anchor, span.start, span.end, text, meaning)
        here = self._places.elements[self._own.anchor]  # the section cannot cite it; what it says is what is meant
        return Leaf(here.label, 0, len(here.text), here.text, meaning or text)

    def _meaning(self, element: InputElement, cited: Span, means: str) -> str:
        """The meaning, if it says what the cited words say, in words of the page; empty if it only repeats them."""
        meaning, text = clean_name(means, _LONGEST_MEANING), element.text[cited.start : cited.end]
        text = text[after_number(text) :]
        if meaning is None:
            raise UnusableItem("what its condition means is no text, empty or too long")
        if tokens(meaning) == tokens(text):
            return ""
        if not self._shown.names(meaning):
            raise UnusableItem(f"not stated: what its condition means, {meaning!r}")
        if not is_condition(element, cited):  # a situation that it speaks of
            return meaning
        if not numbers_of(meaning).issuperset(numbers_of(_ONE.sub("", text))):
            raise UnusableItem(f"what its condition means, {meaning!r}, lacks a number of {text!r}")
        wanted, found = content_words(text) - _LEANING, content_words(meaning)
        whole = len(wanted) >= _CLAUSE
        led = element.lead_in or element.parent  # which may deny it
        may_deny = bool(led) or not whole or not _OTHERWISE.isdisjoint(tokens(text))
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
        below = [leaf for other in among if other is not child for leaf in leaves(other)]
        if covers(child, self._own) and any(covers(leaf, self._own) for leaf in below):  # all in another section
            return True
        known = self._places.elements
        return any(child.anchor in names_above(known[leaf.anchor], known) for leaf in below)


def _said_and_denied(tree: Condition) -> Leaf | None:
    """A leaf that a tree has both as it is and alone under "not"."""
    said: set[Leaf] = set()
    denied: set[Leaf] = set()
    parts = [tree]
    while parts:
        match parts.pop():
            case Not(Leaf() as leaf):
                denied.add(leaf)
            case Not(child):
                parts.append(child)
            case Leaf() as leaf:
                said.add(leaf)
            case All(children) | AnyOf(children):
                parts += children
    return min(said & denied, key=lambda leaf: (leaf.anchor, leaf.start), default=None)


def _denies(text: str) -> bool:
    return any(word in _DENYING or word.endswith(("n't", "n’t")) for word in tokens(text))
