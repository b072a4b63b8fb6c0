"""Two corpora behind the API, each with two epochs, with the hashing embedder: no model, no network."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.app.api.application import create_app
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from tests.harness.fake_llm import FakeModelServer
from tests.harness.home import filled

BASE = "http://127.0.0.1:8400"
CORPORA = ("default", "other")
ASK = "/v1/corpora/default/ask"
QUESTION = {"question": "Can I get the Warm Home Grant?", "scenario": "I am 70."}
PAGES = {
    "grant.html": (
        "<h1>Warm Home Grant</h1><p>You can get the Warm Home Grant if you are over {age}.</p>"
        "<p>The Warm Home Grant is £{money}.</p><h2>How to apply</h2><p>Apply by post.</p>"
    ),
    "council.html": "<h1>Council</h1><p>The council pays the Warm Home Grant.</p><p>Tell the council if you move.</p>",
    "visa.html": "<h1>Visa</h1><p>You can apply for a visa if you have a passport.</p><p>A visa costs £20.</p>",
}


@dataclass(frozen=True)
class Stand:
    """A home with two corpora, and a token for each role, for all corpora and for the first alone."""

    home: Path
    tokens: dict[tuple[str, bool], str]  # by role, and whether it is bound to the first corpus

    def settings(self, **more: Any) -> Settings:
        return Settings(**({"home": self.home, "embedding_model": "hashing", "extractor": "rules"} | more))

    def bearer(self, role: str = "reader", bound: bool = False) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[role, bound]}"}


def publish(home: Path, corpus: str, folder: Path, *, age: int, money: int, model: str = "hashing") -> None:
    """One more epoch of a corpus: its pages say another age and another sum."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in PAGES.items():
        text = body.format(age=age, money=money)
        (folder / name).write_text(f"<html><body><main>{text}</main></body></html>", encoding="utf-8")
    filled(home, folder, corpus, model)


def make_stand(made: Path, model: str = "hashing") -> Stand:
    """The home and its tokens, in a new folder."""
    home = made / "home"
    for corpus in CORPORA:
        publish(home, corpus, made / corpus / "pages", age=60, money=100, model=model)
        publish(home, corpus, made / corpus / "pages", age=65, money=140, model=model)
    kept = Tokens(home)
    tokens = {
        (role.value, bound): kept.add(f"{role}-{bound}", role, CORPORA[:1] if bound else None)[1]
        for role in AccessRole
        for bound in (False, True)
    }
    return Stand(home, tokens)


@pytest.fixture
def model(fake: FakeModelServer) -> FakeModelServer:
    return fake


Talk = Callable[[httpx.AsyncClient], Awaitable[None]]


@asynccontextmanager
async def client_of(app: FastAPI, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client in this process, of an application that runs."""
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE, headers=headers) as client:
            yield client


@contextmanager
def started_again(home: Path, token: str) -> Iterator[TestClient]:
    """A client of an application that starts in this process with a home that a killed one left."""
    settings = Settings(home=home, embedding_model="hashing")
    with TestClient(create_app(Workspace(settings)), BASE, headers={"Authorization": f"Bearer {token}"}) as client:
        yield client


class Talks:
    """Conversations with a fresh application each: ``talk(conversation, role="admin", serve_workers=1)``."""

    def __init__(self, stand: Stand) -> None:
        self.stand = stand

    def __call__(
        self, conversation: Talk, role: str | None = "reader", *, bound: bool = False, **settings: Any
    ) -> None:
        async def whole() -> None:
            app = create_app(Workspace(self.stand.settings(**settings)))
            async with client_of(app, **(self.stand.bearer(role, bound) if role else {})) as client:
                await conversation(client)

        anyio.run(whole)


@pytest.fixture
def talk(stand: Stand) -> Talks:
    return Talks(stand)


def conversation(*given: Any, fixture: str = "talk", **settings: Any) -> Callable[..., Callable[..., None]]:
    """A test that is a conversation: its first argument is a client, with what the fixture takes; the others are
    fixtures."""

    def as_test(talked: Callable[..., Awaitable[None]]) -> Callable[..., None]:
        names = list(signature(talked).parameters)[1:]

        def test(**found: Any) -> None:
            run, more = found[fixture], {name: found[name] for name in names}
            run(lambda client: talked(client, **more), *given, **settings)

        test.__name__, test.__doc__ = talked.__name__, talked.__doc__
        parameters = [Parameter(name, Parameter.KEYWORD_ONLY) for name in dict.fromkeys([*names, fixture])]
        test.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        if marks := getattr(talked, "pytestmark", None):
            test.pytestmark = marks  # type: ignore[attr-defined]
        return test

    return as_test


@pytest.fixture(autouse=True)
def _clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings come from the test alone."""
    for name in list(os.environ):
        if name.startswith("CLAUSEGRAPH_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
