"""What can be looked at: in parts that stay in their epoch, and only once where it has not changed."""

import base64
import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import httpx
from fastapi.routing import APIRoute

from clausegraph.app.access.rules import API_RULES
from clausegraph.app.api.application import _api_routes
from clausegraph.indexes.corpora import get_corpus, list_sources
from clausegraph.indexes.fetches import FetchRow, store_fetch
from clausegraph.indexes.ledger.store import open_ledger
from tests.app.api.conftest import Stand, Talks, conversation

WHERE = "/v1/corpora/default"


async def _get(client: httpx.AsyncClient, path: str, **query: Any) -> Any:
    answer = await client.get(path, params=query)
    assert answer.status_code == 200, (path, answer.text)
    return answer.json()


async def _whole(client: httpx.AsyncClient, path: str, **query: Any) -> list[dict[str, Any]]:
    items, cursor = [], None
    while True:
        found = await _get(client, path, **query, **({"cursor": cursor} if cursor else {}))
        items += found["items"]
        if (cursor := found["next"]) is None:
            return items


LISTS = {"pages": {}, "facts": {}, "entities": {}, "page/elements": {"name": "Warm Home Grant"}, "runs": {}}


@conversation()
async def test_a_list_in_parts_is_the_list_in_one(client: httpx.AsyncClient) -> None:
    for path, query in LISTS.items():
        whole = await _get(client, f"{WHERE}/{path}", limit=200, **query)
        assert whole["next"] is None and len(whole["items"]) >= 2, path
        assert await _whole(client, f"{WHERE}/{path}", limit=1, **query) == whole["items"], path


@conversation()
async def test_a_list_begun_in_an_epoch_ends_in_it(client: httpx.AsyncClient, talk: Talks) -> None:
    begun = await _get(client, f"{WHERE}/facts", limit=1)
    async with httpx.AsyncClient(transport=client._transport, base_url=client.base_url) as admin:
        admin.headers["authorization"] = talk.stand.bearer("admin")["Authorization"]
        assert (await admin.post(f"{WHERE}/rollback", json={"epoch": 1})).status_code == 200
        try:
            assert (await _get(client, f"{WHERE}/facts", limit=1))["epoch"] == 1
            assert (await _get(client, f"{WHERE}/facts", limit=1, cursor=begun["next"]))["epoch"] == 2
        finally:
            assert (await admin.post(f"{WHERE}/rollback", json={"epoch": 2})).status_code == 200
        deeds = await _get(admin, "/v1/audit")
    assert [(one["action"], one["outcome"], one["who"]) for one in deeds["items"][:2]] == [
        (f"POST {WHERE.replace('default', '{corpus}')}/rollback", "done", "admin-False")
    ] * 2


@conversation()
async def test_a_cursor_of_something_else_is_refused(client: httpx.AsyncClient) -> None:
    cursor = (await _get(client, f"{WHERE}/facts", limit=1))["next"]
    forged = [
        base64.urlsafe_b64encode(json.dumps(value).encode()).decode()
        for value in ([], [1], None, ["x", 2, ["y"]], [[], {}, {"a": 1}], "[" * 5000, [None, "2", [[]]])
    ]
    for path, query in (
        ("pages", {"cursor": cursor}),
        ("facts", {"cursor": cursor, "relation": "pays"}),
        ("facts", {"cursor": cursor, "epoch": 1}),
        *(("facts", {"cursor": one}) for one in ("", "!!", "AAAA", "é", *forged)),
    ):
        answer = await client.get(f"{WHERE}/{path}", params=query)
        assert (answer.status_code, answer.json()["error"]) == (404, "CursorInvalid"), (path, query, answer.text)


@conversation()
async def test_what_a_client_has_of_an_epoch_is_not_sent_again(client: httpx.AsyncClient) -> None:
    first = await client.get(f"{WHERE}/facts")
    kept = {"If-None-Match": f'"other", {first.headers["etag"]}'}
    again = await client.get(f"{WHERE}/facts", headers=kept)
    assert (again.status_code, again.content, again.headers["clausegraph-epoch"]) == (304, b"", "2")
    assert (await client.get(f"{WHERE}/facts?epoch=1", headers=kept)).status_code == 200
    assert (await client.get("/v1/corpora/other/facts", headers=kept)).status_code in (200, 403)


