"""What administrators do by REST: who may, tokens, vacuum, a corpus dropped, evaluations; what is written down."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from clausegraph.app.access.rules import AuditLog
from clausegraph.app.cli.session import shown_place
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question, write_questions
from tests.app.api.conftest import CORPORA, Stand, Talks, conversation, make_stand
from tests.app.reading.commands import WRITING
from tests.harness.cli import made_app

WHERE = "/v1/corpora/other"
ROUTES: dict[tuple[str, str], Any] = {
    ("GET", "/v1/tokens"): None,
    ("POST", "/v1/tokens"): {"name": "x", "days": -1},
    ("DELETE", "/v1/tokens/nobody"): None,
    ("GET", "/v1/doctor"): None,
    ("GET", "/v1/question-files"): None,
    ("POST", "/v1/corpora/default/evaluations"): {"questions": "none.json"},
    ("POST", "/v1/corpora/default/vacuum"): {"keep_epochs": 0},
    ("DELETE", "/v1/corpora/default?name=wrong"): None,
}
BESIDE = {"serve", "eval conditionalqa", "eval passages", "eval report", "watch run"} | {
    words for words in WRITING if words.split()[0] in ("server", "dags")
}  # of no corpus, or what a schedule does
PLACES = {
    "/a@b/c?d": "/a@b/c?d",
    "postgresql://ann:p@ss?word@db:5432/x": "postgresql://db:5432/x",
    "postgresql://db/x?password=word": "postgresql://db/x",
    "s3://bucket/x": "s3://bucket/x",
}
TO_ADMINS = dict(zip(ROUTES, (200, 422, 404, 200, 200, 404, 422, 400), strict=True))


@pytest.fixture
def own(tmp_path: Path) -> Talks:
    """Conversations with a home of one's own, to change."""
    return Talks(make_stand(tmp_path))


@pytest.mark.parametrize(("role", "bound"), [("reader", False), ("curator", False), ("admin", True)])
def test_only_whoever_may_do_everything_does_this(talk: Talks, role: str, bound: bool) -> None:
    async def each(client: httpx.AsyncClient) -> None:
        for (method, path), body in ROUTES.items():
            answer = await client.request(method, path, json=body)
            of_corpus = role == "admin" and path.startswith("/v1/corpora/")
            wanted = TO_ADMINS[method, path] if of_corpus else 403
            assert answer.status_code == wanted, (role, method, path, answer.text)

    talk(each, role, bound=bound)


