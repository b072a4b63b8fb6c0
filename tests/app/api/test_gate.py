"""What stands before every route: who asks, by which name, how much they send, and how a no looks."""

from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import httpx
import pytest
from fastapi import FastAPI

from clausegraph.app.access.rules import API_RULES, WHOLE, AuditLog, Deed, Rules
from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.app.api.application import check_rules, create_app
from clausegraph.app.api.guard import Face
from clausegraph.app.api.problems import Refusal
from clausegraph.app.api.served import RateLimit, server_config
from clausegraph.app.chat import chat_face
from clausegraph.app.console.face import face as console_face
from clausegraph.app.mcp import mcp_face
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError, SettingsError
from tests.app.api.conftest import BASE, CORPORA, Stand, Talks, client_of, conversation

PLAIN = {"Accept": "application/json"}  # a stream of events would not end


@conversation(role=None)
async def test_who_shows_no_token_is_told_how_to_get_one_and_nothing_else(client: httpx.AsyncClient) -> None:
    for path in ("/v1/me", "/v1/corpora", "/metrics", "/openapi.json", "/no/such/path", "/v1/corpora/secret/pages"):
        answer = await client.get(path)
        assert answer.status_code == 401, path
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["www-authenticate"].startswith("Bearer")
    wrong = {"bad": "Bearer cg_0_0", "basic": "Basic eDp5", "empty": "Bearer ", "odd": "Bearer cg_é_x"}
    for text in wrong.values():
        assert (await client.get("/v1/me", headers={"Authorization": text.encode()})).status_code == 401


def test_health_is_open_and_says_no_more_than_well_or_not(talk: Talks, stand: Stand) -> None:
    async def well(client: httpx.AsyncClient) -> None:
        assert (await client.get("/health/live")).json() == {"status": "live"}
        assert (await client.get("/health/ready")).json() == {"status": "ready"}

    async def unwell(client: httpx.AsyncClient) -> None:
        answer = await client.get("/health/ready")
        assert answer.status_code == 503 and "home" not in answer.text

    talk(well, role=None)
    talk(unwell, role=None, home=stand.home / "nowhere")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost:80:90", "127.0.0.1@evil"])
@conversation()
async def test_a_name_that_is_not_the_servers_is_refused_before_the_token_is_looked_at(
    client: httpx.AsyncClient, host: str
) -> None:
    answer = await client.get("/v1/me", headers={"Host": host})
    assert answer.status_code == 421
    assert answer.json()["error"] == "UnknownHost"


@conversation(serve_hosts=("Policy.example",))
async def test_names_that_settings_give_the_server_are_its_own(client: httpx.AsyncClient) -> None:
    for host in ("policy.example:443", "LOCALHOST", "[::1]:8400"):
        assert (await client.get("/v1/me", headers={"Host": host})).status_code == 200, host


def test_only_a_named_proxy_is_believed_that_the_browser_came_by_https(stand: Stand) -> None:
    login = {"token": stand.tokens["reader", False]}
    said = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1", "Sec-Fetch-Site": "same-origin"}

    async def cookie(proxies: tuple[str, ...], peer: str) -> str:
        app = create_app(Workspace(stand.settings()), [console_face()])
        config = server_config(app, proxies)
        config.load()
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(config.loaded_app, client=(peer, 9))
            async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
                return (await client.post("/login", data=login, headers=said)).headers["set-cookie"]

    for proxies, peer, secure in (
        ((), "10.0.0.7", False),
        (("10.0.0.7",), "10.0.0.7", True),
        (("10.0.0.0/24",), "10.0.0.7", True),
        (("10.0.0.8",), "10.0.0.7", False),
    ):
        assert ("; Secure" in anyio.run(cookie, proxies, peer)) is secure, (proxies, peer)
    for wrong in ("*", "proxy.example", "10.0.0.7/24"):
        with pytest.raises(SettingsError, match="no address and no network"):
            server_config(FastAPI(), (wrong,))


def test_a_body_may_have_so_many_bytes_whether_it_says_so_or_not(talk: Talks) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(300):
            yield b" " * 1024

    async def long(client: httpx.AsyncClient) -> None:
        for body in (b" " * 300_000, parts()):
            answer = await client.post("/v1/corpora/default/ask", content=body)
            assert answer.status_code == 413, answer.text
            assert answer.headers["content-type"] == "application/problem+json"

    talk(long)


@conversation("curator")
async def test_what_may_be_sent_to_a_path_is_named_in_full(client: httpx.AsyncClient) -> None:
    for method, path, allowed in (
        ("PUT", "answers/0123456789abcdef", "DELETE, GET"),
        ("PUT", "decisions/merge", "POST"),
        ("PUT", "decisions/publish", "POST"),
        ("POST", "decisions/1", "PUT"),
    ):
        answer = await client.request(method, f"/v1/corpora/default/{path}", json={})
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed), path
    for number, status in (("0", 422), ("9" * 16, 422), ("9" * 5000, 404)):
        answer = await client.put(f"/v1/corpora/default/decisions/{number}", json={"state": "accepted"})
        assert answer.status_code == status


