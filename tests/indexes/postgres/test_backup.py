"""A corpus in PostgreSQL: audited and mended, copied into a backup folder, and restored into files and into another."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clausegraph.app.services.audit import audit
from clausegraph.app.services.backup import back_up, restore
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.settings import Settings
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.tools import no_progress
from tests.harness.home import run
from tests.harness.postgres import new_address, run_sql
from tests.law.world import page_html

pytestmark = pytest.mark.integration

DAMAGES = {
    "DELETE FROM rules WHERE id = (SELECT min(id) FROM rules)": "rule",
    "UPDATE supports SET relation = 'x' WHERE id = (SELECT min(id) FROM supports)": "statement",
    "UPDATE page_words SET words = 'x'": "the words of pages:grant.html",
    "UPDATE vector_data SET data = (data::real[] || '{}')::vector * data WHERE part = 'chunk'": "is corrupt",
}


def dump(settings: Settings) -> list[str]:
    with Workspace(settings) as workspace, open_view(workspace.ledger, "default") as view:
        return dump_lines(view)


def found(settings: Settings, *, repair: bool = False) -> list[str]:
    with Workspace(settings) as workspace:
        (audited,) = audit(workspace, [], no_progress, repair=repair)
    return [one.text for one in (audited.left if repair else audited.found)]


def test_damage_is_mended_and_a_snapshot_comes_back(address: str, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    text = ["You can get the grant if you are over 65 and live in Lethmoor.", "The grant is £200 a year."]
    (tmp_path / "pages" / "grant.html").write_text(page_html("grant", text), encoding="utf-8")
    settings = Settings(home=tmp_path / "home", database=address, embedding_model="hashing", extractor="rules")
    run(settings, tmp_path / "pages")
    before = dump(settings)
    assert found(settings) == []
    for statement in DAMAGES:
        run_sql(address, statement)
    told = found(settings)
    for what in DAMAGES.values():
        assert any(what in one for one in told), told
    assert found(settings, repair=True) == found(settings) == []
    with Workspace(settings) as workspace:
        back_up(workspace, str(tmp_path / "copies"))
    files = settings.model_copy(update={"home": tmp_path / "files", "database": None})
    restore(files, str(tmp_path / "copies"))
    other = files.model_copy(update={"home": tmp_path / "other"})
    there = new_address()
    restore(other, str(tmp_path / "copies"), address=there)
    moved = Settings(home=other.home, database=there, embedding_model="hashing", extractor="rules")
    assert dump(files) == dump(moved) == dump(settings) == before
    assert found(files) == found(moved) == []
    with pytest.raises(InputError, match="has a corpus 'default' already"):
        restore(other, str(tmp_path / "copies"), address=there)


def test_a_snapshot_is_one_state_while_runs_publish(address: str, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    settings = Settings(home=tmp_path / "home", database=address, embedding_model="hashing", extractor="rules")
    writing = settings.model_copy(update={"home": tmp_path / "writer"})

    def publish(number: int) -> None:
        for name in ("grant", "levy"):  # every epoch has the same number on both pages
            text = page_html(name, [f"The {name} is £{number} a year.", f"You must pay £{number} by 31 May."])
            (pages / f"{name}.html").write_text(text, encoding="utf-8")
        run(writing, pages)

    publish(100)
    stop = threading.Event()

    def publish_on() -> None:
        for number in range(101, 120):
            if not stop.is_set():
                publish(number)

    with ThreadPoolExecutor(1) as pool, Workspace(settings) as workspace:
        others = pool.submit(publish_on)
        made = [back_up(workspace, str(tmp_path / "copies")) for _ in range(4)]
        stop.set()
        others.result()
    assert made[-1].corpora["default"] > made[0].corpora["default"]
    for one in made:
        home = Settings(home=tmp_path / one.name, embedding_model="hashing", extractor="rules")
        restore(home, str(tmp_path / "copies"), one.name)
        stated = set(re.findall(r"£(1\d\d)", "\n".join(dump(home))))
        assert stated == {str(99 + one.corpora["default"])} and found(home) == []


def test_a_snapshot_is_made_while_a_run_holds_the_corpus(address: str, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "levy.html").write_text(page_html("levy", ["The levy is £5."]), encoding="utf-8")
    settings = Settings(home=tmp_path / "home", database=address, embedding_model="hashing", extractor="rules")
    run(settings, tmp_path / "pages")
    with Workspace(settings) as workspace:
        ledger = workspace.ledger_to_change()
        with run_lease(ledger, get_corpus(ledger, "default").id, "another run"):
            back_up(workspace, str(tmp_path / "copies"))
    home = Settings(home=tmp_path / "restored", embedding_model="hashing", extractor="rules")
    restore(home, str(tmp_path / "copies"))
    assert dump(home) == dump(settings)
    run(home, tmp_path / "pages")  # nobody is at work on it
