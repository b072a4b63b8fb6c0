"""The measure of main text: labels as files, and what counts as found."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.maintext import Label, measure, outline, pages_of, print_pieces, score

pytestmark = [pytest.mark.unit, pytest.mark.long]

PAGE = (
    "<html><body><nav><a href=/>Home of the office</a></nav><main><h1>Permits</h1>"
    "<p>You need a permit to park on your street in the old harbour.</p>"
    "<table><tr><th>Permit</th><th>Fee</th></tr><tr><td>Six months</td><td>£30</td></tr></table></main></body></html>"
)


def test_words_lost_words_let_in_and_words_that_may_be_either() -> None:
    label = Label("page", (("+", "p", "one two three four five"), ("?", "p", "by a writer"), ("-", "p", "six seven")))
    assert score("one two three four five", label).recall == 1
    assert score("one two three four five\nby a writer", label).precision == 1
    assert score("one two three four five\nsix seven", label).precision == pytest.approx(0.5)
    assert score("one two three four", label).recall == pytest.approx(0.5)


def test_a_run_prints_what_it_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "00.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "01.html").write_text("<html><body></body></html>", encoding="utf-8")
    lines = [("-" if tag == "nav" else "+", tag.replace("tr", "table1"), text) for tag, text in outline(PAGE)]
    checks = measure(pages_of(tmp_path), {"00": Label("page", tuple(lines)), "01": Label("empty", ())})
    assert [check.value for check in checks] == [0, 0, 0, 0]
    said = capsys.readouterr().out
    assert "1 of 1 tables of data; not flagged: none; wrongly: none" in said
    assert "the slowest" in said and "trafilatura" in said


def test_what_is_left_is_counted_in_pieces_and_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_pieces({"00": PAGE, "01": "<html><body></body></html>"}) == 0
    said = capsys.readouterr().out
    assert "2 pages, 0.0 MB" in said
    assert "2 pieces, 1 of tables; 1 pages without text" in said