@conversation(serve_rate=2)
async def test_a_token_has_so_many_requests_in_a_minute(client: httpx.AsyncClient, talk: Talks) -> None:
    now = [0.0]
    limit = RateLimit(2, lambda: now[0])
    waits = []
    for seconds in (0, 0, 1, 29, 0, 600, 0, 0):
        now[0] += seconds
        try:
            limit.take("a")
            waits.append("")
        except Refusal as error:
            waits.append(error.problem.headers["Retry-After"])
    assert waits == ["", "", "29", "", "30", "", "", "30"]
    limit.take("b")
    seen = [(await client.get("/v1/me")).status_code for _ in range(4)]
    assert seen == [200, 200, 429, 429]
    answer = await client.get("/v1/me")
    assert answer.json()["error"] == "TooManyRequests" and 1 <= int(answer.headers["retry-after"]) <= 30
    other = {"Authorization": talk.stand.bearer("admin")["Authorization"]}
    assert (await client.get("/v1/me", headers=other)).status_code == 200


def test_a_token_is_refused_from_the_moment_it_is_revoked_or_expires(stand: Stand) -> None:
    tokens = Tokens(stand.home)
    _, text = tokens.add("short-lived", AccessRole.READER)
    _, past = tokens.add("past", AccessRole.READER, days=0)

    async def conversation() -> None:
        async with client_of(create_app(Workspace(stand.settings()))) as client:
            held = {"Authorization": f"Bearer {text}"}
            assert (await client.get("/v1/me", headers=held)).json()["name"] == "short-lived"
            assert (await client.get("/v1/me", headers={"Authorization": f"Bearer {past}"})).status_code == 401
            Tokens(stand.home).revoke("short-lived")  # as another process does
            assert (await client.get("/v1/me", headers=held)).status_code == 401

    anyio.run(conversation)
    Tokens(stand.home).revoke("past")
    with pytest.raises(NotFoundError, match="short-lived"):
        tokens.revoke("short-lived")


def test_what_is_kept_of_tokens_opens_nothing_and_is_for_its_owner_only(stand: Stand) -> None:
    folder = stand.home / "access"
    kept = (folder / "tokens.json").read_text()
    assert all(text not in kept and text.split("_", 2)[2] not in kept for text in stand.tokens.values())
    assert all(path.stat().st_mode & 0o077 == 0 for path in (folder, *folder.iterdir()))


def test_a_route_without_a_rule_keeps_the_application_from_starting(stand: Stand) -> None:
    from fastapi import APIRouter

    router = APIRouter()

    @router.get("/v1/forgotten")
    async def forgotten() -> None: ...

    with pytest.raises(ValueError, match="GET /v1/forgotten"):
        create_app(Workspace(stand.settings()), [Face({}, [router])])
    app = create_app(Workspace(stand.settings()))
    with pytest.raises(ValueError, match="GET /v1/gone"):
        check_rules(app, {**API_RULES, "GET /v1/gone": AccessRole.READER})


def test_each_role_gets_at_each_route_of_each_corpus_what_its_rule_says(stand: Stand) -> None:
    """Generated from the routes: 403 exactly where the rule or the token's corpora say no, 401 without a token."""

    async def everywhere() -> None:
        app = create_app(Workspace(stand.settings()), [mcp_face(), chat_face(), console_face()])
        rules: Rules = app.state.rules
        routes = [(route.path, method) for route in app.routes for method in getattr(route, "methods", ())]
        assert len(routes) > len(API_RULES)
        async with client_of(app) as client:
            for path, method in routes:
                needed = rules[f"{'GET' if method == 'HEAD' else method} {path}"]
                for corpus in CORPORA if "{corpus}" in path else CORPORA[:1]:
                    where = path.replace("{corpus}", corpus).replace("{number:digits}", "1")
                    nobody = await client.request(method, where)
                    assert (nobody.status_code == 401) is (needed is not None), (method, where)
                    for (role, bound), _ in stand.tokens.items():
                        answer = await client.request(
                            method, where, headers=stand.bearer(role, bound) | PLAIN, json=None
                        )
                        may = needed is None or (
                            AccessRole(role).covers(needed)
                            and not (bound and "{corpus}" in path and corpus != CORPORA[0])
                            and not (bound and f"{'GET' if method == 'HEAD' else method} {path}" in WHOLE)
                        )
                        assert (answer.status_code != 403) is may, (method, where, role, bound, answer.text)

    anyio.run(everywhere)


def test_the_audit_log_has_whole_lines_newest_first(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    assert log.last(5) == []
    for number in range(3):
        log.record(Deed("ann", "POST /v1/x", f"line\n{number}", "done"))
    path = tmp_path / "access" / "audit.jsonl"
    assert path.stat().st_mode & 0o077 == 0
    with path.open("a") as file:
        file.write('{"time": 1, "who"')  # cut off
    assert [one["target"] for one in log.last(2)] == ["line\n2", "line\n1"]
