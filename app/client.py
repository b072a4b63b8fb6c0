"""Asking a server from another machine: the REST API as Python calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self
from urllib.parse import quote

import httpx

from clausegraph.core import errors
from clausegraph.core.errors import ClauseGraphError, InputError, NotFoundError, UnusableReply

_SECONDS = 150.0  # more than the server gives an answer


class Client:
    """A ``clausegraph serve`` elsewhere. Threads may share it; close it, or use it as a context manager.

    What it returns are the JSON values of docs/api.md. Every call raises what the same call raises here, by the name
    that the server gives: :class:`NotFoundError`, :class:`ModelUnavailable`, …; :class:`InputError` for a token that
    is refused, and :class:`ClauseGraphError` where the server is busy, ends, or does not answer.

    Args:
        url: of the server, such as ``https://policies.example``.
        token: one of ``clausegraph tokens add``.
        corpus: that calls are about which name none.
        seconds: that a call may take.
    """

    def __init__(self, url: str, token: str, *, corpus: str = "default", seconds: float = _SECONDS) -> None:
        self._corpus = corpus
        self._http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=seconds)

    def ask(
        self,
        question: str,
        scenario: str = "",
        *,
        assumptions: Mapping[str, str] | None = None,
        engine: str | None = None,
        corpus: str | None = None,
        epoch: int | None = None,
    ) -> dict[str, Any]:
        """The answer with its conditions and evidence, as docs/answers.md has it.

        Args:
            assumptions: by the words of a condition "met", "unmet" or "open".
        """
        asked = {"question": question, "scenario": scenario, "assumptions": dict(assumptions or {}), "engine": engine}
        return self._sent("POST", self._path("ask", corpus), asked, epoch=epoch)

    def ask_web(
        self,
        question: str,
        *,
        pages: Mapping[str, str] | None = None,
        addresses: Sequence[str] = (),
        at: str | None = None,
    ) -> dict[str, Any]:
        """The answer from these pages alone, with ``not_read`` beside what docs/answers.md has.

        Args:
            pages: HTML by address, of pages that are at hand.
            addresses: of pages that the server fetches, if it may.
            at: when it is asked, as "2024-03-05T10:00-08:00"; None means now.
        """
        sent = [{"url": url, "html": html} for url, html in (pages or {}).items()]
        asked = {"question": question, "pages": sent, "addresses": list(addresses), "at": at}
        return self._sent("POST", "/v1/web-answers", asked)

    def retrieve(
        self, question: str, scenario: str = "", *, limit: int = 20, corpus: str | None = None, epoch: int | None = None
    ) -> list[dict[str, Any]]:
        """The passages a question is about, best first."""
        asked = {"question": question, "scenario": scenario, "limit": limit}
        hits: list[dict[str, Any]] = self._sent("POST", self._path("retrieve", corpus), asked, epoch=epoch)["hits"]
        return hits

    def get(self, what: str, *, corpus: str | None = None, **query: Any) -> dict[str, Any]:
        """A resource of a corpus: ``get("entity", name="council")``, ``get("changes", since=3)``, …"""
        return self._sent("GET", self._path(what, corpus), **query)

    def every(self, what: str, *, corpus: str | None = None, **query: Any) -> Iterator[dict[str, Any]]:
        """The items of a list of a corpus, to its end, all of one epoch: ``every("facts", entity="council")``."""
        cursor: str | None = None
        while True:
            part = self.get(what, corpus=corpus, **query, cursor=cursor)
            yield from part["items"]
            if (cursor := part["next"]) is None:
                return

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _path(self, what: str, corpus: str | None) -> str:
        return f"/v1/corpora/{quote(corpus if corpus is not None else self._corpus, safe='')}/{what}"

    def _sent(self, method: str, path: str, body: object = None, **query: Any) -> dict[str, Any]:
        given = {name: value for name, value in query.items() if value is not None}
        try:
            answer = self._http.request(method, path, json=body, params=given)
        except httpx.HTTPError as error:
            raise ClauseGraphError(f"{self._http.base_url} does not answer: {error or type(error).__name__}") from error
        try:
            value: dict[str, Any] = answer.json()
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            said = f"{self._http.base_url} replied {answer.status_code} without JSON; is it a ClauseGraph server?"
            raise UnusableReply(said, status=answer.status_code) from error
        if answer.status_code != httpx.codes.OK:
            raise _error(answer.status_code, value)
        return value


def _error(status: int, problem: dict[str, Any]) -> ClauseGraphError:
    """The error that the problem is, by its name; else by its status."""
    kind = getattr(errors, str(problem.get("error")), None)
    said = f"{problem.get('detail', problem)} (request {problem.get('request', '?')})"
    if isinstance(kind, type) and issubclass(kind, ClauseGraphError):
        return kind(said)
    if status == httpx.codes.NOT_FOUND:
        return NotFoundError(said)
    return InputError(said) if status < httpx.codes.INTERNAL_SERVER_ERROR else ClauseGraphError(said)
