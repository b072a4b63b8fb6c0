"""Forgetting over HTTP: for admins alone, with the certificate as the reply, and no name in the log."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx
import pytest

from clausegraph.app.access.rules import AuditLog
from clausegraph.app.api.routes.history import ForgottenReply
from clausegraph.indexes.forgotten import forgotten_key
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from tests.app.api.conftest import Stand, Talks

pytestmark = pytest.mark.unit
WHERE = "/v1/corpora/default/forgotten"
WANTED = {"source": "pages", "page": "visa.html", "reason": "asked"}


@pytest.fixture
def talks(stand: Stand, tmp_path: Path) -> Talks:
    return Talks(Stand(shutil.copytree(stand.home, tmp_path / "home"), stand.tokens))


def test_an_admin_forgets_a_page(talks: Talks) -> None:
    async def forget(client: httpx.AsyncClient) -> None:
        with open_ledger(talks.stand.home) as ledger, open_view(ledger, "default"):
            held = await client.post(WHERE, json=WANTED)
            assert held.status_code == 409 and "a process reads it" in held.json()["detail"]
        made = await client.post(WHERE, json=WANTED)
        assert made.status_code == 200, made.text
        said = made.json()["certificate"]
        assert (said["key"], said["forgotten by"]) == (forgotten_key("pages", "visa.html"), "admin-False")
        assert said["stays, as other pages state it"]["texts"] > 0  # another corpus has the page
        listed = (await client.get(WHERE)).json()
        assert ForgottenReply.model_validate(listed).items[0].key == said["key"]
        pages = (await client.get("/v1/corpora/default/pages")).json()["items"]
        assert sorted(one["uri"] for one in pages) == ["council.html", "grant.html"]
        again = await client.post(WHERE, json=WANTED)
        assert again.status_code == 404 and "was forgotten on" in again.json()["detail"]

    async def refused(client: httpx.AsyncClient) -> None:
        for answer in (await client.post(WHERE, json=WANTED), await client.get(WHERE)):
            assert answer.status_code == 403

    talks(refused, "curator")
    talks(forget, "admin")
    deeds = [one for one in AuditLog(talks.stand.home).last(5) if one["action"].startswith("POST")]
    assert deeds and "visa.html" not in str(deeds)
