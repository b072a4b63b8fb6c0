"""The rules of a topic on screen: found, narrowed, beside the page's text and under an entity."""

import httpx
import pytest

from clausegraph.core.settings import Settings
from tests.app.console.attempts import ATTEMPTS, assert_inert
from tests.app.console.conftest import looking

SHOWN = {
    "rules": (200, ["What most is said about", "topic=resident+parking+permit", ">Resident parking permits</a>"]),
    "rules?topic=heating+grant": (
        200,
        [" of winter heating grant", "was taken for", "Who cannot get it</h3>", "&middot; if "],
    ),
    "rules?topic=heating+grant&kind=contact&role=": (
        200,
        ["0555 010 0142", "selected>contact (1)", "topic=heating+line"],
    ),
    "rules?topic=ending+private+tenancy&kind=procedure+step": (200, ["no procedure step among its rules; there are: "]),
    "rules?topic=zebra": (404, ["shows the largest"]),
    "rules?topic=refund": (200, ["these rules have its words", "of refund"]),
    "rules?topic=heating+grant&kind=colour": (422, ["kind"]),
    "rules?topic=heating+grant&epoch=7": (404, ["has no epoch 7"]),
    "page?name=heating-grant.html": (
        200,
        [" rules, ", " statement here", "<b>exclusion</b>: You cannot get the grant if: ", "Its rules"],
    ),
    "graph?name=tenant": (200, ["<option>consequence</option>", "You must give your tenant 8 weeks’ written notice."]),
    "graph?name=lodger": (200, ["0 facts and ", "You may take in a lodger"]),
    "pages": (200, [">Rules</th>"]),
}


@pytest.mark.parametrize("screen", SHOWN)
def test_rules_on_screen(settings: Settings, screen: str) -> None:
    async def look(client: httpx.AsyncClient) -> None:
        answer = await client.get(f"/c/default/{screen}")
        status, texts = SHOWN[screen]
        assert answer.status_code == status, answer.text
        assert [text for text in texts if text.replace("&middot;", "·") not in answer.text] == []

    looking(settings, look)


def test_what_is_asked_and_what_pages_rule_stays_text(hostile: Settings) -> None:
    async def look(client: httpx.AsyncClient) -> None:
        for text in ATTEMPTS:
            for asked in ({"topic": text}, {"topic": "grant 2", "role": text}):
                assert_inert((await client.get("/c/default/rules", params=asked)).text)

    looking(hostile, look)
