"""What differs between two epochs, told from the ledger's intervals."""

from pathlib import Path

import pytest

from clausegraph.app.services.changes import ChangesReply, changes
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.services.page_history import history
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.sources import open_source

GRANT = "<h1>Home Grant</h1><p>The Home Grant is £{}.</p><p>You can get the Home Grant if you are over {}.</p>"


def _publish(workspace: Workspace, folder: Path, pages: dict[str, str], *, force: bool = False) -> None:
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, body in pages.items():
        (folder / name).write_text(f"<html><body><main>{body}</main></body></html>", encoding="utf-8")
    run_ingest(workspace, "default", open_source(str(folder)), Options(force=force))


def _told(found: ChangesReply) -> list[tuple[str, str | None, str | None]]:
    return [
        (one.kind, None if one.old is None else one.old.words, None if one.new is None else one.new.words)
        for one in found.rules
    ]


def test_a_value_and_a_condition_that_changed_are_told_old_and_new(workspace: Workspace, tmp_path: Path) -> None:
    visa = "<h1>Visa</h1><p>A visa costs £20.</p>"
    _publish(workspace, tmp_path / "pages", {"grant.html": GRANT.format(100, 60), "visa.html": visa})
    _publish(workspace, tmp_path / "pages", {"grant.html": GRANT.format(140, 65), "permit.html": visa})
    found = changes(workspace, "default")
    assert (found.since, found.until) == (1, 2)
    kinds = [(one.kind, one.uri) for one in found.pages]
    assert kinds == [("changed", "grant.html"), ("moved", "permit.html")]
    assert found.pages[1].moved_from == "pages:visa.html"
    told = [(part.what, part.old, part.new) for one in found.rules for part in one.differences]
    assert told == [("value", "£100", "£140"), ("value", "you are over 60", "you are over 65")]
    assert [kind for kind, _, _ in _told(found)] == ["changed", "changed"]


def test_what_was_read_again_and_says_the_same_is_no_change(workspace: Workspace, tmp_path: Path) -> None:
    _publish(workspace, tmp_path / "pages", {"grant.html": GRANT.format(100, 60)})
    _publish(workspace, tmp_path / "pages", {"grant.html": GRANT.format(100, 60) + "<!-- other bytes -->"})
    found = changes(workspace, "default")
    assert [one.kind for one in found.pages] == ["changed"]
    assert found.rules == []


def test_backwards_it_is_the_other_way_round_and_an_epoch_alone_has_none_before(
    workspace: Workspace, tmp_path: Path
) -> None:
    _publish(workspace, tmp_path / "pages", {"grant.html": GRANT.format(100, 60)})
    with pytest.raises(NotFoundError, match="no retained epoch before 1"):
        changes(workspace, "default")
    _publish(workspace, tmp_path / "pages", {"grant.html": GRANT.format(100, 60), "visa.html": GRANT.format(1, 2)})
    back = changes(workspace, "default", 2, 1)
    assert [(one.kind, one.uri) for one in back.pages] == [("gone", "visa.html")]
    assert {one.kind for one in back.rules} == {"gone"}
    assert changes(workspace, "default", 2, 2).pages == []


def test_a_rule_is_followed_through_its_changes_and_a_page_until_it_is_gone(
    workspace: Workspace, tmp_path: Path
) -> None:
    for amount in (100, 140, 140, 150):
        pages = {"grant.html": GRANT.format(amount, 60), "visa.html": "<h1>Visa</h1><p>A visa costs £20.</p>"}
        _publish(workspace, tmp_path / "pages", pages, force=amount == 140)
    _publish(workspace, tmp_path / "pages", {"visa.html": pages["visa.html"]})
    page = history(workspace, "default", "Home Grant")
    assert [one.kind for one in page.steps][:2] == ["oldest", "changed"] and page.steps[-1].kind == "gone"
    first = next(one for one in page.steps[1].rules if one.differences)
    assert first.old is not None
    rule = history(workspace, "default", first.old.id[:12])
    told = [(part.old, part.new) for step in rule.steps for one in step.rules for part in one.differences]
    assert told == [("£100", "£140"), ("£140", "£150")]
    assert rule.page == "pages:grant.html" and len(rule.followed) == 3
    assert [one.kind for one in rule.steps[-1].rules] == ["gone"]
    with pytest.raises(NotFoundError, match="no retained epoch"):
        history(workspace, "default", "abcdef")
