"""What an OpenID Connect provider is asked: what it has where, a token for a code, its keys."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus, urlsplit

import anyio
import httpx

from clausegraph.core.errors import ClauseGraphError

LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))
_MOST_BYTES = 262_144
_KEPT_SECONDS = 300.0


class SignInRefused(ClauseGraphError):
    """Somebody is not signed in. ``kind`` says whose matter it is: SignInRefused, NoRole, ProviderFailed."""

    def __init__(self, said: str, kind: str = "SignInRefused") -> None:
        super().__init__(said)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Discovered:
    """Where a provider has what; ``names_itself``: its answers by way of the browser have ``iss``."""

    issuer: str
    authorization: str
    token: str
    keys: str
    posts_secret: bool
    names_itself: bool
    scopes: tuple[str, ...]


class Provider:
    """A provider, and what it knows this server by.

    Args:
        seconds: that a whole request may take.
    """

    def __init__(self, issuer: str, client: str, secret: str | None, seconds: float) -> None:
        self.client = client
        self._issuer, self._secret, self._seconds = issuer, secret, seconds
        self._found: tuple[float, Discovered] | None = None

    async def discovered(self) -> Discovered:
        """Where it has what; asked again after five minutes.

        Raises:
            SignInRefused: it does not say, or names an address that is not safe.
        """
        if self._found is None or time.monotonic() - self._found[0] > _KEPT_SECONDS:
            where = self._issuer.rstrip("/") + "/.well-known/openid-configuration"
            said = await self._asked("GET", where, "its discovery document")
            self._found = time.monotonic(), self._read(said)
        return self._found[1]

    async def id_token(self, code: str, verifier: str, back: str) -> str:
        """The token that says who somebody is, for the code that the browser brought.

        Raises:
            SignInRefused: it gives none.
        """
        found = await self.discovered()
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "code_verifier": verifier}
        basic = None
        if self._secret is not None and not found.posts_secret:
            basic = httpx.BasicAuth(quote_plus(self.client), quote_plus(self._secret))
        else:
            form |= {"client_id": self.client} | ({} if self._secret is None else {"client_secret": self._secret})
        said = await self._asked("POST", found.token, "a token for its code", data=form, auth=basic)
        token = said.get("id_token")
        if not isinstance(token, str):
            raise _failed("gave no ID token for its code")
        return token

    async def keys(self) -> list[dict[str, Any]]:
        """Its keys of now, as JSON Web Keys.

        Raises:
            SignInRefused: it does not say.
        """
        said = await self._asked("GET", (await self.discovered()).keys, "its keys")
        keys = said.get("keys")
        return [key for key in keys if isinstance(key, dict)] if isinstance(keys, list) else []

    def _read(self, said: dict[str, Any]) -> Discovered:
        if said.get("issuer") != self._issuer:
            raise _failed("says in its discovery document that it is another than CLAUSEGRAPH_OIDC_ISSUER names")
        places = [said.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
        for place in places:
            if not isinstance(place, str) or not is_safe(place, self._issuer):
                raise _failed("names no address, or one without https, in its discovery document")
        methods = said.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        posts = isinstance(methods, list) and "client_secret_post" in methods and "client_secret_basic" not in methods
        names = said.get("authorization_response_iss_parameter_supported") is True
        listed = said.get("scopes_supported")
        scopes = tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()
        return Discovered(self._issuer, str(places[0]), str(places[1]), str(places[2]), posts, names, scopes)

    async def _asked(self, method: str, where: str, what: str, **more: Any) -> dict[str, Any]:
        """The JSON object that it replies, with whatever size and time it may take."""
        body = bytearray()
        try:
            with anyio.fail_after(self._seconds):
                async with (
                    httpx.AsyncClient(timeout=self._seconds) as client,
                    client.stream(method, where, headers={"Accept": "application/json"}, **more) as reply,
                ):
                    if reply.status_code != 200:
                        raise _failed(f"was asked for {what} and answered with status {reply.status_code}")
                    async for part in reply.aiter_bytes():
                        body += part
                        if len(body) > _MOST_BYTES:
                            raise _failed(f"was asked for {what} and sent more than {_MOST_BYTES:,} bytes")
            said = httpx.Response(200, content=bytes(body)).json()
        except (TimeoutError, httpx.TimeoutException) as error:
            raise _failed(f"was asked for {what} and did not answer within {self._seconds:g} seconds") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _failed(f"was asked for {what} and could not be reached ({type(error).__name__})") from error
        except (ValueError, RecursionError) as error:
            raise _failed(f"was asked for {what} and replied what is no JSON") from error
        if not isinstance(said, dict):
            raise _failed(f"was asked for {what} and replied no JSON object")
        return said


def is_safe(address: str, issuer: str) -> bool:
    """Whether an address is of https, or of the loopback where the issuer is of the loopback, too."""
    try:
        parts, ours = urlsplit(address), urlsplit(issuer)
        whole = bool(parts.hostname) and parts.username is None and address.isprintable() and " " not in address
    except ValueError:
        return False
    if parts.scheme == "https":
        return whole
    return whole and parts.scheme == "http" and parts.hostname in LOOPBACK and ours.hostname in LOOPBACK


def _failed(said: str) -> SignInRefused:
    again = "try again later, or log in with a token at /login; the server's owner can see CLAUSEGRAPH_OIDC_ISSUER"
    return SignInRefused(f"the provider {said}; {again}", kind="ProviderFailed")
