"""Runs that a server is asked for: from files to pages, cancelled, followed; what a killed server tells of them."""

import io
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import httpx
import pytest

from clausegraph.app.access.rules import AuditLog
from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.app.services import history, uploads
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.services.uploads import SentFile
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.settings import Settings
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question, write_questions
from clausegraph.indexes.corpora import get_corpus, list_runs
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.progress import Figures, Gauge
from clausegraph.ingestion.sources import open_source
from clausegraph.ingestion.tools import Cancelled
from tests.app.api.conftest import PAGES, publish, started_again
from tests.app.api.serving import Serving
from tests.harness.home import run
from tests.harness.postgres import new_address
from tests.harness.site import NAME, Answer, local_site
from tests.harness.wait import until

pytestmark = pytest.mark.integration
WHERE = "/v1/corpora/new"


def sent(age: int = 60, *names: str) -> list[tuple[str, tuple[str, bytes]]]:
    """Pages as a form sends them."""
    made = {name: PAGES[name].format(age=age, money=100).encode() for name in names or PAGES}
    return [("files", (name, b"<main>" + body + b"</main>")) for name, body in made.items()]


def start(client: httpx.Client, **order: Any) -> str:
    asked = client.post(f"{WHERE}/runs", json=order)
    assert asked.status_code == 202 and asked.headers["location"] == f"{WHERE}/runs/{asked.json()['id']}", asked.text
    return str(asked.json()["id"])


def ended(client: httpx.Client, run: str) -> dict[str, Any]:
    """A run at its end, as its stream tells it."""
    told = client.get(f"{WHERE}/runs/{run}/events").text.split("event: end\ndata: ")
    assert told[0].startswith("event: progress\n")
    found: dict[str, Any] = json.loads(told[1])
    return found


@pytest.mark.parametrize("database", ["", pytest.param("postgresql", marks=pytest.mark.long)])
def test_files_become_pages_and_the_next_files_replace_them(tmp_path: Path, database: str) -> None:
    more = {"database": new_address()} if database else {}
    with Serving(tmp_path / "home", **more) as server, server.client() as client:
        assert client.get("/v1/corpora").json() == {"items": []}
        form = {"source": "leaflets"}
        kept = client.post(f"{WHERE}/uploads", data=form, files=[*sent(60), ("files", ("a.exe", b"MZ"))]).json()
        assert kept["kept"] == list(PAGES) and kept["refused"] == {"a.exe": "a file of this kind is not read"}
        forecast = ended(client, start(client, source="leaflets", dry_run=True))
        assert (forecast["status"], forecast["kind"]) == ("done", "forecast") and "nothing was written" in forecast[
            "told"
        ]
        needs = client.get(f"{WHERE}/runs/{forecast['id']}").json()["report"]
        assert needs["pages_added"] == sorted(PAGES) and needs["forecast"]["chunks"] > 3
        assert client.get(WHERE).json()["published"] == 0
        first = ended(client, start(client, source="leaflets"))
        assert (first["status"], first["epoch"], first["told"]) == ("done", 1, "Epoch 1 was published.")
        assert first["job"]["asked_by"].startswith("serve")
        client.post(f"{WHERE}/uploads", data=form | {"only": "true"}, files=sent(70, "grant.html", "visa.html"))
        second = ended(client, start(client, source="leaflets"))
        report = client.get(f"{WHERE}/runs/{second['id']}").json()["report"]
        assert report["pages_changed"] == ["grant.html"] and report["pages_removed"] == ["council.html"]
        again = ended(client, start(client, page="grant.html"))
        assert (again["status"], again["told"]) == ("done", "Nothing had changed.")
        refused = client.put(f"{WHERE}/runs/{second['id']}/cancelled")
        assert refused.status_code == 400 and "has ended (done)" in refused.json()["detail"]
        listed = [one["status"] for one in client.get(f"{WHERE}/runs").json()["items"]]
        assert listed == ["done"] * 4
        for wrong in (
            {},
            {"source": "x", "page": "y"},
            {"address": "file:///etc/passwd"},
            {"source": "x", "path": "/"},
        ):
            assert client.post(f"{WHERE}/runs", json=wrong).status_code == 422, wrong
        assert client.post(f"{WHERE}/runs", json={"source": "nothing"}).status_code == 404
        forgotten = client.post(f"{WHERE}/forgotten", json={"source": "leaflets", "page": "visa.html", "reason": "law"})
        assert forgotten.status_code == 200, forgotten.text
        assert [path.name for path in (tmp_path / "home" / "uploads").rglob("*.html")] == ["grant.html"]
        refused = client.post(f"{WHERE}/uploads", data=form, files=sent(60, "visa.html"))
        assert "forgotten on" in refused.json()["refused"]["a page"]


