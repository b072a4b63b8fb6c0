"""CSV: one row for each statement, safe to open in a spreadsheet.

What a spreadsheet might take for a formula gets an apostrophe in front: at the start of a cell, and behind a
semicolon, tab or line break within it, because some spreadsheets cut there. Control and direction characters are
shown as U+FFFD. JSON lines keep the texts to the letter.
"""

from __future__ import annotations

import csv
import io
import re
from typing import IO

from clausegraph.app.services.procedures import step_record
from clausegraph.app.services.records import object_text, quotes
from clausegraph.core.language.wording import condition_words, written
from clausegraph.core.text import clean
from clausegraph.core.types import Reading, Support
from clausegraph.indexes.views import View

COLUMNS = (
    "fact", "subject", "relation", "object", "polarity", "modality", "wording", "subject_written", "object_written",
    "condition", "effective_from", "effective_to", "step", "procedure", "source", "uri", "title", "updated", "section",
    "quote",
)  # fmt: skip
_FORMULA = re.compile(r"[\t\r\n]|[\s\ufffd\u200c\u200d]*[=+@＝＋－＠﹢﹣﹦﹫−-]")
_FORMULA_INSIDE = re.compile(r"(?<=[;\t\n])([\s\ufffd\"]*)(?=[=+@＝＋－＠﹢﹣﹦﹫−-])")


def write_csv(view: View, file: IO[bytes]) -> dict[str, int]:
    """Write the statements of the epoch; returns their number."""
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="", write_through=True)
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    supports = view.graph.all_supports()
    for support in supports:
        rows.writerow([safe_cell(cell) for cell in _row(support, view.reading(support.page))])
    text.detach()  # the caller closes the file
    return {"support": len(supports)}


def safe_cell(value: object) -> str:
    """A cell that no spreadsheet takes for a formula: what looks like one gets an apostrophe in front."""
    text = _FORMULA_INSIDE.sub(r"\1'", clean("" if value is None else value))
    return "'" + text if _FORMULA.match(text) else text


def _row(support: Support, reading: Reading) -> list[object]:
    statement = support.statement
    stated = quotes(support, reading)
    section = " › ".join(stated[0][0].headings) if stated else ""
    return [
        support.fact_id, statement.subject.surface, statement.relation, object_text(statement),
        "yes" if statement.polarity else "no", statement.modality.value, statement.wording,
        written(statement.subject), written(statement.object), condition_words(statement.condition),
        statement.effective_from, statement.effective_to, *step_record(statement.step).values(), support.page.source,
        support.page.uri, reading.title, reading.updated, section, " / ".join(quote for _, quote in stated),
    ]  # fmt: skip
