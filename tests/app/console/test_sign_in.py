"""Signing in with an OpenID Connect provider: who comes in, and what is refused. The provider is a fake."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import anyio
import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from clausegraph.app.access.sign_in import sign_in_of
from clausegraph.app.api.application import create_app
from clausegraph.app.console.face import face
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import SettingsError
from clausegraph.core.settings import Settings, load_settings
from tests.app.api.conftest import client_of, conversation

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
ROLES = {"staff": {"role": "curator", "corpora": ["benefits"]}, "everybody": {"role": "reader"}}


class FakeProvider(ThreadingHTTPServer):
    """A provider on a real socket. ``claims`` and ``header`` are put over those of a right token."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.claims: dict[str, Any] = {}
        self.header: dict[str, Any] = {}
        self.forged, self.status = "", 200
        self.asked: dict[str, str] = {}
        self.pause = threading.Event()
        self.hangs = False

    def documents(self, path: str, form: dict[str, str]) -> dict[str, Any]:
        if path.endswith("openid-configuration"):
            places = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/keys"}
            return {"issuer": self.url, **{name: self.url + place for name, place in places.items()}}
        if path == "/keys":
            return {"keys": [jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key(), as_dict=True) | {"kid": "one"}]}
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        if (form["code"], challenge.decode()) != ("the-code", self.asked["code_challenge"]):
            return {"error": "invalid_grant"}
        return {"id_token": self.token()}

    def token(self) -> str:
        now = time.time()
        right = {"iss": self.url, "aud": "us", "sub": "7", "iat": now, "exp": now + 60, "nonce": self.asked["nonce"]}
        claims = right | {"email": "ann@example.org", "email_verified": True, "groups": ["staff"]} | self.claims
        header = {"kid": "one"} | self.header
        if self.forged == "HS256":
            public = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            parts = [json.dumps(part).encode() for part in (header | {"alg": "HS256"}, claims)]
            signed = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
            mark = base64.urlsafe_b64encode(hmac.digest(public, signed, "sha256")).rstrip(b"=")
            return (signed + b"." + mark).decode()
        if self.forged == "none":
            return jwt.encode(claims, None, "none", header)  # type: ignore[arg-type]
        return jwt.encode(claims, KEY, "RS256", header)


class _Handler(BaseHTTPRequestHandler):
    server: FakeProvider

    def do_GET(self) -> None:
        length = int(self.headers.get("content-length", "0"))
        form = dict(parse_qsl(self.rfile.read(length).decode()))
        if self.server.hangs:
            self.server.pause.wait(20)
        body = json.dumps(self.server.documents(urlsplit(self.path).path, form)).encode()
        self.send_response(self.server.status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    server = FakeProvider()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.pause.set()
    server.shutdown()
    thread.join()
    server.server_close()


Visit = Callable[[Callable[[httpx.AsyncClient], Awaitable[None]]], None]


@pytest.fixture
def visit(provider: FakeProvider, tmp_path: Path) -> Visit:
    """A conversation with a console that trusts the fake provider."""
    settings = Settings(
        home=tmp_path,
        embedding_model="hashing",
        oidc_issuer=provider.url,
        oidc_client_id="us",
        oidc_client_secret="s3cret",  # type: ignore[arg-type]
        oidc_roles=ROLES,  # type: ignore[arg-type]
    )

    def run(conversation: Callable[[httpx.AsyncClient], Awaitable[None]]) -> None:
        async def whole() -> None:
            app = create_app(Workspace(settings), [face()])
            app.state.served.sign_in = sign_in_of(settings, seconds=0.5 if provider.hangs else 10)
            async with client_of(app) as client:
                await conversation(client)

        anyio.run(whole)

    return run


async def sign_in(
    client: httpx.AsyncClient, provider: FakeProvider, wanted: str = "/", **answer: str
) -> httpx.Response:
    """To the provider and back, as a browser goes."""
    sent = await client.get("/login/oidc", params={"next": wanted})
    assert sent.status_code == 303, sent.text
    where = urlsplit(sent.headers["location"])
    assert f"http://{where.netloc}{where.path}" == f"{provider.url}/authorize"
    provider.asked = {name: value for name, (value,) in parse_qs(where.query).items()}
    assert provider.asked["redirect_uri"] == "http://127.0.0.1:8400/login/oidc/back"
    assert provider.asked["code_challenge_method"] == "S256"
    kept = sent.headers["set-cookie"].lower()
    assert "httponly" in kept and "samesite=lax" in kept and "max-age=600" in kept
    given = {"code": "the-code", "state": provider.asked["state"]} | answer
    return await client.get("/login/oidc/back", params=given)


@pytest.mark.parametrize(
    ("wanted", "where"),
    [("/c/benefits/page?name=a.html", "/c/benefits/page?name=a.html"), ("//evil.example", "/")],
)
@conversation(fixture="visit")
async def test_who_the_provider_vouches_for_has_a_session_with_the_role_of_the_group(
    client: httpx.AsyncClient, provider: FakeProvider, wanted: str, where: str
) -> None:
    back = await sign_in(client, provider, wanted)
    assert (back.status_code, back.headers["location"]) == (303, where), back.text
    me = (await client.get("/v1/me")).json()
    assert (me["name"], me["role"], me["corpora"]) == ("oidc:ann@example.org", "curator", ["benefits"])
    assert (await client.get("/admin")).status_code == 403
    csrf = (await client.get("/")).text.partition('name="csrf" value="')[2].partition('"')[0]
    out = await client.post("/logout", data={"csrf": csrf}, headers={"Sec-Fetch-Site": "same-origin"})
    assert out.status_code == 303
    assert (await client.get("/v1/me")).status_code == 401


NOW = time.time()
REFUSED: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
    ({"nonce": "another"}, {}, "", "nonce"),
    ({"aud": "others"}, {}, "", "(aud)"),
    ({"aud": ["us", "others"]}, {}, "", "(azp)"),
    ({"azp": "others"}, {}, "", "(azp)"),
    ({"iss": "http://127.0.0.1:1"}, {}, "", "(iss)"),
    ({"exp": NOW - 120}, {}, "", "(exp)"),
    ({"nbf": NOW + 3600}, {}, "", "(nbf, iat)"),
    ({}, {"kid": "two"}, "", "(kid)"),
    ({}, {}, "HS256", "asymmetric"),
    ({}, {}, "none", "asymmetric"),
    ({"groups": ["guests"]}, {}, "", "no role here"),
    ({"groups": None}, {}, "", "no role here"),
]


