"""Every kind of damage to what follows from the truth is found, named and mended; what cannot be is said."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from clausegraph.app.services.audit import CorpusAudit, audit
from clausegraph.app.services.pages import refresh
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.derive import DEFINITIONS, statement_id
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.entities.decisions import merge, undo
from clausegraph.indexes.hidden import hide, list_hidden, unhide
from clausegraph.indexes.ledger.readers import held_epochs
from clausegraph.indexes.ledger.schema import OPEN
from clausegraph.indexes.views import open_view
from tests.harness.home import filled, run
from tests.law.world import page_html, vector_values

pytestmark = pytest.mark.unit

PAGES = {
    "grant": ["You can get the grant if you are over 65 and live in Lethmoor.", "The grant is £200 a year."],
    "check": [
        "The Disclosure and Barring Service (DBS) must reply within 10 days.",
        "The DBS runs the Lethmoor Office.",
    ],
    "levy": ["The Roof Levy is £5.", "You must pay the levy if you own a roof."],
}
SOME = "WHERE id = (SELECT min(id) FROM {0} WHERE until = " + str(OPEN) + ")"
NOT_IN, TOO_MUCH, OTHER = (
    "in the truth and not in what",
    "in what readers get and not in the truth",
    "not what the truth says",
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A home with three epochs, a merged name and a hidden statement; never written to."""
    root = tmp_path_factory.mktemp("audit")
    (root / "pages").mkdir()
    for name, paragraphs in PAGES.items():
        (root / "pages" / f"{name}.html").write_text(page_html(name, paragraphs), encoding="utf-8")
    settings = filled(root / "home", root / "pages")
    with Workspace(settings) as workspace:
        ledger = workspace.ledger_to_change()
        corpus = get_corpus(ledger, "default")
        with open_view(ledger, "default") as view:
            stated = [one for one in view.graph.all_supports() if one.extractor != DEFINITIONS]
            levy = next(one for one in stated if one.page.uri == "levy.html")
        merge(ledger, corpus, "levy", "roof levy", "tester")
        hide(ledger, corpus, statement_id(levy), "wrong", "tester")
    run(settings, root / "pages", force=True)
    return settings


@pytest.fixture
def settings(sound: Settings, tmp_path: Path) -> Settings:
    shutil.copytree(sound.home, tmp_path / "home")
    return sound.model_copy(update={"home": tmp_path / "home"})


def sql(*statements: str) -> Callable[[Path], None]:
    def damage(home: Path) -> None:
        with closing(sqlite3.connect(home / "ledger.db")) as connection, connection:
            for statement in statements:
                assert connection.execute(statement).rowcount > 0, statement

    return damage


def copy_row(table: str, change: str) -> Callable[[Path], None]:
    """A row more, with a cell changed where one is named."""

    def damage(home: Path) -> None:
        with closing(sqlite3.connect(home / "ledger.db")) as connection, connection:
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != "id"]
            column, _, value = change.partition("=")
            cells = [value if name == column else name for name in names]
            query = f"SELECT {', '.join(cells)} FROM {table} {SOME.format(table)}"
            connection.execute(f"INSERT INTO {table} ({', '.join(names)}) {query}")

    return damage


def segment(change: Callable[[Path], object], kind: str = "element") -> Callable[[Path], None]:
    return lambda home: [*map(change, (home / "segments").rglob(f"{kind}-*"))].clear()


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


ROWS = {"chunks": "chunk", "supports": "statement", "hidden_supports": "hidden statement", "rules": "rule",
        "rule_roles": "role", "vectors": "vector"}  # fmt: skip
CHANGED = {"chunks": "content_hash", "supports": "relation", "hidden_supports": "relation", "rules": "rule",
           "rule_roles": "entity", "vectors": "text_hash"}  # fmt: skip
