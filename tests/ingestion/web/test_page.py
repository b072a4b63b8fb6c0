"""What a crawl sees of a page."""

from __future__ import annotations

import time

import pytest

from clausegraph.ingestion.sources.web.page import page_facts

pytestmark = pytest.mark.unit
ADDRESS = "https://host.example/"


def test_attributes_without_end_take_no_time() -> None:
    tag = "<p " + " ".join(f"a{number}=1" for number in range(60_000)) + ">"
    start = time.process_time()
    found = page_facts(f"{tag}words</p><a href='/x'>x</a>".encode(), ADDRESS)
    assert found.links == ("https://host.example/x",)
    assert time.process_time() - start < 5  # a minute and more where each is compared with all before it


def test_links_behind_deep_nesting_are_seen() -> None:
    found = page_facts(b"<body>" + b"<font>" * 400 + b"<a href='/x'>x</a>", ADDRESS)
    assert found.links == ("https://host.example/x",)
