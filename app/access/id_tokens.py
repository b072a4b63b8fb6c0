"""Whether an ID token is what it must be: signed by the provider's key, for us, for this attempt, and for now."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from typing import Any

import jwt

from clausegraph.app.access.provider import SignInRefused

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Asymmetric ones: whoever knows the provider's public key, which everybody does, cannot sign with it."""
_LEEWAY = 60  # seconds that two clocks may differ
_NEEDED = ["exp", "iat", "iss", "aud", "sub", "nonce"]


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
        key = jwt.PyJWK(dict(_key(keys, header.get("kid"), algorithm)), algorithm)
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


def _key(keys: Sequence[Mapping[str, Any]], kid: object, algorithm: str) -> Mapping[str, Any]:
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
