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

from clausegraph.core.errors import QueryRefused

# Neo4j plans for minutes where much is nested or chained, and heeds no time limit meanwhile.
LONGEST = 10_000  # characters
_DEEPEST = {"{": 10, "(": 100, "[": 100}
_CLOSED = {"}": "{", ")": "(", "]": "["}

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

_LISTED = ", ".join(sorted(PROCEDURES))

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
_REFUSED = re.compile(r"\\[uU]|[\ud800-\udfff]")
# Of the code, in which tokens are parted by blanks: names, calls in a namespace, and clauses. Behind these signs a word
# is a name, never a clause.
_NAME = r"(?:`[0-9a-f]*|\w+)"
_CALLED = re.compile(rf"((?:{_NAME} )?(?:\. {_NAME} )+)\(")
_CLAUSE = re.compile(
    rf"(?<![.:$] )(?<![`\w])(?:(?P<load>LOAD CSV)|(?P<use>USE)|CALL (?P<called>{_NAME}(?: \. {_NAME})*))(?!\w)",
    re.IGNORECASE,
)


def checked_text(query: str) -> str:
    """The query as it may be sent: without comments and a last semicolon."""
    if len(query) > LONGEST:
        raise QueryRefused(f"the query has {len(query):,} characters; {LONGEST:,} are the most")
    if (found := _REFUSED.search(query)) is not None:
        what = found[0] if found[0].isascii() else "half of a character"
        raise QueryRefused(f"{what} at {_place(query, found.start())}: write the character itself, or a parameter")
    cut = list(_cut(query))
    # blanks for comments, so that the lines and columns of Neo4j's messages are those of the query
    parts = [re.sub(r"[^\r\n]", " ", text) if kind == "comment" else text for kind, text in cut]
    places = [place for place, (kind, _) in enumerate(cut) if kind not in ("blank", "comment")]
    if places and parts[places[-1]] == ";":
        parts[places.pop()] = ""
    if not places:
        raise QueryRefused("the query is empty")
    _check_code([_as_code(*cut[place]) for place in places])
    return "".join(parts)


def _cut(query: str) -> Iterator[tuple[str, str]]:
    """The tokens of a query: kind and text."""
    at = 0
    while at < len(query):
        found, opened = _TOKEN.match(query, at), _OPENED.match(query, at)
        if found is None or (found.lastgroup == "sign" and opened):
            raise QueryRefused(
                f"{opened[0]} at {_place(query, at)} is never closed"
                if opened
                else f"U+{ord(query[at]):04X} at {_place(query, at)} can only stand within quotes; "
                "use a plain blank or sign"
            )
        yield found.lastgroup or "", found[0]
        at = found.end()


def _place(query: str, at: int) -> str:
    lines = query[:at].split("\n")
    return f"line {len(lines)}, column {len(lines[-1]) + 1}"


def _as_code(kind: str, text: str) -> str:
    """A token in the code: a string is empty, a name in backticks its bytes, so that no sign or word is in either; and
    two dots are not one."""
    if kind == "quoted":
        return "`" + text[1:-1].replace("``", "`").encode().hex()
    return "''" if kind == "string" else "," if text == ".." else text


def _check_code(tokens: Sequence[str]) -> None:
    if tokens[0].upper() in ("EXPLAIN", "PROFILE", "CYPHER"):
        raise QueryRefused(f"{tokens[0].upper()} in front of a query is refused; write the query alone")
    depth = dict.fromkeys(_DEEPEST, 0)
    for sign in tokens:
        if sign == ";":
            raise QueryRefused("more than one statement (a semicolon within the query); run them one by one")
        if sign in depth:
            depth[sign] += 1
            if depth[sign] > _DEEPEST[sign]:
                raise QueryRefused(f"more than {_DEEPEST[sign]} {sign} within one another; write a simpler query")
        elif sign in _CLOSED:
            depth[_CLOSED[sign]] -= 1
    code = " ".join(tokens)
    for call in _CALLED.finditer(code):
        name = _named(call[1])
        if name not in PROCEDURES and name.lower() not in FUNCTIONS:
            raise QueryRefused(f"{name}() is refused: only Neo4j's own functions and {_LISTED} may be called")
    for clause in _CLAUSE.finditer(code):
        if clause["load"]:
            raise QueryRefused("LOAD CSV is refused: it makes the server read files and addresses")
        if clause["use"]:
            raise QueryRefused("USE is refused: the database is that of the settings; a variable `use` needs backticks")
        if (name := _named(clause["called"])) not in PROCEDURES:
            raise QueryRefused(f"CALL {name} is refused: of procedures only {_LISTED} may be called")


def _named(parts: str) -> str:
    """The name that parts of the code make."""
    words = [part for part in parts.split() if part != "."]
    return ".".join(bytes.fromhex(word[1:]).decode() if word.startswith("`") else word for word in words)
