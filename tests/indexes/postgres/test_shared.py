"""What machines share beside their corpora: cached replies, kept answers, tokens, the audit log."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from clausegraph.app.access.rules import Deed, writing_down
from clausegraph.app.api.application import create_app
from clausegraph.app.api.served import own_token
from clausegraph.app.services import corpora, history
from clausegraph.app.services.tokens import add_token, list_tokens, revoke_token
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.reply_rows import RowResponseCache, forget_replies
from tests.app.api.conftest import BASE
from tests.harness.home import run
from tests.harness.postgres import run_sql
from tests.law.world import page_html

pytestmark = pytest.mark.integration

WHERE = "/v1/corpora/default"
QUESTION = {"question": "Can I get the grant?"}


def test_replies_are_shared_and_the_least_recently_used_goes(address: str, tmp_path: Path) -> None:
    with open_ledger(tmp_path, address) as ledger, open_ledger(tmp_path, address) as elsewhere:
        one, other = RowResponseCache(ledger, 100_000), RowResponseCache(elsewhere, 100_000)
        one.put("a", b"one" * 1000)
        other.put("a", b"two" * 1000)
        assert one.get("a") == b"two" * 1000 and one.get("b") is None
        for number in range(100):
            (one, other)[number % 2].put(f"key {number}", os.urandom(2000))
            run_sql(address, "UPDATE replies SET used = used - 7200")
            assert one.get("a") is not None  # used all the time
        held = run_sql(address, "SELECT sum(length(data)), count(*) FROM replies")[0]
        assert int(held[0]) <= 104_000 and 30 <= int(held[1]) <= 55  # type: ignore[call-overload]
        assert other.get("key 99") is not None and other.get("key 1") is None
        run_sql(address, "UPDATE replies SET data = 'x' WHERE key = 'key 99'")
        assert one.get("key 99") is None
        assert one.forget_before(1e12)[0] == int(held[1]) - 1  # type: ignore[call-overload]
        one.put("c", b"c")
        assert forget_replies(ledger) == [] and other.get("c") is None


def test_a_failure_of_the_cache_stops_nothing(address: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with open_ledger(tmp_path, address) as ledger:
        cache = RowResponseCache(ledger, 1000)
        run_sql(address, "DROP TABLE replies")
        with caplog.at_level(logging.WARNING):
            cache.put("a", b"b")
            assert cache.get("a") is None
        assert caplog.text.count("cannot be used") == 1


@pytest.fixture
def machines(address: str, tmp_path: Path) -> list[Settings]:
    """Two machines, each with a home of its own, and a corpus that the first one ingested."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "grant.html").write_text(page_html("grant", ["You can get the grant if you are over 65."]))
    shared: dict[str, Any] = {"database": address, "embedding_model": "hashing", "extractor": "rules"}
    made = [Settings(home=tmp_path / name, **shared) for name in ("first", "second")]
    run(made[0], tmp_path / "pages")
    return made


def test_an_answer_and_its_token_are_known_to_every_server(machines: list[Settings]) -> None:
    """And go with the token, with their epoch and with their corpus; what is done is written down in one log."""
    first, second = machines
    _, text = add_token(first, "ann", "reader", [], None)
    _, admin = add_token(second, "adam", "admin", [], None)
    workspaces = [Workspace(settings) for settings in machines]
    with TestClient(create_app(workspaces[0]), BASE) as one, TestClient(create_app(workspaces[1]), BASE) as other:
        for client in (one, other):
            client.headers["Authorization"] = f"Bearer {text}"
        where = one.post(f"{WHERE}/ask", json=QUESTION).headers["content-location"]
        kept = other.get(where)
        assert kept.status_code == 200 and kept.json() == one.get(where).json()
        assert len(other.get(f"{WHERE}/answers").json()["items"]) == 1
        by_admin = {"Authorization": f"Bearer {admin}"}
        theirs = other.post(f"{WHERE}/ask", json=QUESTION, headers=by_admin).headers["content-location"]
        assert one.get(theirs).status_code == 404
        revoke_token(first, "ann")
        assert other.get(where).status_code == one.get(where).status_code == 401
        assert one.get(theirs, headers=by_admin).status_code == 200
        assert run_sql(first.database_address, "SELECT count(*) FROM kept_answers") == [(1,)]
        with writing_down(second, Deed("ann (command line)", "gate set", "watched", "done", "default", why="a trial")):
            pass
        log = [deed["action"] for deed in one.get("/v1/audit", headers=by_admin).json()["items"]]
        assert log == ["gate set"]
        found = [own_token(workspace) for workspace in workspaces]
        assert all(token for token, _ in found) and own_token(workspaces[0]) == (None, found[0][1])
        assert [token["name"][:6] for token in list_tokens(second)] == ["adam", "serve-", "serve-"]
    pages = first.home.parent / "pages"
    (pages / "grant.html").write_text(page_html("grant", ["You can get the grant if you are over 66."]))
    run(second, pages)
    with Workspace(second) as workspace:
        history.vacuum_corpus(workspace, "default", keep_epochs=1, keep_days=0)
        assert run_sql(first.database_address, "SELECT count(*) FROM kept_answers") == [(0,)]
        assert corpora.drop(workspace, "default")["remains"] == []
    assert not any((settings.home / "answers").exists() for settings in machines)
    assert [path.name for path in (first.home / "access").iterdir()] == ["serve-token"]
