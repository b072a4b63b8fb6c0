"""The graph as a person explores it in a browser: found, expanded, narrowed, joined, and saved as it is seen."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.app.console.conftest import PHONE, WIDE, Watched, check, in_each_look

pytestmark = [pytest.mark.integration, pytest.mark.browser]
HEATING = "graph?name=winter+heating+grant"


def opened(watched: Watched, address: str) -> Page:
    page = watched.login()
    page.goto(f"{watched.url}/c/default/{address}")
    return page


def drawn(page: Page) -> list[int]:
    """How many nodes and lines are drawn."""
    page.wait_for_selector("#canvas[data-drawn]")
    return [int(number) for number in str(page.locator("#canvas").get_attribute("data-drawn")).split()]


def saved(page: Page, kind: str) -> bytes:
    with page.expect_download() as download:
        page.click(f"[data-save={kind}]")
    return Path(download.value.path()).read_bytes()


FOUND = [  # what is searched, and the first that is found
    ("winter heating", "Winter Heating Grant", ""),
    ("fishng", "rod fishing licence", "is spelt like it"),
    ("how much for heating", "Home Working Relief", "near in meaning"),
]


@pytest.mark.parametrize(("text", "name", "why"), FOUND)
def test_an_entity_is_found_by_name_spelling_or_meaning(
    window: Callable[..., Watched], text: str, name: str, why: str
) -> None:
    page = opened(window(viewport=WIDE), "graph")
    page.fill("#search", text)
    page.keyboard.press("Enter")
    entry = page.locator("main li", has=page.get_by_role("link", name=name, exact=True))
    expect(entry).to_contain_text(why)
    entry.get_by_role("link").click()
    expect(page.get_by_role("list", name="Around")).to_contain_text(name)
    assert drawn(page)[0] > 1


def test_an_entity_is_expanded_collapsed_and_narrowed_by_the_keyboard(window: Callable[..., Watched]) -> None:
    page = opened(window(viewport=PHONE), HEATING)
    nodes, lines = drawn(page)
    rows = page.locator("#facts tbody tr")
    count = rows.count()
    assert lines >= count > 20 and nodes > count  # each rule and each amount is drawn, and whom they name
    page.locator("#facts a", has_text="Rent Supplement").first.press("Enter")
    expect(page.get_by_role("list", name="Around")).to_contain_text("Rent Supplement")
    assert drawn(page)[0] > nodes
    page.get_by_role("link", name="collapse Rent Supplement").press("Enter")
    page.wait_for_url(re.compile("name=winter"))
    assert drawn(page) == [nodes, lines]
    for field, value, told in (
        ("kind", "deadline", "30 April 2027|31 March 2027"),
        ("relation", "has amount", "£"),
        ("type", "organisation", "Office for Resident Services"),
    ):
        page.select_option(f"#{field}", value)
        page.get_by_role("button", name="Show").press("Enter")
        page.wait_for_url(re.compile(f"{field}={value.replace(' ', '.')}"))
        assert 0 < rows.count() < count
        assert all(re.search(told, text) for text in rows.all_inner_texts())
        page.select_option(f"#{field}", "")
        page.get_by_role("button", name="Show").press("Enter")
        page.wait_for_url(re.compile(f"{field}=&"))
        assert rows.count() == count


def test_a_node_of_the_drawing_is_expanded_and_a_rule_leads_to_its_row_and_sentence(
    window: Callable[..., Watched],
) -> None:
    watched = window(viewport=WIDE, color_scheme="dark")
    page = opened(watched, f"{HEATING}&to=rent+supplement")
    assert drawn(page) == [3, 2]  # a rule joins them
    canvas = page.locator("#canvas")
    boxes = canvas.bounding_box(), page.locator("#facts").bounding_box()
    assert boxes[0] and boxes[1] and boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]  # beside each other
    canvas.click()  # its middle is the rule
    expect(page.locator("#facts tr:focus")).to_contain_text("Rent Supplement")
    page.locator("#facts tr:focus a[href*='#marked']").click()
    expect(page.locator("#marked")).to_be_in_viewport()
    expect(page.locator("#marked")).to_contain_text("all of the following apply")
    page.go_back()
    page.fill("#to", "Street trading licence")
    page.click("text=Find path")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Path")
    page.goto(page.url.replace("to=", "to=nobody+called+"))
    expect(page.locator(".problem")).to_contain_text("nobody called")
    assert all("404" in text for text in watched.complaints)
    watched.complaints.clear()


def test_what_is_saved_is_what_is_seen(window: Callable[..., Watched]) -> None:
    page = opened(window(viewport=WIDE), f"{HEATING}&kind=deadline")
    nodes, lines = drawn(page)
    table = list(csv.reader(io.StringIO(saved(page, "csv").decode("utf-8-sig"))))
    assert table[0] == ["What", "Says", "Of", "Where it says so", "Address"]
    rows = page.locator("#facts tbody tr").all()
    assert len(table) - 1 == len(rows) > 0
    for cells, row in zip(table[1:], rows, strict=True):
        shown = " ".join(row.inner_text().split())
        assert all(part in shown for cell in cells[:4] for part in cell.split("; "))
        assert cells[4] == row.locator("a[href*='#marked']").first.evaluate("link => link.href")
    assert saved(page, "png").startswith(b"\x89PNG")
    text = saved(page, "cypher").decode()
    assert text.count("CREATE (n") - text.count("]->(n") == nodes and text.count("]->(n") == lines


@in_each_look
def test_the_graph_is_accessible(window: Callable[..., Watched], look: dict[str, Any]) -> None:
    watched = window(**look)
    page = opened(watched, "graph")
    for address in ("graph?search=grant", HEATING, f"{HEATING}&name=rent+supplement", f"{HEATING}&to=rent+supplement"):
        page.goto(f"{watched.url}/c/default/{address}")
        check(page)
