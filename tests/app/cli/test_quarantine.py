"""A run in quarantine on the command line, over the API and in the console: seen, accepted, dropped, written down."""

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.app.api.application import create_app
from clausegraph.app.console.face import face
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from tests.app.cli.conftest import Cli, parsed

BASE = "http://127.0.0.1:8400"


@pytest.fixture
def held(cli: Cli, tmp_path: Path) -> str:
    """The id of a run that found one page of five."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for name in "abcde":
        (pages / f"{name}.html").write_text(f"<h1>Grant {name}</h1><p>You can get grant {name} if you rent.</p>")
    assert cli("ingest", str(pages)).exit_code == 0
    for name in "bcde":
        (pages / f"{name}.html").unlink()
    ended = cli("ingest", str(pages), "--json")
    assert ended.exit_code == 7
    return str(json.loads(ended.stdout)["run_id"])


def uris(cli: Cli) -> int:
    return len(parsed(cli("pages", "list", "--json"))["items"])


def deeds(home: Path) -> list[tuple[str, str]]:
    """What was done beside ingests."""
    (path,) = home.rglob("audit.jsonl")
    found = [(one["action"], one["target"]) for one in map(json.loads, path.read_text().splitlines())]
    return [one for one in found if one[0] != "ingest"]


def test_on_the_command_line(cli: Cli, tmp_path: Path, held: str) -> None:
    assert "4 of 5 pages: gone from the source" in cli("quarantine", "list").stdout
    shown = cli("quarantine", "show", held).stdout
    assert "b.html  removed" in shown and f"quarantine accept {held}" in shown
    assert "would be held in quarantine" in cli("ingest", str(tmp_path / "pages"), "--dry-run").stdout
    freed = cli("ingest", str(tmp_path / "pages"), "--dry-run", "--allow-empty").stdout
    assert "quarantine" not in freed
    accepted = cli("quarantine", "accept", held)
    assert accepted.exit_code == 0 and "published epoch 2, accepted by" in accepted.stdout
    for words in (("accept", held), ("drop", held), ("show", held)):
        refused = cli("quarantine", *words)
        assert refused.exit_code == 2 and f"run {held} is not in quarantine: it is done" in refused.stderr
    assert cli("quarantine", "show", "nothing").exit_code == 3
    assert "no run is in quarantine" in cli("quarantine", "list").stdout
    tried = [("accept", held), ("accept", held), ("drop", held)]
    assert deeds(tmp_path / "home") == [(f"quarantine {act}", run) for act, run in tried]


def test_dropped_the_corpus_stays(cli: Cli, tmp_path: Path, held: str) -> None:
    assert cli("quarantine", "drop", held).exit_code == 0
    assert cli("quarantine", "list", "--json").stdout.strip() == "[]"
    assert parsed(cli("status", "--json"))["corpora"][0]["pages"] == 5
    assert deeds(tmp_path / "home") == [("quarantine drop", held)]


def test_over_the_api_and_on_the_screen(tmp_path: Path, held: str) -> None:
    home = tmp_path / "home"
    token = {role: Tokens(home).add(role.value, role, None)[1] for role in AccessRole}
    workspace = Workspace(Settings(home=home, embedding_model="hashing", extractor="rules"))
    with TestClient(create_app(workspace, [face()]), BASE) as client:
        path = "/v1/corpora/default/quarantine"

        def bearer(role: AccessRole) -> dict[str, str]:
            return {"Authorization": f"Bearer {token[role]}"}

        (found,) = client.get(path, headers=bearer(AccessRole.READER)).json()["items"]
        assert (found["id"], found["held"][0]["pages"]) == (held, 4)
        client.post("/login", data={"token": token[AccessRole.CURATOR]}, headers={"Origin": BASE})
        screen = client.get(f"/c/default/run?name={held}").text
        assert "4 of 5 pages: gone from the source" in screen and "Publish it" in screen and "Drop it" in screen
        client.cookies.clear()
        state = {"state": "accepted"}
        assert client.put(f"{path}/{held}", json=state, headers=bearer(AccessRole.READER)).status_code == 403
        done = client.put(f"{path}/{held}", json=state, headers=bearer(AccessRole.CURATOR))
        assert done.status_code == 200 and done.json()["accepted_by"] == "curator"
        again = client.put(f"{path}/{held}", json={"state": "dropped"}, headers=bearer(AccessRole.CURATOR))
        assert again.status_code == 400 and "it is done" in again.text
    told = [target for action, target in deeds(home) if action.startswith("PUT")]
    assert len(told) == 3 and all(held in one for one in told) and "accepted" in told[1] and "dropped" in told[2]