@pytest.mark.parametrize(("claims", "header", "forged", "said"), REFUSED)
@conversation(fixture="visit")
async def test_a_token_that_is_not_right_is_refused(
    client: httpx.AsyncClient,
    provider: FakeProvider,
    claims: dict[str, Any],
    header: dict[str, Any],
    forged: str,
    said: str,
) -> None:
    provider.claims, provider.header, provider.forged = claims, header, forged
    back = await sign_in(client, provider)
    assert back.status_code == 403 and said in back.text and 'role="alert"' in back.text
    assert "the-code" not in back.text and "clausegraph-session" not in client.cookies
    assert (await client.get("/v1/me")).status_code == 401


@conversation(fixture="visit")
async def test_an_answer_of_another_browser_or_without_a_code_is_refused(
    client: httpx.AsyncClient, provider: FakeProvider
) -> None:
    await sign_in(client, provider)
    other = provider.asked["state"]
    client.cookies.clear()
    for answer, said in (
        ({"state": other}, "this browser"),
        ({"state": "é"}, "this browser"),
        ({"iss": "http://evil.example"}, "does not come from"),
        ({"code": "", "error": "access_denied"}, "access_denied"),
        ({"code": "another"}, "no ID token"),
    ):
        back = await sign_in(client, provider, **answer)
        assert back.status_code in (403, 502) and said in back.text, back.text
    client.cookies.clear()
    alone = await client.get("/login/oidc/back", params={"code": "the-code", "state": other})
    assert alone.status_code == 403 and "clausegraph-session" not in client.cookies


@pytest.mark.parametrize("hangs", [False, True])
def test_a_provider_that_fails_is_told(visit: Visit, provider: FakeProvider, hangs: bool) -> None:
    provider.hangs, provider.status = hangs, 200 if hangs else 500

    async def look(client: httpx.AsyncClient) -> None:
        answer = await client.get("/login/oidc")
        said = "did not answer within 0.5 seconds" if hangs else "answered with status 500"
        assert answer.status_code == 502 and said in answer.text and 'role="alert"' in answer.text

    visit(look)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"oidc_issuer": "http://idp.example", "oidc_client_id": "us", "oidc_roles": ROLES}, "https://"),
        ({"oidc_issuer": "https://idp.example", "oidc_roles": ROLES}, "CLIENT_ID"),
        ({"oidc_issuer": "https://idp.example", "oidc_client_id": "us"}, "ROLES"),
    ],
)
def test_settings_that_do_not_fit_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        sign_in_of(Settings(**given))


def test_a_settings_file_that_nobody_named_lets_nobody_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clausegraph.toml").write_text('[oidc_roles.everybody]\nrole = "admin"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="who may sign in"):
        load_settings()
