"""One bounded request to a server that answers JSON: an API of functions, or a SPARQL endpoint."""

from __future__ import annotations

import json
import time
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from clausegraph.core.errors import NotFoundError, SettingsError, StoreRefused, StoreUnavailable

SECONDS = 10.0
MOST_BYTES = 32_000_000  # CRAG's year of films has 25,000, its play by play of one game 250,000 bytes
_SHOWN = 200


class Endpoint:
    """A server that answers JSON, within seconds and bytes; for one thread."""

    def __init__(self, address: str, *, seconds: float = SECONDS, most_bytes: int = MOST_BYTES) -> None:
        """Take the address, without a slash at its end; ``SettingsError`` where it is no http(s) address."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(f"{address[:_SHOWN]!r} is no address of a knowledge graph; give http(s)://host[:port]")
        self.address = address.rstrip("/")
        self._seconds, self._bytes = seconds, most_bytes
        headers = {"accept": "application/json, application/sparql-results+json", "accept-encoding": "identity"}
        self._client = httpx.Client(headers=headers, follow_redirects=False, timeout=seconds, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def post(self, path: str, *, body: object = None, form: dict[str, str] | None = None) -> Any:
        """The JSON that the server answers.

        Raises:
            NotFoundError: it has no such thing (404).
            StoreRefused: it refuses, redirects, or what it answers is no JSON or too much.
            StoreUnavailable: it does not answer in time, or not well (5xx).
        """
        began = time.monotonic()
        given: dict[str, Any] = {"data": form} if form is not None else {"json": body}
        try:
            with self._client.stream("POST", self.address + path, **given) as response:
                content, status = self._read(response, began), response.status_code
        except httpx.TimeoutException as error:
            raise StoreUnavailable(f"{self.address} has not answered within {self._seconds:g} seconds") from error
        except httpx.HTTPError as error:
            raise StoreUnavailable(f"{self.address} cannot be reached: {str(error)[:_SHOWN]}") from error
        return self._value(path, status, content)

    def _read(self, response: httpx.Response, began: float) -> bytes:
        content = bytearray()
        for piece in response.iter_raw():
            content += piece
            if len(content) > self._bytes:
                raise StoreRefused(f"{self.address} answers more than {self._bytes:,} bytes; ask for less")
            if time.monotonic() - began > self._seconds:
                raise StoreUnavailable(f"{self.address} has not ended its answer in {self._seconds:g} seconds")
        return bytes(content)

    def _value(self, path: str, status: int, content: bytes) -> Any:
        said = content[:_SHOWN].decode("utf-8", "replace")
        if status == 404:
            raise NotFoundError(f"{self.address}{path} is not there: {said}")
        if status >= 500 or status == 429:
            raise StoreUnavailable(f"{self.address}{path} answers {status}: {said}")
        if status != 200:
            raise StoreRefused(f"{self.address}{path} answers {status}: {said}")
        try:
            return json.loads(content)
        except ValueError as error:
            raise StoreRefused(f"{self.address}{path} answers no JSON: {said}") from error
