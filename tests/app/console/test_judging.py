"""An answer that a curator judges becomes a question that engines are measured on."""

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.app.services.evaluation import EngineTrial, measure_engine
from clausegraph.app.services.questions import export, judged_slice
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.settings import Settings
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question, load_questions
from clausegraph.ingestion.tools import no_progress
from tests.app.console.conftest import PHONE, Served, Watched, answered, check, looking, serving
from tests.harness.home import filled

PAGE = (
    "<title>Grant</title><main><h1>Heating Grant</h1>"
    "<p>You can get the Heating Grant if you live in {}.</p><p>The Heating Grant is £{}.</p></main>"
)


@pytest.fixture
def grant(tmp_path: Path) -> Settings:
    """Of a home with one small page."""
    return _publish(tmp_path, "Ayr", 100)


def _publish(tmp_path: Path, town: str, money: int) -> Settings:
    folder = tmp_path / "pages"
    folder.mkdir(exist_ok=True)
    (folder / "grant.html").write_text(PAGE.format(town, money), "utf-8")
    return filled(tmp_path / "home", folder)


def test_what_a_curator_judges_is_exported_as_long_as_the_pages_say_it(grant: Settings, tmp_path: Path) -> None:
    async def judging(client: httpx.AsyncClient) -> None:
        for question, form in (
            ("How much is the Heating Grant?", {"verdict": "right"}),
            ("Can I get the Heating Grant?", {"verdict": "wrong"}),
            ("Can I get the Heating Grant?", {"verdict": "wrong", "expected": "Yes."}),
            ("Can I get the Heating Grant at all?", {"verdict": "wrong"}),
        ):
            where, text = await answered(client, question)
            assert f'hx-post="{where}/judge"' in text
            kept = await client.post(f"{where}/judge", data=form)
            assert kept.status_code == 200 and f"Kept as {form['verdict']}" in kept.text, kept.text
        assert (await client.post(f"{where}/judge", data={"verdict": "maybe"})).status_code == 400
        assert (await client.get("/v1/corpora/default/questions?limit=2")).json()["next"]

    async def reading(client: httpx.AsyncClient) -> None:
        where, text = await answered(client, "How much is the Heating Grant?")
        assert "/judge" not in text
        assert (await client.post(f"{where}/judge", data={"verdict": "right"})).status_code == 403
        assert (await client.get("/v1/corpora/default/questions")).status_code == 403

    looking(grant, judging, AccessRole.CURATOR)
    looking(grant, reading)
    lines = (grant.home / "access" / "audit.jsonl").read_text().splitlines()
    assert sum("/judge" in json.loads(line)["action"] for line in lines if '"curator ' in line) >= 4
    file = tmp_path / "questions.json"
    with Workspace(grant) as workspace:
        done = export(workspace, "default", file)
        assert [one["why"] for one in done["left_out"]] == ["it was judged wrong, and nobody said what is right"]
        much, can = load_questions(file)
        assert "100" in much.answers[0].text and any("100" in html for html in much.evidences)
        assert (can.answers[0].text, can.evidences) == ("yes", ())
    with Workspace(_publish(tmp_path, "Ayr", 140)) as workspace:  # the page says another sum now
        done = export(workspace, "default", file)
        assert done["written"] == 1 and "not on the pages any more" in done["left_out"][0]["why"]
        kept = judged_slice(workspace, "default", 10).items
    random = {"judged": 0, "judged_by": ""}  # a time and an id, which may have these digits
    assert "100" not in "".join(json.dumps(one.as_json() | random) for one in kept)


def test_where_nothing_was_judged_there_is_nothing_to_write(grant: Settings, tmp_path: Path) -> None:
    with Workspace(grant) as workspace, pytest.raises(InputError, match="judge some"):
        export(workspace, "default", tmp_path / "questions.json")


def test_what_nobody_was_told_is_not_scored_as_right(grant: Settings) -> None:
    gold = (ConditionalAnswer("yes"),)
    asked = (Question("q", "https://a.example/a", "", "Is the Heating Grant paid to dogs?", False, gold, ()),)
    with Workspace(grant) as workspace:
        trials = (EngineTrial("loop", as_answered=as_answered) for as_answered in (False, True))
        found = [measure_engine(workspace, None, asked, one, None, 0, no_progress)[0].scores.em for one in trials]
    assert found == [1.0, 0.0]


@pytest.mark.integration
@pytest.mark.browser
def test_an_answer_is_watched_with_one_click_and_its_change_is_told(
    grant: Settings, tmp_path: Path, window: Callable[..., Watched]
) -> None:
    _, token = Tokens(grant.home).add("cura", AccessRole.CURATOR)
    held = {"Authorization": f"Bearer {token}"}
    with serving(grant) as url, httpx.Client(base_url=f"{url}/v1/corpora/default", headers=held) as client:
        page = window(Served(url, grant.home, token), viewport=PHONE, color_scheme="dark").login()
        page.goto(f"{url}/c/default/ask")
        page.fill("#question", "How much is the Heating Grant?")
        page.click("button:has-text('Ask')")
        page.click("button:has-text('Watch')")
        expect(page.get_by_role("status").last).to_contain_text("Watched as 1")
        check(page)
        again = client.post("/watches", json={"question": "How much is the Heating Grant?"}).json()
        assert (again["id"], again["added_by"], again["words"]) == (1, "cura", "£100")
        _publish(tmp_path, "Ayr", 140)
        assert [one["changed"] for one in client.get("/watches").json()["items"]] == [1]
        page.goto(f"{url}/c/default/ask")
        page.get_by_role("link", name="How much is the Heating Grant?").click()
        page.get_by_role("button", name="Ask again and compare").click()
        expect(page.locator("ins").first).to_have_text("£140")
        check(page)
        shown = client.get("/watches/1").json()
        assert [one["differences"] for one in shown["changes"]] == [[{"what": "value", "old": "£100", "new": "£140"}]]
        assert client.put("/watches/1/approved").json()["approved_by"] == "cura"
        assert client.delete("/watches/1").json()["id"] == 1
        missing = client.get("/watches/1")
        assert missing.status_code == 404 and "`GET watches` shows them" in missing.json()["detail"]
