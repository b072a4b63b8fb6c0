"""Texts that want to be more than text: of pages, file names, questions and addresses; they stay what they are."""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from clausegraph.app.access.tokens import AccessRole
from clausegraph.app.console.screen import address
from clausegraph.core.settings import Settings
from tests.app.console.attempts import ATTEMPTS, NAMES, assert_inert
from tests.app.console.conftest import answered, looking
from tests.harness.home import filled


def _addresses(text: str) -> Iterator[str]:
    yield address("default", "ask", question=text, scenario=text, assume=[text])
    yield address("default", "graph", search=text, relation=text)
    yield address("default", "graph", name=text)
    yield address("default", "page", name=text, anchor=text)
    yield address("default", "run", name=text)
    yield address("default", "runs", before=1, run=text)
    yield address("default", "changes", since=text, until=text)
    yield address("default", "versions", name=text, version=text, **{"with": text})
    yield address("default", "evaluation", name=text, **{"with": text})
    yield address("default", "hide", statement=text)
    yield address(text, "ask")
    yield f"/login?{urlencode({'next': '/' + text})}"


@pytest.mark.parametrize("step", [2, pytest.param(1, marks=pytest.mark.long)])
def test_what_is_in_an_address_or_a_question_stays_text(hostile: Settings, step: int) -> None:
    async def everywhere(client: httpx.AsyncClient) -> None:
        for text in ATTEMPTS[::step]:
            for where in _addresses(text):
                answer = await client.get(where)
                assert answer.status_code < 500 and "set-cookie" not in answer.headers
                if answer.headers["content-type"].startswith("text/html"):
                    assert_inert(answer.text)
            where, events = await answered(client, f"Grant {text}", scenario=text)
            told = events.strip().split("\n\n")
            assert [one.split("\n")[0] for one in told][-1] == "event: answer"
            assert sum(one.startswith("event: answer") for one in told) == 1
            assert_inert("\n".join(line.removeprefix("data: ") for line in told[-1].split("\n")[1:]))
            assert_inert((await client.get(where)).text)  # as it was kept
            judged = {"verdict": "wrong", "expected": text}
            assert_inert((await client.post(f"{where}/judge", data=judged)).text)
        for where in ("/c/default/curation", "/c/default/evaluations", "/admin"):
            shown = await client.get(where)
            assert shown.status_code == 200
            assert_inert(shown.text)

    looking(hostile, everywhere, AccessRole.ADMIN)


def test_what_a_run_did_not_use_and_what_changed_stays_text(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for place in ("Ayr", "Perth"):
        for number, (text, name) in enumerate(zip(ATTEMPTS, NAMES, strict=True)):
            said = escape(text)
            rule = f"<p>You can get the Grant {number} if you live in {place} {said}.</p>"
            page = f"<html><body><title>{said}</title><main><h1>{said}</h1>{rule}</main></body></html>"
            (folder / f"{number}{name}.html").write_text(page, "utf-8")
            (folder / f"{number}{name}.pdf").write_bytes(b"%PDF-1.4 torn")
        made = filled(tmp_path / "home", folder)

    async def look(client: httpx.AsyncClient) -> None:
        runs = (await client.get("/c/default/runs")).text
        newest = re.findall(r'href="(/c/default/run\?name=[^"]+)"', runs)[0]
        run, changes = (await client.get(newest)).text, (await client.get("/c/default/changes")).text
        for shown in (runs, run, changes):
            assert_inert(shown)
        assert run.count("<td>rejected</td>") == len(ATTEMPTS) and changes.count("<td>changed<br>") > 10

    looking(made, look)