def test_who_may_ask_for_runs(tmp_path: Path) -> None:
    home = tmp_path / "home"
    kept = Tokens(home)
    roles = {
        "reader": (AccessRole.READER, None),
        "elsewhere": (AccessRole.CURATOR, ("other",)),
        "here": (AccessRole.CURATOR, ("new",)),
    }
    tokens = {name: kept.add(name, role, corpora)[1] for name, (role, corpora) in roles.items()}
    for name, token in tokens.items():
        with started_again(home, token) as client:
            may = name == "here"
            answers = [
                client.post(f"{WHERE}/uploads", data={"source": "s"}, files=sent()),
                client.post(f"{WHERE}/runs", json={"source": "s"}),
                client.put(f"{WHERE}/runs/none/cancelled"),
                client.post(f"{WHERE}/preview", json={"address": "http://127.0.0.1:1/"}),
            ]
            assert [one.status_code == 403 for one in answers] == [not may] * 4, name
            assert not may or client.get(f"{WHERE}/runs").json()["items"][0]["source"] == "s"
    deeds = [one["action"] for one in AuditLog(home).last(20)]
    assert "POST /v1/corpora/{corpus}/runs" in deeds and "POST /v1/corpora/{corpus}/uploads" in deeds


def test_an_address_is_looked_at_read_cancelled_and_taken_again_as_it_was(tmp_path: Path) -> None:
    asked, go = threading.Event(), threading.Event()

    def slow(path: str) -> Answer:
        asked.set()
        assert go.wait(60)
        return Answer(b"<main><h1>Visa</h1><p>A visa costs 20 pounds.</p></main>")

    web = {"web_allow": f"{NAME}=127.0.0.1", "web_interval": "0"}
    with local_site() as site, Serving(tmp_path / "home", **web) as server, server.client() as client:
        site.page(
            "/guides/", '<main><h1>Guides</h1><p>You must apply.</p><a href="visa">Visa</a> <a href="/x">X</a></main>'
        )
        site.page("/guides/visa", "<main><h1>Visa</h1><p>A visa costs 10 pounds.</p></main>")
        address, how = site.url("/guides/"), {"mode": "site"}
        looked = client.post(f"{WHERE}/preview", json={"address": address, "web": how}).json()
        assert (looked["kind"], looked["addresses"]) == ("site", [address, site.url("/guides/visa")])
        assert client.get("/v1/corpora").json() == {"items": []}
        assert ended(client, start(client, source="guides", address=address, web=how))["epoch"] == 1
        site.answers["/guides/visa"] = slow
        run, waiting = start(client, source="guides"), start(client, source="guides", dry_run=True)
        assert asked.wait(60)
        assert client.put(f"{WHERE}/runs/{waiting}/cancelled").json()["status"] == "cancelled"
        assert client.put(f"{WHERE}/runs/{run}/cancelled").json()["cancelled_by"] == "serve"
        until(lambda: "has cancelled it" in client.get(f"{WHERE}/runs/{run}").json()["told"])
        time.sleep(1)  # the run has seen it by then; were it slower, it would be cancelled at a later step
        go.set()
        found = ended(client, run)
        assert (
            found["status"] == "cancelled"
            and "by serve" in found["told"]
            and "nothing of it was published" in found["told"]
        )
        assert ended(client, waiting)["status"] == "cancelled" and client.get(WHERE).json()["published"] == 1
        again = ended(client, start(client, source="guides"))  # as a site, as it was
        assert (again["status"], again["epoch"]) == ("done", 2)
        site.answers["/guides/visa"], _ = slow, (asked.clear(), go.clear())
        left, queued = start(client, source="guides", force=True), start(client, source="guides")
        assert asked.wait(60)
        threading.Timer(0.5, go.set).start()
        server.end()
    with started_again(tmp_path / "home", server.token) as client:
        told = [client.get(f"{WHERE}/runs/{name}").json() for name in (left, queued)]
        assert [one["status"] for one in told] == ["interrupted"] * 2
        assert all("nothing of it was published" in one["told"] for one in told)


