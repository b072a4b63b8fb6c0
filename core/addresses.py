"""Which secrets may go to which addresses.

A settings file that happens to lie in the working directory may come with somebody else's folder. It may name servers,
but no secret from elsewhere is sent to a server that only it names.
"""

from __future__ import annotations

from collections.abc import Mapping

from clausegraph.core.errors import SettingsError

_SECRET_OF = {"llm_url": "llm_key", "embedding_url": "embedding_key", "neo4j_uri": "neo4j_password"}
_HEADERS = ("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS")  # which may carry a collector's token
_DOORS = ("oidc_issuer", "oidc_client_id", "oidc_claim", "oidc_roles")


def refuse_foreign_secrets(
    found: Mapping[str, object], path: str, sources: Mapping[str, str], environment: Mapping[str, str]
) -> None:
    """Raise where a secret would go to an address that only a file nobody named has.

    Args:
        found: what the file of the working directory sets, as far as nothing wins over it.
        path: of the file, for the message.
        sources: where each secret comes from that is set elsewhere, by name of the setting.
        environment: all variables.

    Raises:
        SettingsError: with what to do.
    """
    for address, secret in _SECRET_OF.items():
        if address in found and secret in sources:
            raise _refused(path, address, found[address], sources[secret])
    headers = next((name for name in _HEADERS if environment.get(name)), None)
    if "telemetry_url" in found and headers:
        raise _refused(path, "telemetry_url", found["telemetry_url"], headers)


def refuse_opening(found: Mapping[str, object], path: str) -> None:
    """Raise where a file that nobody named would open this machine's own networks, or have a program run.

    Raises:
        SettingsError: with what to do.
    """
    for name in ("web_allow", "web_names"):
        if found.get(name):
            raise SettingsError(
                f"{path} in the working directory sets {name}, and such a file does not decide which networks are "
                f"fetched from; if you trust it, set CLAUSEGRAPH_CONFIG={path}; if not, leave this folder"
            )

    if found.get("web_browser"):
        raise SettingsError(
            f"{path} in the working directory sets web_browser, and such a file does not decide which program is run; "
            f"if you trust it, set CLAUSEGRAPH_CONFIG={path}; if not, leave this folder"
        )

    if opened := next((name for name in _DOORS if found.get(name)), None):
        raise SettingsError(
            f"{path} in the working directory sets {opened}, and such a file does not decide who may sign in; "
            f"if you trust it, set CLAUSEGRAPH_CONFIG={path}; if not, leave this folder"
        )


def _refused(path: str, address: str, value: object, secret: str) -> SettingsError:
    return SettingsError(
        f"{path} in the working directory sets {address} to {str(value)[:200]!r}, and the secret in {secret} is not "
        f"sent to a server that only such a file names; if you trust the file, set CLAUSEGRAPH_CONFIG={path}; "
        f"if not, set CLAUSEGRAPH_{address.upper()} yourself, or leave this folder"
    )
