"""Rows of tables in an answer: named cells in words, a table where tables can be shown."""

from dataclasses import replace

from clausegraph.app.render import answer_markdown, answer_text
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.presentation.answer import present
from clausegraph.core.types import Answer, AnswerStatus, Evidence, PageKey, Sentence, Span

HEADS = "CO2 (g/km) | Rate"
ROWS = ("0 | £0", "1 to 50 | £35", "51 to 100 | £95", "101 to 150 | £140", "151 to 200 | £190", "Over 200 | £410")


def row(at: int, **more: object) -> Evidence:
    span = Span(f"tr-{at}-0", 0, len(ROWS[at]))
    made = Evidence(PageKey("corpus", "tax"), "Vehicle tax", ("Vehicle tax", "Rates"), span, ROWS[at], "<tr></tr>")
    return replace(made, lead_in=HEADS, position=10 + at, **more)  # type: ignore[arg-type]


def heads(*items: str, left: int = 0) -> Evidence:
    return replace(
        row(0), quote=HEADS, span=Span("tr-h-0", 0, 17), lead_in="", items=items, items_left=left, position=9
    )


def written(*evidence: tuple[Evidence, ...]) -> Answer:
    sentences = tuple(Sentence(f"Sentence {at}.", cited) for at, cited in enumerate(evidence))
    return Answer(Inquiry("How much?"), AnswerStatus.ANSWERED, (), "default", 1, sentences=sentences)


def test_cited_rows_of_one_table_are_one_table_in_page_order() -> None:
    answer = written((row(4),), (row(1),))
    assert "  [2] Rates: “CO2 (g/km): 1 to 50; Rate: £35”\n  [1] “CO2 (g/km): 151 to 200; Rate: £190”" in answer_text(
        answer
    )
    assert (
        answer_markdown(answer)
        .rstrip()
        .endswith(
            "Rates:\n\n| CO2 (g/km) | Rate |\n|---|---|\n| **1 to 50** \\[2\\] | **£35** |\n| *… 2 more rows …* |  |\n"
            "| **151 to 200** \\[1\\] | **£190** |"
        )
    )


def test_a_row_is_shown_with_the_neighbours_that_are_known_and_a_count_of_the_others() -> None:
    answer = written((heads(*ROWS[:5], left=3), row(3)))
    (source,) = present(answer).sources
    (line,) = source.lines  # heads that are cited beside their row are shown with it
    assert line.table is not None
    assert [(one.cells[:1], one.number, one.note) for one in line.table.rows] == [
        ((), 0, "… 1 more row …"),
        (("1 to 50",), 0, ""),
        (("51 to 100",), 0, ""),
        (("101 to 150",), 1, ""),
        (("151 to 200",), 0, ""),
        ((), 0, "and 3 more rows in the table"),
    ]


def test_rows_that_one_sentence_cites_together_are_all_shown() -> None:
    both = (row(1, items=(ROWS[0], *ROWS[2:])), row(4, items=(*ROWS[:4], ROWS[5])))
    shown = present(written(both))
    assert shown.headline[0].citations == (1, 2)
    (source,) = shown.sources
    assert [line.text for line in source.lines if "Rate:" in line.text] == [
        "Rates: “CO2 (g/km): 1 to 50; Rate: £35”", "“CO2 (g/km): 151 to 200; Rate: £190”",
    ]  # fmt: skip


def test_a_quoted_row_of_a_long_table_is_named_with_how_many_more_there_are() -> None:
    beside = replace(row(1), items=(ROWS[0], ROWS[2]), item_depths=(0, 0), items_before=1, items_left=3)
    answer = replace(written(), status=AnswerStatus.QUOTED, quotes=(beside,))
    text = answer_text(answer)
    assert text.index("£35” [1]") < text.index("and 5 more rows in the table")
    assert "£0" not in text and "£95" not in text
    table = next(line.table for line in present(answer).headline if line.table)
    assert [one.number for one in table.rows] == [0, 1, 0, 0]
