"""Dates and language that a page states of itself."""

import pytest

from clausegraph.core.pages.read import read_document
from clausegraph.core.serial import reading_from_json, reading_to_json
from clausegraph.core.types import Reading
from clausegraph.ingestion.sources import SourceDocument


def read(body: str, head: str = "") -> Reading:
    page = f"<html><head>{head}</head><body><main><p>You must pay the fee each year.</p>{body}</main></body></html>"
    return read_document(SourceDocument("page.html", page.encode()))[0]


@pytest.mark.parametrize(
    ("line", "date"),
    [
        ("Stand: 3. März 2026", "2026-03-03"),
        ("Zuletzt geändert am 03.04.2026", "2026-04-03"),
        ("Dernière mise à jour le 3 avril 2026", "2026-04-03"),
        ("Actualizado el 3 de abril de 2026", "2026-04-03"),
        ("Ultimo aggiornamento: 3 aprile 2026", "2026-04-03"),
        ("Laatst bijgewerkt op 3 april 2026", "2026-04-03"),
        ("Stand der Dinge: gestern", None),
        ("Stand 99. März 2026", None),
    ],
)
def test_updated_in_other_languages(line: str, date: str | None) -> None:
    assert read(f"<p>{line}</p>").updated == date


def test_a_review_to_come_is_none() -> None:
    assert read("<p>Page next reviewed 1 June 2027</p>").reviewed is None
    assert read("<p>Last reviewed: 1 June 2025, next reviewed 1 June 2027</p>").reviewed == "2025-06-01"


def test_a_date_in_the_rules_is_no_date_of_the_page() -> None:
    reading = read("<p>The fee is £30 from 2026-04-01, as the order published on that day says.</p>")
    assert (reading.published, reading.updated, reading.reviewed) == (None, None, None)


@pytest.mark.parametrize("script", ["{", "[" * 5000, '{"datePublished": 2024}', '"2024-03-03"', "null"])
def test_damaged_linked_data_states_nothing(script: str) -> None:
    assert read("", f'<script type="application/ld+json">{script}</script>').published is None


@pytest.mark.parametrize(("lang", "stated"), [("en_GB", "en-GB"), ("de", "de"), ("", None), ("{{lang}}", None)])
def test_language_is_what_the_page_states(lang: str, stated: str | None) -> None:
    page = f'<html lang="{lang}"><body><p>You must pay the fee each year.</p></body></html>'
    assert read_document(SourceDocument("page.html", page.encode()))[0].language == stated


def test_what_a_page_states_is_stored() -> None:
    reading = read("<p>Published 3 March 2024. Last updated 5 May 2025.</p><p>Last reviewed: 1 June 2025.</p>")
    assert reading.published and reading.reviewed
    assert reading_from_json(reading_to_json(reading)) == reading
    assert not {"published", "reviewed", "language"} & set(reading_to_json(read("")))


@pytest.mark.parametrize("name", ["\x01", "&#1;", "&#xfffe;", "&#xd800;", "<", "date&#8;"])
def test_a_head_of_any_characters_is_read(name: str) -> None:
    meta = f'<meta name="{name}" content="2024-03-03{name}" {name}="x"><meta name="pubdate" content="2024-03-03">'
    assert read("", meta).published == "2024-03-03"
