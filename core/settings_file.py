"""Where settings come from: the file and the environment, and what is wrong in them in the words of whoever wrote it.

A settings file that happens to lie in the working directory may come with somebody else's folder. It may name servers,
but no secret from elsewhere is sent to a server that only it names.
"""

from __future__ import annotations

import json
import re
import stat
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import EnvSettingsSource

from clausegraph.core.errors import SettingsError

_MOST_BYTES = 1_000_000
TABLES = ("corpora", "llm_prices", "oidc_roles")
_SECRETS = ("_key", "_password", "_secret")


def is_secret(key: str) -> bool:
    """Whether the value of a setting is never shown."""
    return key.endswith(_SECRETS) or key in ("database", "notify")  # they may have a password


def read_settings_file(path: Path) -> dict[str, Any]:
    """The keys of a settings file with their values."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SettingsError(f"settings file {path} is no file; name one in CLAUSEGRAPH_CONFIG")
        if status.st_size > _MOST_BYTES:
            raise SettingsError(f"settings file {path} has {status.st_size / 1e6:.0f} MB; is it the right file?")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"settings file {path} is no TOML: it is not valid UTF-8; save it as UTF-8") from error
    except OSError as error:
        raise SettingsError(
            f"settings file {path} cannot be read ({error.strerror}); unset CLAUSEGRAPH_CONFIG or fix it"
        ) from error
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers and nesting that Python refuses
        fix = "a setting is a line such as keep_epochs = 10, corpus = \"policies\" or home = 'C:\\pages'"
        raise SettingsError(f"settings file {path} is no TOML: {error}; {fix}") from error


def unknown_setting(path: Path, key: str, value: object, known: Sequence[str]) -> SettingsError:
    """The error about a key of the file that is no setting."""
    place = f"{path}{_line_of(path, key)}"
    if isinstance(value, dict) and key not in known:
        return SettingsError(
            f"unknown setting {key!r} in {place}: settings stand at the top of the file, not in a table; "
            f"remove the line [{key}] (the only tables are {', '.join(TABLES)})"
        )
    near = get_close_matches(key, known, n=1)
    meant = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(sorted(known))}"
    return SettingsError(f"unknown setting {key!r} in {place}; {meant}")


def wrong_setting(first: ErrorDetails, place: str, path: Path | None) -> str:
    """What is wrong with a setting, from the first of pydantic's errors.

    Args:
        place: where its value is from, as "in CLAUSEGRAPH_CORPUS".
        path: the settings file, where it is from that.
    """
    parts = [str(part) for part in first["loc"]]
    name = ".".join(parts) if parts and parts[0] in TABLES else parts[0] if parts else "?"
    found = "a secret" if is_secret(parts[-1] if parts else "") else repr(str(first["input"])[:80])
    line = _line_of(path, parts[0], *parts[1:2]) if path is not None and parts else ""
    said = first["msg"].replace("Input should", "it should").replace("dictionary", "table").replace("tuple", "list")
    given = "" if first["type"] == "missing" else f" (found {found})"
    return f"setting {name!r} {place}{line} is wrong: {said}{given}"


def _line_of(path: Path, *keys: str) -> str:
    """ ", line 3" where the key is written, or the table that has it; nothing where it cannot be told."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    name = r"\s*\.\s*".join(rf"[\"']?{re.escape(key)}[\"']?" for key in keys)
    begins = re.compile(rf"\s*(?:{name}\s*[=.]|\[+\s*{name}\s*[\].])")
    return next((f", line {number}" for number, line in enumerate(lines, 1) if begins.match(line)), "")


class Variables(EnvSettingsSource):
    """The environment, where a list is words with commas or spaces between them, or JSON, and a table is JSON."""

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        """The list or table that a variable holds."""
        text = str(value).strip()
        if is_list(field) and text[:1] not in ("[", "{", '"'):
            return [word for word in re.split(r"[,\s]+", text) if word]
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            variable = f"{self.env_prefix}{field_name.upper()}"
            raise SettingsError(
                f"setting {field_name!r} in {variable} is wrong: it must be {form(field)} (found {_shown(text)}); "
                f"write it as {variable}='{example(field)}'"
            ) from error


def is_list(field: FieldInfo) -> bool:
    """Whether a setting is a list of words."""
    return get_origin(field.annotation) is tuple


def form(field: FieldInfo) -> str:
    """How a variable holds a setting of several values."""
    return "words with commas or spaces between them" if is_list(field) else "JSON"


def example(field: FieldInfo) -> str:
    """A value of a setting of several values, as a variable holds it; empty for other settings."""
    return str(field.examples[0]) if field.examples else ""


def _shown(text: str) -> str:
    """A value in a message, cut where it is long."""
    return repr(text if len(text) <= 80 else f"{text[:79]}…")


_SECRET_OF = {"llm_url": "llm_key", "embedding_url": "embedding_key", "neo4j_uri": "neo4j_password"}
_OPENING = {
    ("database",): "where everything is stored",
    ("notify",): "whom changed answers are reported to",
    ("web_allow",): "which networks are fetched from",
    ("web_browser",): "which program is run",
    ("serve_hosts",): "by which names this machine is asked",
    ("serve_proxies",): "which proxies are believed",
    ("crag_graph_url",): "which server questions are sent to",
    ("oidc_issuer", "oidc_client_id", "oidc_claim", "oidc_roles"): "who may sign in",
}


def refuse_foreign_secrets(found: Mapping[str, object], path: str, sources: Mapping[str, str]) -> None:
    """Raise where a secret would go to an address that only a file nobody named has.

    Args:
        found: what the file of the working directory sets, as far as nothing wins over it.
        path: of the file, for the message.
        sources: where each secret comes from that is set elsewhere, by name of the setting.
    """
    for address, secret in _SECRET_OF.items():
        if address in found and secret in sources:
            raise SettingsError(
                f"{path} in the working directory sets {address} to {str(found[address])[:200]!r}, and the secret in "
                f"{sources[secret]} is not sent to a server that only such a file names; if you trust the file, set "
                f"CLAUSEGRAPH_CONFIG={path}; if not, set CLAUSEGRAPH_{address.upper()} yourself, or leave this folder"
            )


def refuse_opening(found: Mapping[str, object], path: str) -> None:
    """Raise where a file that nobody named would open this machine, run a program, or send questions to a server."""
    for names, what in _OPENING.items():
        if opened := next((name for name in names if found.get(name)), None):
            raise SettingsError(
                f"{path} in the working directory sets {opened}, and such a file does not decide {what}; "
                f"if you trust it, set CLAUSEGRAPH_CONFIG={path}; if not, leave this folder"
            )
