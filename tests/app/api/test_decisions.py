"""Decisions over HTTP: made once however often they are sent, taken back, published, and written down."""

import shutil
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from clausegraph.app.access.rules import AuditLog
from clausegraph.app.api.routes.history import DecisionsReply
from clausegraph.app.services.entities import NameDecision, SettledReply
from clausegraph.app.services.statements import HideReply, HidingDecision
from tests.app.api.conftest import Stand, Talks

WHERE = "/v1/corpora/default"
GRANT = "warm home grant"


@pytest.fixture
def curating(stand: Stand, tmp_path: Path) -> Talks:
    return Talks(Stand(shutil.copytree(stand.home, tmp_path / "home"), stand.tokens))


async def twice(
    client: httpx.AsyncClient, method: str, path: str, value: Any = None, shape: type[BaseModel] | None = None
) -> Any:
    """The same request again changes nothing more."""
    answers = [await client.request(method, f"{WHERE}/{path}", json=value) for _ in range(2)]
    assert [one.status_code for one in answers] == [200, 200], [one.text for one in answers]
    first, second = (one.json() for one in answers)
    if shape is not None:
        assert shape.model_validate(first).model_dump(exclude_unset=True) == first
    assert (first | {"new": None}) == (second | {"new": None})
    return first


async def get(client: httpx.AsyncClient, path: str) -> Any:
    answer = await client.get(f"{WHERE}/{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_merge_is_made_published_and_taken_back(curating: Talks) -> None:
    async def decide(client: httpx.AsyncClient) -> None:
        merged = await twice(
            client, "POST", "decisions/merge", {"name": "Visa", "entity": "Warm Home Grant"}, NameDecision
        )
        assert (merged["state"], merged["decided_by"]) == ("accepted", "curator-False")
        assert (await get(client, "decisions"))["pending"] == [{"name": "visa", "before": "visa", "after": GRANT}]
        published = await client.post(f"{WHERE}/decisions/publish")
        assert published.status_code == 200 and published.json()["epoch"] == 3
        assert (await client.post(f"{WHERE}/decisions/publish")).json()["epoch"] is None
        assert (await get(client, "entity?name=visa"))["entity"] == GRANT
        taken = await client.put(f"{WHERE}/decisions/{merged['id']}", json={"state": "proposed"})
        assert taken.json()["now"] == "removed"
        assert (await client.put(f"{WHERE}/decisions/{merged['id']}", json={"state": "proposed"})).status_code == 404
        review = await client.post(f"{WHERE}/decisions/review", json={})
        assert review.status_code == 200 and review.json()["proposals"] == []
        denied = await client.post(f"{WHERE}/decisions/deny", json={"name": "visa"})
        assert denied.status_code == 404 and denied.headers["content-type"] == "application/problem+json"

    curating(decide, "curator")
    last = AuditLog(curating.stand.home).last(20)
    (deed,) = [one for one in last if one["action"].endswith("/decisions/merge")][:1]
    assert (deed["who"], deed["corpus"], deed["outcome"]) == ("curator-False", "default", "done")
    assert "'Visa' is 'Warm Home Grant'" in deed["target"] and deed["time"] > 0


def test_a_proposal_is_accepted_rejected_and_open_again(curating: Talks) -> None:
    from clausegraph.app.workspace import Workspace
    from clausegraph.indexes.corpora import get_corpus
    from clausegraph.indexes.entities.decisions import Proposed, store_proposals

    with Workspace(curating.stand.settings()) as workspace:
        ledger = workspace.ledger_to_change()
        found = [Proposed("visa", GRANT, 0.9, {"origin": "review"})]
        assert store_proposals(ledger, get_corpus(ledger, "default").id, found) == 1

    async def decide(client: httpx.AsyncClient) -> None:
        (number,) = [one["id"] for one in (await get(client, "decisions"))["decisions"]]
        for state in ("accepted", "proposed", "rejected", "proposed"):
            assert (await twice(client, "PUT", f"decisions/{number}", {"state": state}, SettledReply))["now"] == state
        await twice(client, "PUT", f"decisions/{number}", {"state": "rejected"})
        other = await client.put(f"{WHERE}/decisions/{number}", json={"state": "accepted"})
        assert other.status_code == 400 and "was rejected by curator-False" in other.json()["detail"]

    curating(decide, "curator")


def test_a_statement_is_hidden_nowhere_found_and_shown_again(curating: Talks) -> None:
    async def decide(client: httpx.AsyncClient) -> None:
        facts = (await get(client, "facts?page=visa.html"))["items"]
        (fact,) = [one for one in facts if "£20" in str(one["statements"])]
        wrong = fact["statements"][0]["id"]
        made = await twice(client, "PUT", f"statements/{wrong}/hidden", {"reason": "it is £25 now"}, HideReply)
        assert (made["state"], made["decided_by"], made["reason"]) == ("waits", "curator-False", "it is £25 now")
        assert (await client.post(f"{WHERE}/decisions/publish")).json()["epoch"] == 3
        assert "£20" not in str(await get(client, "facts?page=visa.html"))
        assert (await client.get(f"{WHERE}/facts/{fact['id']}")).status_code == 404
        sent = await get(client, "decisions")
        assert DecisionsReply.model_validate(sent).model_dump(exclude_unset=True) == sent
        (listed,) = sent["hidden"]
        assert (listed["state"], listed["since"]) == ("hidden", 3)
        again = await client.put(f"{WHERE}/statements/{wrong}/hidden", json={"reason": "again"})
        assert again.status_code == 200 and again.json()["reason"] == "it is £25 now"
        taken = (await client.delete(f"{WHERE}/hidden/{made['id']}")).json()
        assert HidingDecision.model_validate(taken).model_dump(exclude_unset=True) == taken
        assert (await client.delete(f"{WHERE}/hidden/{made['id']}")).status_code == 404
        assert len((await get(client, "decisions"))["returning"]) == 1
        assert (await client.post(f"{WHERE}/decisions/publish")).json()["epoch"] == 4
        assert fact in (await get(client, "facts?page=visa.html"))["items"]
        blank = await client.put(f"{WHERE}/statements/{wrong}/hidden", json={"reason": "  "})
        assert blank.status_code == 400

    curating(decide, "curator")
    (deed,) = [one for one in AuditLog(curating.stand.home).last(50) if one["why"] == "it is £25 now"][:1]
    assert deed["who"] == "curator-False" and "/statements/" in deed["target"]


def test_a_reader_decides_nothing_and_that_is_written_down(curating: Talks) -> None:
    async def decide(client: httpx.AsyncClient) -> None:
        answer = await client.post(f"{WHERE}/decisions/merge", json={"name": "Visa", "entity": "Warm Home Grant"})
        assert answer.status_code == 403 and answer.json()["detail"].endswith("is for a reader; this needs a curator")
        assert (await get(client, "decisions"))["decisions"] == []

    curating(decide, "reader")
    assert AuditLog(curating.stand.home).last(1)[0]["outcome"] == "Forbidden"
