"""Which rules an edit of a page changes, and in what: labelled edits of the sample corpus, and how they are told."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from clausegraph.app.change_report import change_feed, change_lines, change_markdown
from clausegraph.app.services.changes import ChangedPage, ChangesReply, changes
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.services.page_edits import Edit
from clausegraph.app.services.records import ShownRule
from clausegraph.app.services.rule_changes import ChangedRule, RuleDifference
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.sources import open_source

CORPUS = Path(__file__).parents[2] / "examples" / "corpus"
EDITS = json.loads((Path(__file__).parent / "data" / "rule_edits.json").read_text("utf-8"))


def _write(folder: Path, edits: list[dict[str, Any]], pages: set[str]) -> None:
    """The pages as they are, with these edits; a page that moves is edited no further."""
    edited = {one["page"]: one for one in edits}
    for old in folder.rglob("*.html"):
        old.unlink()
    for page in pages:
        edit = edited.get(page, {})
        text = (CORPUS / page).read_bytes()
        if "old" in edit:
            assert text.count(edit["old"].encode()) == 1, edit
            text = text.replace(edit["old"].encode(), edit["new"].encode())
        place = folder / edit.get("to", page)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text)


def _told(home: Path, folder: Path, rounds: list[int]) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Each edit with what is said of its page, in one word for each thing; nothing of what is in other words."""
    pages = {one["page"] for one in EDITS if one["round"] in rounds}
    settings = Settings(home=home, embedding_model="hashing", extractor="rules")
    with Workspace(settings) as workspace:
        for number in (0, *rounds):
            edits = [one for one in EDITS if one["round"] == number]
            _write(folder, edits, pages)
            run_ingest(workspace, "default", open_source(str(folder)), Options())
            if not number:
                continue
            found = changes(workspace, "default", 1, reworded=True)
            for edit in edits:
                uri = edit.get("to", edit["page"])
                moved = {one.kind for one in found.pages if one.uri == uri} & {"moved"}
                ruled = [one for one in found.rules if one.page.endswith(f":{uri}")]
                said = {one.kind for one in ruled} - {"changed"}
                said |= {d.what for one in ruled if one.kind != "rewritten" for d in one.differences}
                yield edit, sorted(moved | said - {"reworded", "rewritten"})


@pytest.mark.integration
@pytest.mark.parametrize(
    ("rounds", "misread"),  # rewordings of which other figures are read
    [
        ([1], 0),
        pytest.param([2, 3], 0, marks=pytest.mark.long),
        pytest.param([4, 5, 6, 7, 8, 9], 0, marks=pytest.mark.long),
        pytest.param(range(10, 22), 1, marks=pytest.mark.long),  # by people who had not seen what is told of them
    ],
)
def test_nine_of_ten_edits_are_described_and_no_rewording_is_a_changed_rule(
    tmp_path: Path, rounds: list[int], misread: int
) -> None:
    (tmp_path / "pages").mkdir()
    told = list(_told(tmp_path / "home", tmp_path / "pages", rounds))
    wrong = [(edit, said) for edit, said in told if said != sorted({*edit["expected"]} - {"reworded"})]
    assert len(wrong) <= len(told) // 10, wrong
    assert sum(edit["expected"] == ["reworded"] for edit, _ in wrong) <= misread, wrong


@pytest.mark.unit
@pytest.mark.parametrize(
    ("old", "new", "rewritten"),
    [
        ("You may pay by cheque.", "You may pay by card.", False),  # one thing can be named
        ("You must tell us within 14 days.", "You must tell us within 21 days.", False),
        ("Apply by post if you have moved.", "Apply by post if you have moved and owe nothing.", False),
        (
            "We pay if you ask in writing and live here.",
            "Ask in writing, and we will pay you if you live in this place.",
            True,
        ),
        ("If your job ends, you have 60 days to leave.", "You must leave within 60 days once the job is over.", True),
        ("Dogs must be on a lead in the park.", "Fees are due in April, and cards are accepted.", False),
    ],
)
def test_sentences_about_the_same_in_other_words_throughout_are_rewritten(old: str, new: str, rewritten: bool) -> None:
    assert Edit(old, new).rewritten is rewritten


def test_what_was_rewritten_and_changed_at_once_is_told_and_never_left_out(tmp_path: Path) -> None:
    pages, told = tmp_path / "pages", list[list[tuple[str, list[str]]]]()
    pages.mkdir()
    place = "<h1>Moving grant</h1><p>The grant is for tenants.</p><p>{}</p>"
    before = "You can get the grant if your landlord has ended your tenancy in writing."
    edits = (
        "If your landlord has ended your tenancy in writing, you can get the grant.",  # the same
        "You can get the grant if your landlord has ended your tenancy by post.",
        "Where your tenancy was ended in writing by the council, the grant can be paid to you.",
        "Where your tenancy was ended in writing by the landlord, £90 can be paid to you.",
    )
    with Workspace(Settings(home=tmp_path / "home", embedding_model="hashing", extractor="rules")) as workspace:
        for text in (before, *edits):
            (pages / "grant.html").write_text(place.format(text))
            run_ingest(workspace, "default", open_source(str(pages)), Options(hold_share=1.0))
            if text != before:
                found = changes(workspace, "default", 1).rules
                told.append([(one.kind, [each.what for each in one.differences]) for one in found])
    assert [[kind for kind, _ in one] for one in told] == [[], ["changed"], ["rewritten"], ["changed"]]
    assert "value" in told[3][0][1]


HOSTILE = "<script>alert(1)</script> [x](javascript:x) `*_|# ]]> & \x1b[31m"


def test_nothing_of_a_page_is_markup_in_markdown_or_the_feed_and_ids_are_stable() -> None:
    difference = RuleDifference(what="value", old=HOSTILE, new="")
    page = ChangedPage(kind="changed", source="s", uri=HOSTILE, title=HOSTILE, url="javascript:x", moved_from=HOSTILE)
    shown = ShownRule.model_construct(words=HOSTILE, section=HOSTILE)
    rule = ChangedRule.model_construct(
        kind="changed", page=f"s:{HOSTILE}", differences=[difference], old=shown, new=shown
    )
    found = ChangesReply.model_construct(
        corpus="default", since=1, until=2, published=0.0, pages=[page], rules=[rule], reworded=0
    )
    feed = change_feed(found)
    assert feed == change_feed(found)
    root = ElementTree.fromstring(feed)
    entries = root.findall("{*}entry")
    assert [one.findtext("{*}title") for one in entries] and not root.findall(".//{*}link")
    content = entries[0].findtext("{*}content") or ""
    assert "<script" not in content and "&lt;script&gt;" in content and content.count("<ins>") == 1
    other = change_feed(found.model_copy(update={"until": 3}))
    assert entries[0].findtext("{*}id") != ElementTree.fromstring(other).findtext("{*}entry/{*}id")
    shown_markdown = change_markdown(found)
    assert "\\<script\\>" in shown_markdown and not re.search(r"(?<!\\)[<\[`]", shown_markdown)
    assert not any("\x1b" in one for one in (feed, shown_markdown, *change_lines(found)))
    assert any("value removed: <script>" in one for one in change_lines(found))