@conversation()
async def test_what_may_change_within_an_epoch_is_tagged_by_what_it_says(client: httpx.AsyncClient) -> None:
    for path, other in (
        ("page?name=grant.html", "page?name=grant.html&epoch=1"),
        ("page/comparison?uri=grant.html", "page/comparison?uri=visa.html"),
        ("page/versions?uri=grant.html", "page/versions?uri=visa.html"),
        ("changes", "changes?since=2&until=1"),
    ):
        first = await client.get(f"{WHERE}/{path}")
        kept = {"If-None-Match": first.headers["etag"]}
        again = await client.get(f"{WHERE}/{path}", headers=kept)
        assert (again.status_code, again.content) == (304, b""), path
        for name in ("etag", "cache-control", "clausegraph-epoch"):
            assert again.headers.get(name) == first.headers.get(name), (path, name)
        assert (await client.get(f"{WHERE}/{other}", headers=kept)).status_code == 200, other


@conversation()
async def test_the_graph_is_that_of_the_services(client: httpx.AsyncClient) -> None:
    grant = "warm home grant"
    around = await _get(client, f"{WHERE}/neighbourhood", entity=grant, hops=2)
    assert around["around"] == [grant] and around["facts"] and not around["more"]
    assert {fact["hop"] for fact in around["facts"]} <= {1, 2}
    assert (await _get(client, f"{WHERE}/neighbourhood", entity=grant, limit=1))["more"]
    ids = {one["id"] for one in await _whole(client, f"{WHERE}/facts", entity=grant)}
    assert ids == {one["id"] for one in around["facts"] if one["hop"] == 1}
    whole = await _get(client, f"{WHERE}/facts/{min(ids)[:8]}")
    assert whole["id"] == min(ids) and whole["supports"][0]["quotes"]
    assert (await _get(client, f"{WHERE}/entity", name="Warm Home Grant"))["entity"] == grant
    assert any(one["entity"] == grant for one in (await _get(client, f"{WHERE}/entities", search="grant"))["items"])
    assert (await _get(client, f"{WHERE}/paths", **{"from": grant, "to": "warm home grant applicant"}))["paths"]
    contradicted = await _get(client, f"{WHERE}/contradictions", limit=1, offset=1)
    assert (contradicted["epoch"], contradicted["found"]["contradictions"]) == (2, 0)
    ruled = await _get(client, f"{WHERE}/rules", topic="home grant", kind="eligibility", epoch=1)
    assert (ruled["entity"], ruled["epoch"], "over 60" in ruled["rules"][0]["words"]) == (grant, 1, True)
    assert (await client.get(f"{WHERE}/rules?topic=council&kind=colour")).status_code == 422


@conversation()
async def test_pages_epochs_runs_and_changes_can_be_looked_at(client: httpx.AsyncClient) -> None:
    versions = (await _get(client, f"{WHERE}/page/versions", uri="grant.html"))["items"]
    assert [one["epochs"] for one in versions] == [[2], [1]]
    beside = await _get(client, f"{WHERE}/page/comparison", uri="grant.html")
    assert (beside["old"], beside["new"]) == (versions[1], versions[0])
    differ = [one for one in beside["elements"] if one["kind"] != "same"]
    assert [(one["kind"], "60" in one["old"]["text"], "65" in one["new"]["text"]) for one in differ] == [
        ("changed", True, True), ("changed", False, False)
    ]  # fmt: skip
    assert beside["rules"] == [
        one for one in (await _get(client, f"{WHERE}/changes", reworded=True))["rules"] if one["page"] == beside["page"]
    ]
    assert [part["what"] for one in beside["rules"] for part in one["differences"]] == ["value", "value"]
    assert (await _get(client, f"{WHERE}/page", name="grant.html", epoch=1))["epoch"] == 1
    assert [one["epoch"] for one in (await _get(client, f"{WHERE}/epochs"))["items"]] == [2, 1]
    on = [(await _get(client, f"{WHERE}/epochs", on=day))["items"] for day in ("9000-01-01", date.today().isoformat())]
    assert [[one["epoch"] for one in found] for found in on] == [[2], [2]]
    assert (await _get(client, f"{WHERE}/runs"))["items"]
    run = (await _get(client, f"{WHERE}/epochs"))["items"][0]["run"]
    assert (await _get(client, f"{WHERE}/runs/{run}"))["report"]["epoch"] == 2
    assert (await _get(client, f"{WHERE}/runs/{run}/rejects"))["items"] == []
    changed = await _get(client, f"{WHERE}/changes")
    assert (changed["since"], changed["until"]) == (1, 2)
    assert [(one["kind"], one["uri"]) for one in changed["pages"]] == [("changed", "grant.html")]
    assert (await _get(client, WHERE))["published"] == 2
    assert (await _get(client, "/v1/prompts"))["items"]


