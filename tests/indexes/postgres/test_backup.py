"""A corpus in PostgreSQL: audited and mended, copied into a backup folder, and restored into files and into another."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausegraph.app.services.audit import audit
from clausegraph.app.services.backup import back_up, restore
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.settings import Settings
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.tools import no_progress
from tests.harness.home import run
from tests.harness.postgres import new_address, run_sql
from tests.law.world import page_html

pytestmark = pytest.mark.integration

DAMAGES = {
    "DELETE FROM rules WHERE id = (SELECT min(id) FROM rules)": "rule",
    "UPDATE supports SET relation = 'x' WHERE id = (SELECT min(id) FROM supports)": "statement",
    "DELETE FROM postings WHERE term = 'grant'": "the words of pages:grant.html",
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