async def _ended(client: httpx.AsyncClient, answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 202, answer.text
    async with client.stream("GET", f"{answer.headers['location']}/events") as told:
        text = "".join([part async for part in told.aiter_text()])
    found: dict[str, Any] = json.loads(text.split("event: end\ndata: ")[1])
    return found


@conversation("admin", fixture="own")
async def test_a_token_is_shown_once_used_and_revoked(client: httpx.AsyncClient, own: Talks) -> None:
    made = await client.post("/v1/tokens", json={"name": "ann", "corpora": ["default"], "reason": "the help desk"})
    text = made.json()["token"]
    assert made.status_code == 201 and made.headers["cache-control"] == "no-store"
    assert (await client.post("/v1/tokens", json={"name": "ann"})).status_code == 400
    listed = await client.get("/v1/tokens")
    assert text.rpartition("_")[2] not in listed.text and "digest" not in listed.text
    as_ann = {"Authorization": f"Bearer {text}"}
    assert (await client.get("/v1/me", headers=as_ann)).json() == {
        "name": "ann", "role": "reader", "corpora": ["default"],
    }  # fmt: skip
    assert (await client.delete("/v1/tokens/ann", params={"reason": "left"})).status_code == 200
    assert (await client.get("/v1/me", headers=as_ann)).status_code == 401
    log = [(one["action"], one["outcome"], one["why"]) for one in AuditLog(own.stand.home).last(3)]
    assert log == [
        ("DELETE /v1/tokens/{name}", "done", "left"),
        ("POST /v1/tokens", "InputError", ""),
        ("POST /v1/tokens", "done", "the help desk"),
    ]
    assert text not in (own.stand.home / "access" / "audit.jsonl").read_text()
    states = {one["check"]: one["state"] for one in (await client.get("/v1/doctor")).json()["findings"]}
    assert states["ledger database"] == states["ledger rows"] == "ok"


@conversation("admin", fixture="own")
async def test_old_epochs_and_then_the_corpus_go(client: httpx.AsyncClient) -> None:
    await client.post(f"{WHERE}/rollback", json={"epoch": 1, "reason": "wrong age"})
    await client.post(f"{WHERE}/rollback", json={"epoch": 2})
    done = await _ended(client, await client.post(f"{WHERE}/vacuum", json={"keep_epochs": 1, "keep_days": 0}))
    assert (done["kind"], done["status"], done["told"]) == (
        "vacuum", "done", "1 epoch removed with what only they show, 1 kept.",
    ), done  # fmt: skip
    assert [one["epoch"] for one in (await client.get(f"{WHERE}/epochs")).json()["items"]] == [2]
    assert (await client.get(f"{WHERE}/runs/{done['id']}")).json()["status"] == "done"
    assert (await client.put(f"{WHERE}/runs/{done['id']}/cancelled")).status_code == 400
    wrong = await client.delete(WHERE, params={"name": "othr"})
    assert wrong.status_code == 400 and "type its name" in wrong.json()["detail"]
    assert (await client.get(WHERE)).status_code == 200
    gone = await client.delete(WHERE, params={"name": "other", "reason": "moved"})
    assert (gone.status_code, gone.json()["dropped"], gone.json()["remains"]) == (200, "other", []), gone.text
    assert (await client.get(WHERE)).status_code == 404
    log = [(one["action"][:6], one["outcome"], one["why"]) for one in (await client.get("/v1/audit")).json()["items"]]
    assert log[:2] == [("DELETE", "done", "moved"), ("DELETE", "InputError", "")] and log[-1][2] == "wrong age"


def test_an_engine_is_measured_twice_and_compared(own: Talks, tmp_path: Path) -> None:
    asked = [
        Question(f"q{one}", "https://a.example/grant.html", "", f"What is the {one} Home Grant?", False,
                 (ConditionalAnswer("£140"),), ())
        for one in ("Warm", "Cold")
    ]  # fmt: skip
    write_questions(tmp_path / "own.json", asked)

    async def measure(client: httpx.AsyncClient) -> None:
        sent = {"file": ("own.json", (tmp_path / "own.json").read_bytes())}
        assert (await client.post("/v1/question-files", files=sent)).json() == {"items": ["own.json"]}
        for name, raw in (("own.json", b"[]"), ("bad.json", b"{"), ("../x.exe", b"[]")):
            refused = await client.post("/v1/question-files", files={"file": (name, raw)})
            assert refused.status_code == 400, name
        where = "/v1/corpora/default/evaluations"
        for order, status in (({"questions": "no.json"}, 404), ({"questions": "own.json", "engine": "x"}, 400)):
            assert (await client.post(where, json=order)).status_code == status
        none = await _ended(client, await client.post(where, json={"questions": "judged"}))
        assert none["status"] == "failed" and "has no judged answer" in none["told"], none
        runs = [
            await _ended(client, await client.post(where, json={"questions": "own.json", "engine": engine, **more}))
            for engine, more in (("loop", {}), ("single-pass", {"sample": 2}))
        ]
        assert [one["told"] for one in runs] == [
            f"{name} was measured on 2 questions." for name in ("loop", "single-pass")
        ]
        listed = (await client.get("/v1/evaluations")).json()["items"]
        assert {one["name"] for one in listed} == {one["id"] for one in runs}
        assert {path.name for path in (tmp_path / "figures").iterdir()} == {"questions", *(one["id"] for one in runs)}
        assert {one["corpus"] for one in listed} == {CORPORA[0]}

    own(measure, "admin", evaluations=tmp_path / "figures")


def test_the_command_line_writes_down_who_and_why(own: Talks) -> None:
    stand: Stand = own.stand
    beside = stand.home.parent
    pages = str(beside / "other" / "pages")
    runner = CliRunner(env={"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing", "CLAUSEGRAPH_EXTRACTOR": "rules"})
    acts = [
        ("ingest", [pages, "--corpus", "other"]),
        ("pages refresh", ["visa.html", "--corpus", "other"]),
        ("audit", ["--repair", "--corpus", "other"]),
        ("move", [str(beside / "moved"), "--corpus", "other"]),
        ("backup make", [str(beside / "copies")]),
        ("epochs rollback", ["1", "--corpus", "other"]),
        ("epochs vacuum", ["--corpus", "other", "--keep-epochs", "1", "--keep-days", "0"]),
        ("tokens add", ["bob"]),
        ("tokens revoke", ["bob"]),
        ("corpora drop", ["other", "--yes"]),
    ]
    for words, more in acts:
        line = [*words.split(), *more, "--reason", f"why {words}", "--home", str(stand.home)]
        done = runner.invoke(made_app(), line)
        assert done.exit_code == 0, done.output
    failed = runner.invoke(made_app(), ["epochs", "rollback", "9", "--home", str(stand.home)])
    assert failed.exit_code == 3
    for words in (["ingest", str(beside / "default" / "pages"), "--dry-run"], ["audit"]):  # which change nothing
        assert runner.invoke(made_app(), [*words, "--home", str(stand.home)]).exit_code == 0
    log = [(one["action"], one["why"], one["outcome"]) for one in reversed(AuditLog(stand.home).last(99))]
    assert log == [*((words, f"why {words}", "done") for words, _ in acts), ("epochs rollback", "", "NotFoundError")]
    assert all(one["who"].endswith(" (command line)") for one in AuditLog(stand.home).last(99))
    again = ["restore", str(beside / "copies"), "--home", str(beside / "again"), "--reason", "the disk broke"]
    assert runner.invoke(made_app(), again).exit_code == 0
    (last,) = AuditLog(beside / "again").last(1)
    assert (last["action"], last["target"], last["why"]) == ("restore", str(beside / "copies"), "the disk broke")


def test_every_command_that_changes_something_takes_a_reason() -> None:
    group: Any = get_command(made_app())
    for words in sorted(WRITING - BESIDE):
        found = group
        for word in words.split():
            found = found.commands[word]
        assert "reason" in {one.name for one in found.params}, words


@pytest.mark.parametrize("place", PLACES)
def test_an_address_is_written_down_without_what_is_secret(place: str) -> None:
    assert shown_place(place) == PLACES[place]
