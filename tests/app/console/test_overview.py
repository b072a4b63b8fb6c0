"""The corpora at a glance: what each holds, when its next run is, and that no page is read for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine, event

from clausegraph.app.access.tokens import AccessRole
from clausegraph.app.services.cron import next_run
from clausegraph.app.services.overview import overview
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import ScheduledCorpus, Settings
from tests.app.api.conftest import publish
from tests.app.console.conftest import looking

pytestmark = pytest.mark.integration


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """The SQL that runs meanwhile, in whichever thread."""
    asked: list[str] = []

    def note(*given: Any) -> None:
        asked.append(given[2])

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)


def test_corpora_at_a_glance_read_no_page(tmp_path: Path) -> None:
    """As many statements run for few pages as for many, and none asks a table that grows with them."""
    fetched: list[int] = []
    for count in (2, 80):
        folder, home = tmp_path / f"pages{count}", tmp_path / f"home{count}"
        folder.mkdir()
        for number in range(count):
            (folder / f"more{number}.html").write_text(f"<main><h1>Fee {number}</h1><p>You must pay £{number}.</p>")
        publish(home, "default", folder, age=60, money=100)
        publish(home, "default", folder, age=61, money=100)
        due = ScheduledCorpus(source=str(folder), schedule="30 4 * * *")
        settings = Settings(home=home, embedding_model="hashing", extractor="rules", corpora={"default": due})
        with (
            Workspace(settings) as workspace,
            workspace.ledger.read() as connection,
            statements(connection.engine) as asked,
        ):
            (found,) = overview(workspace, lambda _: True)
        assert (found.pages.held, found.pages.came, found.pages.went) == (count + 3, 1, 1)
        assert found.rules.held > count and (found.last and found.last.status) == "done"
        assert found.next == next_run("30 4 * * *", datetime.now(UTC)).timestamp()  # type: ignore[union-attr]
        tables = ("members", "pages", "page_versions", "chunks", "supports", "rules", "vectors", "sources")
        assert asked and not [one for one in asked for table in tables if f"FROM {table} " in f"{one} "], asked
        fetched.append(len(asked))
    assert fetched[0] == fetched[1]


WHEN = datetime(2026, 2, 27, 23, 30, tzinfo=UTC)  # a Friday
NEXT = {
    "@daily": "2026-02-28 00:00",
    "*/20 * * * *": "2026-02-27 23:40",
    "0 3 * * 1-5": "2026-03-02 03:00",
    "0 3 1 * *": "2026-03-01 03:00",
    "15 6 1 * 0": "2026-03-01 06:15",
    "0 0 * * 7": "2026-03-01 00:00",
    "5,10 4-6/2 28 2 *": "2026-02-28 04:05",
}


def test_the_next_run_of_a_schedule() -> None:
    for schedule, wanted in NEXT.items():
        found = next_run(schedule, WHEN)
        assert found is not None and f"{found:%Y-%m-%d %H:%M}" == wanted, schedule
    assert [next_run(one, WHEN) for one in (None, "", "0 3 * * MON", "@never", "0 0 31 2 *")] == [None] * 5


def test_an_empty_corpus_leads_to_its_pages(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, embedding_model="hashing")
    with Workspace(settings) as workspace:
        workspace.make_ledger()

    async def look(client: httpx.AsyncClient) -> None:
        assert 'href="/c/default/add"' in (await client.get("/corpora")).text
        files = {"files": ("a.html", b"<main><h1>A</h1><p>You must pay.</p></main>")}
        await client.post("/v1/corpora/new/uploads", data={"source": "s"}, files=files)
        shown = (await client.get("/corpora")).text
        assert "Nothing is published yet" in shown and 'class="button" href="/c/new/add"' in shown
        assert "Add the sample corpus" in (await client.get("/c/new/add")).text

    looking(settings, look, AccessRole.CURATOR)
