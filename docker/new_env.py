"""Write docker/.env: the example with a new secret for every name that has no value. Needs nothing but Python."""

from __future__ import annotations

import os
import re
import secrets
import sys
from base64 import urlsafe_b64encode
from pathlib import Path

HERE = Path(__file__).resolve().parent
_EMPTY = re.compile(r"^([A-Z_0-9]+)=$", re.MULTILINE)


def filled(example: str) -> str:
    """The example with its secrets; Fernet wants 32 bytes in base64, the others take anything."""

    def fill(found: re.Match[str]) -> str:
        key = urlsafe_b64encode(secrets.token_bytes(32)).decode()
        return f"{found[1]}={key if found[1].endswith('FERNET_KEY') else secrets.token_urlsafe(24)}"

    return _EMPTY.sub(fill, example)


def main(folder: Path = HERE) -> None:
    """Write the file, readable by its owner only; one that is there is left alone."""
    path = folder / ".env"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        sys.exit(f"{path} is there already; a running Neo4j and PostgreSQL know its passwords, so it is not replaced")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(filled((HERE / ".env.example").read_text(encoding="utf-8")))
    sys.stdout.write(f"wrote {path}\n")


if __name__ == "__main__":
    main()