def test_a_run_of_the_command_line_is_followed_and_cancelled_too(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", embedding_model="hashing", extractor="rules")
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, (_, body) in sent():
        del name
        (folder / f"{len(body)}.html").write_bytes(body)
    with Workspace(settings) as workspace:
        source, seen = open_source(str(folder)), list[Figures]()
        run_ingest(workspace, "default", source, Options(), Gauge(seen.append))
        phases = list(dict.fromkeys(one.phase for one in seen))
        assert phases == ["read", "extract", "plan", "embed", "publish"]
        (last,) = [one for one in seen if one.phase == "extract"][-1:]
        assert last.done == last.total > 0 and last.words().startswith(f"extract {last.done} of {last.total}")
        units = len(seen)
    whole = dumped(settings, tmp_path)
    for at in range(0, units, max(1, units // 12)):
        home = settings.model_copy(update={"home": tmp_path / f"at-{at}"})
        with Workspace(home) as workspace:
            with pytest.raises(Cancelled) as stopped:
                run_ingest(workspace, "default", open_source(str(folder)), Options(), Gauge(cancelling(at)))
            (row,) = list_runs(workspace.ledger, get_corpus(workspace.ledger, "default").id, 5)
            assert row["status"] == "cancelled" and stopped.value.__notes__ == ["nothing of it was published"]
            assert history.list_epochs(workspace, "default") == []
        run(home, folder)
        assert dumped(home, tmp_path) == whole


def cancelling(at: int) -> Any:
    seen: list[Figures] = []

    def tell(figures: Figures) -> None:
        seen.append(figures)
        if len(seen) > at:
            raise Cancelled

    return tell


def dumped(settings: Settings, root: Path) -> list[str]:
    with Workspace(settings) as workspace, open_view(workspace.ledger, "default", None) as view:
        return [line.replace(str(root), "") for line in dump_lines(view)]


# --- a killed server --------------------------------------------------------------------------------

CHILD = """
import json, sys, threading
from pathlib import Path
from tests.app.api.conftest import started_again
from tests.harness.writes import kill_this_process_at
home, token, write, path, order = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), *sys.argv[4:]
whole = threading.Thread.run
def counted(thread):
    if thread.name.startswith("clausegraph-run"):
        kill_this_process_at(write, home.parent)
    whole(thread)
threading.Thread.run = counted
with started_again(home, token) as client:
    run = client.post("/v1/corpora/new/" + path, json=json.loads(order)).json()["id"]
    client.get(f"/v1/corpora/new/runs/{run}/events")
"""


def killed_server(home: Path, token: str, write: int, path: str, order: dict[str, Any]) -> None:
    """A server that is killed at a write of a run that it is asked for, or that ends it."""
    words = [sys.executable, "-c", CHILD, str(home), token, str(write), path, json.dumps(order)]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    child = subprocess.run(words, capture_output=True, text=True, check=False, env=paths)
    assert child.returncode in (0, -9), child.stderr


def kill_and_look(tmp_path: Path, write: int) -> str:
    """Kill a server at a write of a run; the state of that run as the next server tells it, once all was checked."""
    home = tmp_path / "home"
    settings = Settings(home=home, corpus="new", embedding_model="hashing", extractor="rules")
    _, token = Tokens(home).add("ann", AccessRole.CURATOR)
    with Workspace(settings) as workspace:
        files = [SentFile(name, io.BytesIO(body)) for _, (name, body) in sent()]
        uploads.store(workspace, "new", "leaflets", files)
    killed_server(home, token, write, "runs", {"source": "leaflets"})
    with started_again(home, token) as client:
        killed = client.get(f"{WHERE}/runs").json()["items"]
        state = killed[0]["status"] if killed else "never"
        published = client.get(WHERE).json()["published"]
        if killed:
            told = client.get(f"{WHERE}/runs/{killed[0]['id']}").json()
            assert state in ("interrupted", "done") and told["epoch"] == (published or None)
            assert ("Epoch 1 was" if state == "done" else "epoch 1 was" if published else "nothing of it was") in told[
                "told"
            ]
        asked = client.post(f"{WHERE}/runs", json={"source": "leaflets"}).json()["id"]
        until(lambda: client.get(f"{WHERE}/runs/{asked}").json()["status"] not in ("queued", "running"))
        assert client.get(f"{WHERE}/runs/{asked}").json()["status"] == "done"
        assert client.get(WHERE).json()["pages"] == len(PAGES)
        facts = client.get(f"{WHERE}/facts?limit=200").json()["items"]
    assert len(facts) > 3
    return state


def test_a_killed_server_tells_the_truth_of_its_run(tmp_path: Path) -> None:
    assert kill_and_look(tmp_path, 9) == "interrupted"


@pytest.mark.long
@pytest.mark.parametrize("write", range(1, 31))
def test_a_server_killed_anywhere_tells_the_truth_of_its_run(tmp_path: Path, write: int) -> None:
    kill_and_look(tmp_path, write)


ORDERS: dict[str, tuple[dict[str, Any], str]] = {  # and what the next server says of one that was killed
    "vacuum": ({"keep_epochs": 1, "keep_days": 0}, "the next one goes on from there"),
    "evaluations": ({"questions": "own.json", "engine": "single-pass"}, "the next one begins anew"),
}


def kill_other_work(tmp_path: Path, path: str, write: int) -> str:
    """Kill a server at a write of a vacuum or an evaluation; the state of that run, once all was checked."""
    home, (order, told) = tmp_path / "home", ORDERS[path]
    _, token = Tokens(home).add("ann", AccessRole.ADMIN)
    for age in (60, 70):
        publish(home, "new", tmp_path / "pages", age=age, money=100)
    (tmp_path / "figures" / "questions").mkdir(parents=True)
    asked = Question("q", "https://a.example/a", "", "What is it?", False, (ConditionalAnswer("£100"),), ())
    write_questions(tmp_path / "figures" / "questions" / "own.json", [asked])
    killed_server(home, token, write, path, order)
    with started_again(home, token) as client:
        runs = [one for one in client.get(f"{WHERE}/runs").json()["items"] if one["kind"] != "ingest"]
        state = runs[0]["status"] if runs else "never"
        assert state in ("interrupted", "done", "never")
        if state == "interrupted":
            assert client.get(f"{WHERE}/runs/{runs[0]['id']}").json()["told"].endswith(f"; {told}.")
        listed = {one["name"] for one in client.get("/v1/evaluations").json()["items"]}
        done = {one["id"] for one in runs if one["status"] == "done" and path == "evaluations"}
        assert done <= listed <= {one["id"] for one in runs}  # killed after its last figure, a run does not know that
        for name in listed:  # what is listed is whole
            assert client.get(f"/v1/evaluations/{name}").json()["report"]["questions"] == 1
        again = client.post(f"{WHERE}/{path}", json=order).json()["id"]
        until(lambda: client.get(f"{WHERE}/runs/{again}").json()["status"] not in ("queued", "running"))
        assert client.get(f"{WHERE}/runs/{again}").json()["status"] == "done"
        found = client.get(WHERE).json()
        assert (found["published"], found["pages"], found["epochs"]) == (2, len(PAGES), 1 if path == "vacuum" else 2)
        assert "over 70" in client.get(f"{WHERE}/page/elements?name=grant.html").text
    return state


@pytest.mark.parametrize("path", ORDERS)
@pytest.mark.parametrize(
    "write", [4, *(pytest.param(one, marks=pytest.mark.long) for one in (1, 2, 3, 5, 6, 8, 11, 15, 20, 30))]
)
def test_a_killed_server_tells_the_truth_of_other_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, write: int
) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_EVALUATIONS", str(tmp_path / "figures"))
    state = kill_other_work(tmp_path, path, write)
    assert write != 4 or state == "interrupted"


# --- what may be sent -------------------------------------------------------------------------------


def packed(*parts: tuple[str | ZipInfo, bytes]) -> bytes:
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as archive:
        for name, body in parts:
            archive.writestr(name, body)
    return made.getvalue()


def of_mode(name: str, mode: int) -> ZipInfo:
    made = ZipInfo(name)
    made.external_attr = mode << 16
    return made


PAGE = b"<main><p>You must apply.</p></main>"
REFUSED = {
    "climbs": packed(("ok.html", PAGE), ("../../evil.html", PAGE)),
    "absolute": packed(("/etc/evil.html", PAGE)),
    "other slash": packed(("a\\..\\evil.html", PAGE)),
    "drive": packed(("C:/evil.html", PAGE)),
    "link": packed((of_mode("a.html", 0o120777), b"/etc/passwd")),
    "device": packed((of_mode("a.html", 0o020666), b"")),
    "bomb": packed(("a.html", b"a" * 10_000_000)),
    "many bombs": packed(*((f"{n}.html", bytes(range(256)) * 4000) for n in range(160))),
    "many files": packed(*((f"{n}.html", PAGE) for n in range(uploads.MOST_FILES + 1))),
    "very many": packed(*((f"{n}.html", b"") for n in range(2 * uploads.MOST_FILES + 1))),
    "no archive": b"PK\x03\x04 nothing",
    "cut off": packed(("a.html", PAGE))[:-30],
}


@pytest.mark.parametrize("what", REFUSED)
def test_of_an_archive_that_may_be_meant_badly_nothing_is_kept(workspace: Workspace, what: str) -> None:
    with pytest.raises(InputError):
        uploads.store(workspace, "new", "s", [SentFile("a.zip", io.BytesIO(REFUSED[what]))])
    assert not list(workspace.settings.home.rglob("*.html")) and not list(workspace.settings.home.parent.glob("*.html"))


@pytest.mark.parametrize(
    "name", ["../a.html", "/a.html", "a/../../b.html", "a\\b.html", "", "a//b.html", "a\x00.html", "é" * 150 + ".html"]
)
def test_a_name_that_leads_out_of_its_source_is_refused(workspace: Workspace, name: str) -> None:
    with pytest.raises(InputError):
        uploads.store(workspace, "new", "s", [SentFile(name, io.BytesIO(PAGE))])


def test_an_archive_is_kept_as_its_files_and_what_is_none_is_told(workspace: Workspace, tmp_path: Path) -> None:
    inner = packed(("deep/c.html", PAGE))
    whole = packed(
        ("a.html", PAGE), ("b/b.md", b"# B"), (".git/x.html", PAGE), ("in.zip", inner), ("x.pdf", b"no"), ("b/", b"")
    )
    reply = uploads.store(
        workspace, "new", "s", [SentFile("all.zip", io.BytesIO(whole)), SentFile("b", io.BytesIO(PAGE))]
    )
    assert reply.kept == ["a.html", "b/b.md"] and set(reply.refused) == {"in.zip", "x.pdf", "b"}
    path = uploads.folder_of(workspace, get_corpus(workspace.ledger, "new"), "s") / "a.html"
    assert path.stat().st_mode & 0o777 == 0o600 and path.read_bytes() == PAGE
    shutil.copytree(path.parent, tmp_path / "elsewhere")
    run(workspace.settings.model_copy(update={"corpus": "new"}), tmp_path / "elsewhere")
    with pytest.raises(InputError, match="give the files another source"):
        uploads.store(workspace, "new", "elsewhere", [SentFile("a.html", io.BytesIO(PAGE))])
