"""Signing in with an OpenID Connect provider: the way to it, what it is asked, and who somebody is that comes back.

Authorization code flow with PKCE. What binds an attempt to one browser is a cookie: state, nonce and verifier are
derived from it, so that nothing is kept here of attempts that nobody ends. An ID token must be signed by the provider's
key, for us, for this attempt, and for now.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
import unicodedata
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus, urlencode, urlsplit

import anyio
import httpx
import jwt

from clausegraph.app.access.tokens import AccessRole, Principal
from clausegraph.core.errors import ClauseGraphError, SettingsError
from clausegraph.core.settings import Settings, SignInRole

LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))
_MOST_BYTES = 262_144
_KEPT_SECONDS = 300.0
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Asymmetric ones: whoever knows the provider's public key, which everybody does, cannot sign with it."""
_LEEWAY = 60  # seconds that two clocks may differ
_NEEDED = ["exp", "iat", "iss", "aud", "sub", "nonce"]
ATTEMPT_SECONDS = 600
_LONGEST = 255  # characters of a subject, as OpenID Connect has it
_AGAIN = "begin again at /login"


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

    Raises, from everything:
        SignInRefused: it does not answer as it must, or names an address that is not safe.
    """

    def __init__(self, issuer: str, client: str, secret: str | None, seconds: float) -> None:
        self.client = client
        self._issuer, self._secret, self._seconds = issuer, secret, seconds
        self._found: tuple[float, Discovered] | None = None

    async def discovered(self) -> Discovered:
        """Where it has what; asked again after five minutes."""
        if self._found is None or time.monotonic() - self._found[0] > _KEPT_SECONDS:
            where = self._issuer.rstrip("/") + "/.well-known/openid-configuration"
            said = await self._asked("GET", where, "its discovery document")
            self._found = time.monotonic(), self._read(said)
        return self._found[1]

    async def id_token(self, code: str, verifier: str, back: str) -> str:
        """The token that says who somebody is, for the code that the browser brought."""
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
        """Its keys of now, as JSON Web Keys."""
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


def checked_claims(
    token: str, keys: Sequence[Mapping[str, Any]], issuer: str, client: str, nonce: str
) -> dict[str, Any]:
    """The claims of a token, each that matters checked.

    Args:
        keys: of the issuer, as JSON Web Keys.

    Raises:
        SignInRefused: with what is wrong; no part of the token is in it.
    """
    try:
        header = jwt.get_unverified_header(token)
        algorithm = header.get("alg")
        if algorithm not in ALGORITHMS:
            raise _wrong("is signed in a way that is not allowed (asymmetric algorithms only)")
        key = jwt.PyJWK(dict(_signing_key(keys, header.get("kid"), algorithm)), algorithm)
        claims: dict[str, Any] = jwt.decode(
            token, key, [algorithm], {"require": _NEEDED}, audience=client, issuer=issuer, leeway=_LEEWAY
        )
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise _wrong(_REASONS.get(type(error), f"cannot be trusted ({type(error).__name__})")) from error
    if not isinstance(claims["nonce"], str) or not hmac.compare_digest(claims["nonce"].encode(), nonce.encode()):
        raise _wrong("is of another attempt (nonce)")
    others = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", None if others else client) != client:
        raise _wrong("was issued to another client (azp)")
    return claims


_REASONS: dict[type[Exception], str] = {
    jwt.ExpiredSignatureError: "is expired (exp)",
    jwt.ImmatureSignatureError: "is not valid yet (nbf, iat)",
    jwt.InvalidAudienceError: "is for another client (aud)",
    jwt.InvalidIssuerError: "is of another issuer (iss)",
    jwt.InvalidSignatureError: "has a wrong signature",
    jwt.MissingRequiredClaimError: f"lacks a claim; needed are {', '.join(_NEEDED)}",
}


def _signing_key(keys: Sequence[Mapping[str, Any]], kid: object, algorithm: str) -> Mapping[str, Any]:
    """The one key that can have signed it."""
    fit = [
        key
        for key in keys
        if key.get("use", "sig") == "sig" and key.get("alg", algorithm) == algorithm and kid in (None, key.get("kid"))
    ]
    if len(fit) != 1:
        raise _wrong("names no key, or one that the provider does not have (kid)")
    return fit[0]


def _wrong(said: str) -> SignInRefused:
    return SignInRefused(f"the provider's ID token {said}; begin again at /login, or log in with a token there")


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
            raise SignInRefused(f"the provider signed nobody in ({_provider_error(answer)}); {_AGAIN}")
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


def _joined(found: list[SignInRole]) -> tuple[AccessRole, frozenset[str] | None]:
    """The highest role, with the corpora of the values that give it: no corpus gets a role that none gives for it."""
    highest = max((AccessRole(one.role) for one in found), key=list(AccessRole).index)
    bound = [one.corpora for one in found if one.role == highest]
    named = [corpora for corpora in bound if corpora is not None]
    if len(named) < len(bound):
        return highest, None
    return highest, frozenset(unicodedata.normalize("NFC", corpus) for corpora in named for corpus in corpora)


def _provider_error(answer: Mapping[str, str]) -> str:
    """The provider's code of an error, which anybody can write into an address: only what a code may be."""
    said = answer.get("error", "no code came")
    return said if len(said) <= 60 and said.replace("_", "").replace(" ", "").isalnum() and said.isascii() else "error"


def _text(value: bytes) -> str:
    return urlsafe_b64encode(value).rstrip(b"=").decode()
