"""The text of somebody else's Cypher, before a server sees it: what a plan does not show is refused here.

A plan names procedures and LOAD CSV where they are operators. It does not where they stand in a subquery within an
expression (``[x IN xs | COLLECT { LOAD CSV … }]`` is one Projection), and functions and USE are never operators. So the
text is cut into tokens, coarser than Neo4j's own and never finer: every token of Neo4j's that could call, load or
change the database is one of ours, because

* Unicode escapes, which Neo4j decodes before it reads anything else, are refused wherever they stand;
* between quotes, backticks and comments there may be only ASCII and letters and digits, so that no blank, line end or
  invisible character is one for Neo4j and none for us; comments are taken out of what is sent;
* functions of plugins have a namespace by Neo4j's own rule, and nothing else in Cypher is a dot, a name and a
  parenthesis: ``apoc . `load` (`` is found in whatever way it is spaced or quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clausegraph.core.errors import QueryRefused

# Neo4j plans for minutes where much is nested or chained, and heeds no time limit meanwhile.
LONGEST = 10_000  # characters
_DEEPEST = {"{": 10, "(": 100, "[": 100}

PROCEDURES = frozenset(
    {
        "db.index.fulltext.queryNodes",
        "db.index.fulltext.queryRelationships",
        "db.labels",
        "db.propertyKeys",
        "db.relationshipTypes",
        "db.schema.visualization",
    }
)
_TEMPORAL = ("date", "datetime", "localdatetime", "localtime", "time")
FUNCTIONS = frozenset(
    {
        *(f"{kind}.{name}" for kind in _TEMPORAL for name in ("realtime", "statement", "transaction", "truncate")),
        *(f"duration.{name}" for name in ("between", "indays", "inmonths", "inseconds")),
        "datetime.fromepoch",
        "datetime.fromepochmillis",
        "point.distance",
        "point.withinbbox",
        "vector.similarity.cosine",
        "vector.similarity.euclidean",
    }
)  # in lower case: names of built-in functions may be written in any

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+)
    | (?P<comment>//[^\r\n]* | /\*.*?\*/)
    | (?P<string>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*")
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<word>\w+)
    | (?P<sign>\.\. | [!-\[\]-~])""",
    re.DOTALL | re.VERBOSE,
)
_OPENED = re.compile(r"['\"`]|/\*")
_ESCAPE = re.compile(r"\\[uU]")
_NOT_CLAUSES = (".", ":", "$")  # behind these a word is a name, never a clause


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a name in backticks (without them), a string or a sign."""

    kind: str
    text: str

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.text.upper() in words

    def is_sign(self, *signs: str) -> bool:
        return self.kind == "sign" and self.text in signs

    @property
    def is_name(self) -> bool:
        return self.kind in ("word", "quoted")


_NOTHING = Token("sign", "")


def checked_text(query: str) -> str:
    """The query as it may be sent: without comments and a last semicolon."""
    if len(query) > LONGEST:
        raise QueryRefused(f"the query has {len(query):,} characters; {LONGEST:,} are the most")
    escape = _ESCAPE.search(query)
    if escape is not None:
        raise QueryRefused(
            f"{escape[0]} at {_place(query, escape.start())}: write the character itself, or a parameter"
        )
    cut = list(_cut(query))
    parts = [  # blanks for comments, so that the lines and columns of Neo4j's messages are those of the query
        re.sub(r"[^\r\n]", " ", source) if token.kind == "comment" else source for token, source in cut
    ]
    places = [place for place, (token, _) in enumerate(cut) if token.kind not in ("blank", "comment")]
    if places and cut[places[-1]][0].is_sign(";"):
        parts[places.pop()] = ""
    if not places:
        raise QueryRefused("the query is empty")
    _check([cut[place][0] for place in places])
    return "".join(parts)


def _cut(query: str) -> Iterator[tuple[Token, str]]:
    at = 0
    while at < len(query):
        found = _TOKEN.match(query, at)
        if found is None or (found.lastgroup == "sign" and _OPENED.match(query, at)):
            raise QueryRefused(_unreadable(query, at))
        kind, text = found.lastgroup or "", found[0]
        if (lone := re.search("[\ud800-\udfff]", text)) is not None:
            raise QueryRefused(f"half of a character at {_place(query, at + lone.start())}; remove it")
        yield Token(kind, text[1:-1].replace("``", "`") if kind == "quoted" else text), text
        at = found.end()


def _unreadable(query: str, at: int) -> str:
    opened = _OPENED.match(query, at)
    if opened is not None:
        return f"{opened[0]} at {_place(query, at)} is never closed"
    return f"U+{ord(query[at]):04X} at {_place(query, at)} can only stand within quotes; use a plain blank or sign"


def _place(query: str, at: int) -> str:
    lines = query[:at].split("\n")
    return f"line {len(lines)}, column {len(lines[-1]) + 1}"


def _check(tokens: Sequence[Token]) -> None:
    if tokens[0].is_word("EXPLAIN", "PROFILE", "CYPHER"):
        raise QueryRefused(f"{tokens[0].text.upper()} in front of a query is refused; write the query alone")
    depth = dict.fromkeys(_DEEPEST, 0)
    for number, token in enumerate(tokens):
        before = tokens[number - 1] if number else _NOTHING
        after = tokens[number + 1] if number + 1 < len(tokens) else _NOTHING
        if token.kind == "sign":
            _check_sign(token.text, depth)
        elif token.is_name and before.is_sign(".") and after.is_sign("("):
            name = _name_ending(tokens, number)
            if name not in PROCEDURES and name.lower() not in FUNCTIONS:
                raise QueryRefused(f"{name}() is refused: only Neo4j's own functions and {_LISTED} may be called")
        elif token.kind == "word" and not before.is_sign(*_NOT_CLAUSES):
            _check_clause(token, after, tokens, number)


def _check_sign(sign: str, depth: dict[str, int]) -> None:
    if sign == ";":
        raise QueryRefused("more than one statement (a semicolon within the query); run them one by one")
    if sign in depth:
        depth[sign] += 1
        if depth[sign] > _DEEPEST[sign]:
            raise QueryRefused(f"more than {_DEEPEST[sign]} {sign} within one another; write a simpler query")
    elif sign in ")]}":
        depth[{")": "(", "]": "[", "}": "{"}[sign]] -= 1


def _check_clause(token: Token, after: Token, tokens: Sequence[Token], number: int) -> None:
    if token.is_word("LOAD") and after.is_word("CSV"):
        raise QueryRefused("LOAD CSV is refused: it makes the server read files and addresses")
    if token.is_word("USE"):
        raise QueryRefused("USE is refused: the database is that of the settings; a variable `use` needs backticks")
    if token.is_word("CALL") and after.is_name:
        name = _name_starting(tokens, number + 1)
        if name not in PROCEDURES:
            raise QueryRefused(f"CALL {name} is refused: of procedures only {_LISTED} may be called")


def _name_ending(tokens: Sequence[Token], last: int) -> str:
    first = last
    while first >= 2 and tokens[first - 1].is_sign(".") and tokens[first - 2].is_name:
        first -= 2
    return ".".join(token.text for token in tokens[first : last + 1 : 2])


def _name_starting(tokens: Sequence[Token], first: int) -> str:
    last = first
    while last + 2 < len(tokens) and tokens[last + 1].is_sign(".") and tokens[last + 2].is_name:
        last += 2
    return _name_ending(tokens, last)


_LISTED = ", ".join(sorted(PROCEDURES))