Damages = dict[str, list[tuple[Callable[[Path], None], str, str]]]
DAMAGES: Damages = {
    "rows, removed": [(sql(f"DELETE FROM {t} {SOME.format(t)}"), noun, NOT_IN) for t, noun in ROWS.items()],
    "rows, twice": [(copy_row(t, ""), noun, TOO_MUCH) for t, noun in ROWS.items()],
    "rows, changed": [
        (sql(f"UPDATE {t} SET {CHANGED[t]} = 'x' {SOME.format(t)}"), noun, "truth") for t, noun in ROWS.items()
    ],
    "rows, others": [
        (copy_row("rules", "content_key='made-up'"), "rule made-up", TOO_MUCH),
        (sql(f"UPDATE rules SET until = 2 {SOME.format('rules')}"), "rule", NOT_IN),
        (sql(f"UPDATE members SET projection = 'old' {SOME.format('members')}"), "entry", OTHER),
    ],
    "names": [
        (sql("DELETE FROM entity_names WHERE name = 'levy'"), "'levy'", "in the truth for 'roof levy'"),
        (sql("INSERT INTO entity_names (corpus_id, name, entity, since, until) "
             f"VALUES (1, 'grant', 'x', 1, {OPEN})"), "'grant' stands for 'x'", "for 'grant'"),
    ],
    "a name": [(sql("UPDATE entity_names SET entity = 'x' WHERE name = 'levy'"), "'levy' stands for 'x'", "roof")],
    "words": [
        (sql("UPDATE postings SET entries = x'00' WHERE term = 'grant'"), "words of pages:grant.html", "'grant'"),
        (sql("DELETE FROM postings WHERE term = 'levi'"), "words of pages:levy.html", "'levi'"),
        (sql("DELETE FROM page_words WHERE version_id = 1"), "(version 1)", "not those of its reading"),
    ],
    "words of a version": [
        (sql("UPDATE page_words SET words = x'00' WHERE version_id = 2"), "(version 2)", "not those of its reading"),
    ],
    "embeddings": [
        (sql("DELETE FROM embeddings WHERE rowid = 2"), "embedding", "is lost"),
        (sql("UPDATE embeddings SET data = zeroblob(length(data)) WHERE rowid = 3"), "embedding", "is not the vector"),
    ],
    "segments": [
        (segment(flip), "segment element-", "is corrupt"),
        (segment(Path.unlink, "rule"), "segment rule-", "is missing"),
        (sql("DELETE FROM segments WHERE kind = 'chunk'"), "vector", "in no sound segment"),
    ],
}  # fmt: skip
LOST = {
    "bytes, changed": (
        sql("UPDATE blobs SET data = x'00' WHERE rowid = 1"),
        "the bytes of",
        "not those that were fetched",
    ),
    "bytes, removed": (sql("DELETE FROM blobs WHERE rowid = 2"), "the bytes of", "are lost"),
    "a reading": (
        sql("UPDATE page_versions SET reading = x'00' WHERE id = 2"),
        "cannot be compared",
        "table page_versions, row 2",
    ),
    "extractions": (sql("DELETE FROM extractions"), "stored extractions of", "are lost"),
}


def audited(settings: Settings, *, repair: bool = False) -> CorpusAudit:
    with Workspace(settings) as workspace:
        (found,) = audit(workspace, ["default"], lambda *_: None, repair=repair)
        assert held_epochs(workspace.ledger, 1, [1, 2, 3]) == set()
    return found


def state(settings: Settings) -> tuple[list[str], dict[tuple[str, str, str], list[float]]]:
    with Workspace(settings) as workspace, open_view(workspace.ledger, "default") as view:
        return dump_lines(view), {key: value.round(4).tolist() for key, value in vector_values(view).items()}


def test_what_is_sound_and_what_waits_for_a_publish(settings: Settings) -> None:
    assert audited(settings).found == []
    with Workspace(settings) as workspace:
        ledger = workspace.ledger_to_change()
        corpus = get_corpus(ledger, "default")
        undo(ledger, corpus, "levy", "tester")
        merge(ledger, corpus, "grant applicant", "grant", "tester")
        unhide(ledger, corpus, list_hidden(ledger, corpus.id)[0].id)
    assert audited(settings).found == []


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_and_mended(settings: Settings, name: str) -> None:
    before = state(settings)
    for damage, _, _ in DAMAGES[name]:
        damage(settings.home)
    told = [one.text for one in audited(settings).found]
    for _, what, said in DAMAGES[name]:
        assert any(what in text and said in text for text in told), told
    done = audited(settings, repair=True)
    assert (done.left, [one.text for one in done.found]) == ([], told)
    assert audited(settings).found == []
    assert state(settings) == before


@pytest.mark.parametrize("name", LOST)
def test_what_cannot_be_rebuilt_is_fetched_again(settings: Settings, name: str) -> None:
    damage, what, said = LOST[name]
    before = state(settings)
    damage(settings.home)
    for one in (left := audited(settings, repair=True).left):
        assert what in one.text and said in one.text and "`clausegraph pages refresh pages:" in one.text
    with Workspace(settings) as workspace:
        refresh(workspace, "default", [one.text.split()[-2] for one in left], force=True)
    assert left and audited(settings).found == [] and state(settings) == before
