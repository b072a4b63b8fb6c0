"""Signing in with an OpenID Connect provider: the way to it, and who somebody is that comes back.

Authorization code flow with PKCE. What binds an attempt to one browser is a cookie: state, nonce and verifier are
derived from it, so that nothing is kept here of attempts that nobody ends.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
import unicodedata
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from clausegraph.app.access.id_tokens import checked_claims
from clausegraph.app.access.provider import Provider, SignInRefused, is_safe
from clausegraph.app.access.roles import Principal, Role
from clausegraph.core.errors import SettingsError
from clausegraph.core.settings import Settings, SignInRole

ATTEMPT_SECONDS = 600
_LONGEST = 255  # characters of a subject, as OpenID Connect has it
_AGAIN = "begin again at /login"


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What belongs to one browser's attempt, from its cookie and the key of this process."""

    key: bytes
    cookie: str

    def part(self, name: str) -> str:
        """A value of 256 bits that nobody can guess, and from which nobody learns another."""
        found = hmac.digest(self.key, f"{name}:{self.cookie}".encode("utf-8", "surrogatepass"), "sha256")
        return _text(found)

    @property
    def challenge(self) -> str:
        return _text(hashlib.sha256(self.part("verifier").encode()).digest())


class SignIn:
    """The sign-in of one server process; a restart ends the attempts that are under way."""

    def __init__(self, provider: Provider, claim: str, roles: Mapping[str, SignInRole]) -> None:
        self._provider, self._claim, self._roles = provider, claim, roles
        self._key = secrets.token_bytes(32)

    async def begin(self, back: str) -> tuple[str, str]:
        """Where the browser goes, and the cookie by which it is known when it comes back to ``back``.

        Raises:
            SignInRefused: the provider does not answer as it must.
        """
        attempt = _Attempt(self._key, f"{int(time.time())}.{secrets.token_urlsafe(32)}")
        found = await self._provider.discovered()
        asked = {
            "response_type": "code",
            "client_id": self._provider.client,
            "redirect_uri": back,
            "scope": " ".join(("openid", "email", *(one for one in found.scopes if one == self._claim))),
            "state": attempt.part("state"),
            "nonce": attempt.part("nonce"),
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
        joint = "&" if urlsplit(found.authorization).query else "?"
        return f"{found.authorization}{joint}{urlencode(asked)}", attempt.cookie

    async def end(self, cookie: str, answer: Mapping[str, str], back: str) -> Principal:
        """Who somebody is that comes back with the provider's answer (code, state, iss; or error).

        Raises:
            SignInRefused: it is no answer to this browser's attempt, the provider vouches for nobody, or whoever it
                vouches for has no role here.
        """
        attempt = _Attempt(self._key, cookie)
        begun = cookie.partition(".")[0]
        state = answer.get("state", "")
        if not hmac.compare_digest(attempt.part("state").encode(), state.encode("utf-8", "surrogatepass")):
            raise SignInRefused(f"this is no answer to a sign-in that this browser began; {_AGAIN}")
        if time.time() - int(begun) > ATTEMPT_SECONDS:  # a state of ours: the number is the one that we wrote
            raise SignInRefused(f"this sign-in was begun more than ten minutes ago; {_AGAIN}")
        found = await self._provider.discovered()
        if answer.get("iss", found.issuer if not found.names_itself else "") != found.issuer:
            raise SignInRefused(f"the answer does not come from the provider that was asked; {_AGAIN}")
        if "error" in answer or not answer.get("code"):
            raise SignInRefused(f"the provider signed nobody in ({_error(answer)}); {_AGAIN}")
        token = await self._provider.id_token(answer["code"], attempt.part("verifier"), back)
        keys = await self._provider.keys()
        claims = checked_claims(token, keys, found.issuer, self._provider.client, attempt.part("nonce"))
        return self._principal(claims)

    def _principal(self, claims: Mapping[str, Any]) -> Principal:
        subject, email = claims["sub"], claims.get("email")
        if not (isinstance(subject, str) and 0 < len(subject) <= _LONGEST and subject.isprintable()):
            raise SignInRefused("the provider's token names nobody: its `sub` is empty, too long or unprintable")
        vouched = claims.get("email_verified") is True and isinstance(email, str) and email.isprintable()
        name = email if vouched and email and len(email) <= _LONGEST else subject
        given = claims.get(self._claim)
        values = [given] if isinstance(given, str) else given if isinstance(given, list) else []
        found = [self._roles[value] for value in values if isinstance(value, str) and value in self._roles]
        if not found:
            raise SignInRefused(
                f"{name} is signed in with the provider, but has no role here: no value of the claim "
                f"{self._claim!r} is in CLAUSEGRAPH_OIDC_ROLES; whoever runs the server can add one",
                kind="NoRole",
            )
        role, corpora = _joined(found)
        identity = hashlib.sha256(subject.encode()).hexdigest()[:24]
        return Principal(f"oidc:{name}", role, corpora, f"oidc:{identity}")


def sign_in_of(settings: Settings, seconds: float = 10.0) -> SignIn | None:
    """The sign-in that the settings describe; None where they name no provider.

    Args:
        seconds: that a request to the provider may take.

    Raises:
        SettingsError: something is missing, or the provider's address is not one that can be trusted.
    """
    issuer, client = settings.oidc_issuer, settings.oidc_client_id
    if issuer is None:
        return None
    if client is None or not settings.oidc_roles:
        missing = "CLAUSEGRAPH_OIDC_CLIENT_ID" if client is None else "CLAUSEGRAPH_OIDC_ROLES"
        raise SettingsError(f"CLAUSEGRAPH_OIDC_ISSUER is set and {missing} is not; set both, or neither")
    if not is_safe(issuer, issuer) or urlsplit(issuer).query or urlsplit(issuer).fragment:
        raise SettingsError(
            f"CLAUSEGRAPH_OIDC_ISSUER is {issuer[:200]!r}; it must be an address that begins with https:// (http:// "
            "only on the loopback), without user, query and fragment"
        )
    secret = settings.oidc_client_secret
    provider = Provider(issuer, client, None if secret is None else secret.get_secret_value(), seconds)
    return SignIn(provider, settings.oidc_claim, settings.oidc_roles)


def _joined(found: list[SignInRole]) -> tuple[Role, frozenset[str] | None]:
    """The highest role, with the corpora of the values that give it: no corpus gets a role that none gives for it."""
    highest = max((Role(one.role) for one in found), key=list(Role).index)
    bound = [one.corpora for one in found if one.role == highest]
    named = [corpora for corpora in bound if corpora is not None]
    if len(named) < len(bound):
        return highest, None
    return highest, frozenset(unicodedata.normalize("NFC", corpus) for corpora in named for corpus in corpora)


def _error(answer: Mapping[str, str]) -> str:
    """The provider's code of an error, which anybody can write into an address: only what a code may be."""
    said = answer.get("error", "no code came")
    return said if len(said) <= 60 and said.replace("_", "").replace(" ", "").isalnum() and said.isascii() else "error"


def _text(value: bytes) -> str:
    return urlsafe_b64encode(value).rstrip(b"=").decode()
