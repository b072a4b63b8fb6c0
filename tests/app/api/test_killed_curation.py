"""A server killed while curators decide and publish: what it had confirmed is there, and nothing is half done."""

import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.app.api.conftest import Stand, started_again
from tests.app.api.serving import Serving
from tests.harness.wait import until

pytestmark = pytest.mark.integration

WHERE = "/v1/corpora/default"


def decide_until_killed(home: Path, stand: Stand, when: Callable[[int], bool]) -> tuple[list[Any], set[str]]:
    """Hide one statement after the other and publish all the while; the facts there were, and what was confirmed."""
    with Serving(home) as server, server.client(stand.tokens["curator", False]) as client:
        facts = client.get(f"{WHERE}/facts?limit=200").json()["items"]
        confirmed: set[str] = set()

        def hide() -> None:
            for fact in facts:
                for one in fact["statements"]:
                    answer = client.put(f"{WHERE}/statements/{one['id']}/hidden", json={"reason": "wrong"})
                    if answer.status_code == 200:
                        confirmed.add(one["words"])

        def publish() -> None:
            while True:
                assert client.post(f"{WHERE}/decisions/publish").status_code in (200, 409)

        with ThreadPoolExecutor(2) as at_work:
            calls = [at_work.submit(hide), at_work.submit(publish)]
            until(lambda: when(len(confirmed)))
            server.end(signal.SIGKILL)
            for call in calls:
                assert isinstance(call.exception(), httpx.HTTPError | None)
        return facts, confirmed


def check_whole(home: Path, stand: Stand, facts: list[Any], confirmed: set[str]) -> None:
    with started_again(home, stand.tokens["curator", False]) as client:

        def shown() -> set[str]:
            found = client.get(f"{WHERE}/facts?limit=200").json()["items"]
            return {one["words"] for fact in found for one in fact["statements"]}

        every = {one["words"] for fact in facts for one in fact["statements"]}
        listed = client.get(f"{WHERE}/decisions").json()["hidden"]
        decided = {one["words"] for one in listed}
        assert confirmed <= decided and len(decided) <= len(confirmed) + 1  # the last one may not have been told
        assert shown() == every - {one["words"] for one in listed if one["state"] == "hidden"}
        assert client.post(f"{WHERE}/decisions/publish").status_code == 200
        assert shown() == every - decided
        for one in listed:
            assert client.delete(f"{WHERE}/hidden/{one['id']}").status_code == 200
        assert client.post(f"{WHERE}/decisions/publish").status_code == 200
        assert client.get(f"{WHERE}/facts?limit=200").json()["items"] == facts


def test_killed_in_the_middle_it_has_done_what_it_confirmed(stand: Stand, tmp_path: Path) -> None:
    home = shutil.copytree(stand.home, tmp_path / "home")
    facts, confirmed = decide_until_killed(home, stand, lambda count: count >= 2)
    check_whole(home, stand, facts, confirmed)


@pytest.mark.long
@pytest.mark.parametrize("count", range(5))
def test_killed_wherever_it_has_done_what_it_confirmed(stand: Stand, tmp_path: Path, count: int) -> None:
    home = shutil.copytree(stand.home, tmp_path / "home")
    facts, confirmed = decide_until_killed(home, stand, lambda done: done >= count)
    check_whole(home, stand, facts, confirmed)