READ = (
    "pages", "page/elements?name=grant.html", "page/versions?uri=grant.html", "page/comparison?uri=grant.html", "facts",
    "page/history?name=grant.html",
    "rules?topic=warm+home+grant", "entities", "neighbourhood?entity=council", "epochs", "runs", "changes", "questions",
    "ask", "retrieve",
)  # fmt: skip


@conversation(role="curator")
async def test_what_is_sent_has_the_fields_of_the_document_and_no_other(client: httpx.AsyncClient) -> None:
    forms = {route.path: route.response_model for route in _api_routes() if isinstance(route, APIRoute)}
    for path in READ:
        body = {"question": "How much is the Warm Home Grant?"} | ({"trace": True} if path == "ask" else {})
        asked = path in ("ask", "retrieve")
        sent = await (client.post(f"{WHERE}/{path}", json=body) if asked else client.get(f"{WHERE}/{path}"))
        value = sent.json()
        read = forms["/v1/corpora/{corpus}/" + path.partition("?")[0]].model_validate(value, strict=False)
        assert read.model_dump(by_alias=True, exclude_unset=True) == value, path


NOT_THERE = (
    "pages?epoch=9", "page?name=nothing", "page/elements?name=nothing", "page/versions?uri=nothing",
    "page/history?name=nothing",
    "facts?entity=nothing", "facts?page=nothing", "facts/0000", "entity?name=nothing", "neighbourhood?entity=nothing",
    "paths?from=a&to=b", "rules?topic=nothing", "runs/nothing",
    "page/comparison?uri=grant.html&version=999", "runs/nothing/rejects", "changes?since=7", "changes?until=1",
    "epochs?on=1999-12-31",
)  # fmt: skip


@conversation()
async def test_what_is_not_there_is_404_with_what_to_do(client: httpx.AsyncClient) -> None:
    for path in NOT_THERE:
        answer = await client.get(f"{WHERE}/{path}")
        assert (answer.status_code, answer.json()["error"]) == (404, "NotFoundError"), (path, answer.text)


def test_settings_show_no_secret_and_are_for_admins(talk: Talks) -> None:
    async def look(client: httpx.AsyncClient) -> None:
        answer = await client.get("/v1/settings")
        assert answer.status_code == 200 and "hidden-key" not in answer.text and "(set)" in answer.text

    async def refused(client: httpx.AsyncClient) -> None:
        assert (await client.get("/v1/settings")).status_code == 403

    talk(look, role="admin", llm_key="hidden-key")
    talk(refused, role="curator")


@conversation()
async def test_the_document_describes_every_route_and_its_problems(client: httpx.AsyncClient) -> None:
    document = await _get(client, "/openapi.json")
    there = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
    assert there == {rule.replace(":digits", "") for rule in API_RULES if rule != "GET /openapi.json"}
    assert document["openapi"].startswith("3.1")
    for path, methods in document["paths"].items():
        for operation in methods.values():
            assert "421" in operation["responses"] and {"200", "201", "202"} & set(operation["responses"]), path
            if not path.startswith("/health"):
                assert {"401", "403"} <= set(operation["responses"]) and operation["security"], path


def test_a_page_that_is_fetched_says_what_its_address_answered_last(stand: Stand, tmp_path: Path) -> None:
    home = Path(shutil.copytree(stand.home, tmp_path / "home"))
    with open_ledger(home, create=False) as ledger:
        corpus = get_corpus(ledger, "default").id
        source = list_sources(ledger, corpus)[0].id
        for address, status, failures in (("grant.html", 404, 2), ("http://old.test/grant", 200, 0)):
            row = FetchRow(address, outcome="failed", status=status, failures=failures, uri="grant.html")
            store_fetch(ledger, corpus, source, row, of_crawl=False)

    async def look(client: httpx.AsyncClient) -> None:
        listed = {one["uri"]: one for one in (await _get(client, f"{WHERE}/pages"))["items"]}
        assert listed["grant.html"]["answered"] == {"outcome": "failed", "status": 404, "failures": 2}
        assert listed["visa.html"]["answered"] is None and listed["visa.html"]["read"] > 1e9

    Talks(Stand(home, stand.tokens))(look)
