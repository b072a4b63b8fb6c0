"""Pieces: questions with what follows them, other sentences by three, tables in Markdown under the page's name."""

from hypothesis import given, settings
from hypothesis import strategies as st

from clausegraph.core.pages.pieces import pieces_of, with_pieces
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.types import Reading


def read(body: str, title: str = "Harbour bridges") -> Reading:
    page = f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1>{body}</main></body></html>"
    return read_document(SourceDocument("https://bridges.example/all", page.encode()))[0]


def test_sentences_go_by_three_within_a_section() -> None:
    reading = read(
        "<p>The Alder bridge opened in 1931. It is 412 m long. It carries two lanes. It was painted in 1990.</p>"
        "<h2>Traffic</h2><p>About 9,000 cars cross it each day.</p>"
    )
    pieces = pieces_of(reading)
    assert [piece.text for piece in pieces] == [
        "The Alder bridge opened in 1931. It is 412 m long. It carries two lanes.",
        "It was painted in 1990.",
        "About 9,000 cars cross it each day.",
    ]
    assert pieces[2].headings == ("Harbour bridges", "Traffic")
    cited = [reading.element(span.anchor).text[span.start : span.end] for span in pieces[0].parts]  # type: ignore[union-attr]
    assert cited == ["The Alder bridge opened in 1931.", "It is 412 m long.", "It carries two lanes."]


def test_a_question_keeps_what_follows_it_up_to_the_limit() -> None:
    body = (
        "<p>Old text stands here for a start.</p><p>Who built the Alder bridge?</p>"
        "<p>Ines Alder designed it. She was 28."
        " Her brother paid. The city did not.</p><h2>When it opened</h2><p>It opened in May. Few came.</p>"
    )
    texts = [piece.text for piece in pieces_of(read(body))]
    assert texts == [
        "Old text stands here for a start.",
        "Who built the Alder bridge? Ines Alder designed it. She was 28. Her brother paid. The city did not.",
        "When it opened It opened in May. Few came.",
    ]
    short = [piece.text for piece in pieces_of(read(body), characters=60)]
    assert short[1:3] == [
        "Who built the Alder bridge? Ines Alder designed it.",
        "She was 28. Her brother paid. The city did not.",
    ]


def test_an_overlong_sentence_is_cut_before_a_word() -> None:
    piece = pieces_of(read(f"<p>It {'really ' * 200}is long.</p>"), characters=100)[0]
    assert len(piece.text) <= 100
    assert piece.text.endswith("really")


ROWS = "".join(f"<tr><td>Bridge {n}</td><td>{1900 + n}</td><td>{n}00 m</td></tr>" for n in range(1, 31))
TABLE = f"<table><tr><th>Name</th><th>Opened</th><th>Length</th></tr>{ROWS}</table>"


def test_a_large_table_is_split_by_rows_and_says_its_header_again() -> None:
    pieces = [
        piece for piece in pieces_of(read(f"<p>These are all of them.</p>{TABLE}"), characters=300) if piece.is_table
    ]
    assert len(pieces) > 2
    for piece in pieces:
        lines = piece.text.split("\n")
        assert lines[:3] == ["Harbour bridges", "| Name | Opened | Length |", "| --- | --- | --- |"]
        assert len(lines) - 3 == len(piece.parts)
    rows = [line for piece in pieces for line in piece.text.split("\n")[3:]]
    assert rows[0] == "| Bridge 1 | 1901 | 100 m |"
    assert len(rows) == 30


def test_tables_without_anything_in_them_are_left_out_and_a_bar_in_a_cell_is_none() -> None:
    empty = "<table><tr><th>Name</th><th>Opened</th></tr><tr><td>-</td><td> </td></tr></table>"
    body = "<p>Two bridges are known to us so far.</p><table><tr><td>Alder</td><td>open|shut</td></tr></table>"
    tables = [piece.text for piece in pieces_of(read(body + "<h2>More</h2>" + empty)) if piece.is_table]
    assert tables == ["Harbour bridges\n|  |  |\n| --- | --- |\n| Alder | open\\|shut |"]


def test_pieces_as_chunks_name_page_and_headings() -> None:
    reading = with_pieces(
        read("<h2>Traffic</h2><p>About 9,000 cars cross it each day.</p>"), name="Bridges of the city"
    )
    assert [chunk.key for chunk in reading.chunks] == ["p0"]
    assert (
        reading.chunks[0].text == "Bridges of the city\nHarbour bridges\nTraffic\nAbout 9,000 cars cross it each day."
    )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["<p>", "<tr>", "<td>", "<table>", "</table>", "who?", "a | b", "x" * 90, "<h2>", ". "]))
)
def test_any_page_comes_apart(parts: list[str]) -> None:
    reading = read("".join(parts))
    for piece in pieces_of(reading, characters=50):
        for span in piece.parts:
            element = reading.element(span.anchor)
            assert element is not None
            assert 0 <= span.start < span.end <= len(element.text)
