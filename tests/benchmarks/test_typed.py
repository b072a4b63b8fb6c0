"""Figures of the typed questions: what needs no judge, and what a judge found."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from benchmarks.typed import DAY, OnDay, summary
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Element, PageKey, Reading
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.retrieve.bank import Hit
from tests.query.read.conftest import Pages

pytestmark = [pytest.mark.unit, pytest.mark.long]


def record(name: str, kind: str = "fact", **given: Any) -> dict[str, Any]:
    usual = {"id": name, "kind": kind, "corpus": "sample", "status": "answered", "asserted": True}
    return usual | {"evidence_shown": 1.0, "verdict_agrees": None, "milliseconds": 10.0} | given


def test_what_needs_no_judge_is_counted() -> None:
    quoted = record("b", status="unknown", asserted=False, evidence_shown=0.5)
    lines = summary([record("a"), quoted, record("c", "off_topic", status="not_answerable", asserted=False)], [quoted])
    text = "\n".join(" ".join(line.split()) for line in lines)
    assert "asserted, of the answerable 1 of 2 50.0%" in text
    assert "all deciding elements shown, of the answerable 1 of 2" in text
    assert "not answerable, of the off-topic 1 of 1" in text
    assert "nothing asserted, with the page taken out 1 of 1" in text and "median milliseconds 10" in text


def test_ages_count_from_one_day_whenever_it_is_run() -> None:
    text = "You can get the pension if you are aged 66 or over."
    page, element = PageKey("test", "page"), Element("a", "p", f"<p>{text}</p>", text)
    found = Pages({page: Reading("page", None, (element,))})
    hits = [Hit.of_element(page, element, 1.0, {"element": 0.7})]
    reader = OnDay(ExtractiveReader())
    born = {year: f"I was born on {DAY.day} November {year}." for year in (DAY.year - 66, DAY.year - 65)}
    said = [reader.read(Inquiry("can i get the pension", told), hits, found) for told in born.values()]
    assert [result.alternatives[0].text for result in said] == ["yes", "no"]
    assert date(2026, 11, 22) == DAY
