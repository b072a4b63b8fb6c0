"""What the text alone tells: no server is needed to refuse what fetches, calls or leaves the database."""

import unicodedata

import pytest

from clausegraph.core.errors import QueryRefused
from clausegraph.indexes.graph.neo4j.cypher_tokens import LONGEST, checked_text
from tests.harness.cases import for_each
from tests.injection.cypher.hostile import ALLOWED, HOSTILE_QUERIES

_URL = "http://127.0.0.1:1"
_OUTSIDE = [name for name in HOSTILE_QUERIES if name.startswith(("load", "apoc", "function", "use", "dbms", "db-"))]
_ODD = [chr(code) for code in range(0xD800) if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zs", "Zl", "Zp")]
_CALL = ("RETURN", " ", "apoc", ".", "text", ".", "join", "(", "['a'], 'b'", ")")


@for_each("name", _OUTSIDE)
def test_refused(name: str) -> None:
    with pytest.raises(QueryRefused):
        checked_text(HOSTILE_QUERIES[name].format(url=_URL))


@for_each("name", ALLOWED)
def test_allowed(name: str) -> None:
    assert checked_text(ALLOWED[name])


@for_each("place", range(1, len(_CALL)))
def test_no_blank_or_comment_hides_a_function(place: int) -> None:
    for between in (*_ODD, "/**/", "/* ( */", "//\n", "// ( \r", "\t/*\n*/ "):
        with pytest.raises(QueryRefused):
            checked_text("".join(_CALL[:place]) + between + "".join(_CALL[place:]))


def test_comments_are_not_sent() -> None:
    assert checked_text("RETURN 1 /* a\nb */ AS x // c\n , 2;") == "RETURN 1     \n     AS x     \n , 2"
    assert checked_text("RETURN '/* a */' AS `//x`") == "RETURN '/* a */' AS `//x`"


def test_messages_name_the_place() -> None:
    for query, said in {
        "RETURN 1,\n  'a": "' at line 2, column 3 is never closed",
        "RETURN\u00a01": r"U\+00A0 at line 1, column 7",
        "RETURN '\\u0041'": r"at line 1, column 9",
        "RETURN 1" + " " * LONGEST: "characters",
        "MATCH (n) USE x RETURN n": "USE is refused",
        "RETURN a . `b c` (1)": r"a\.b c\(\) is refused",
    }.items():
        with pytest.raises(QueryRefused, match=said):
            checked_text(query)
