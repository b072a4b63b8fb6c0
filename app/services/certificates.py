"""Certificates of what was forgotten: signed with a key of the home, checked byte by byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from clausegraph.app.access.tokens import FOLDER
from clausegraph.core.errors import InputError, StorageError
from clausegraph.core.hashing import canonical_json
from clausegraph.indexes.files import file_errors, locked_folder, write_whole

_KEY = "certificates.key"  # 32 bytes, beside the tokens


def signed(home: Path, body: dict[str, Any]) -> dict[str, Any]:
    """A certificate with its signature and the public key that checks it (Ed25519, both in hex).

    Raises:
        StorageError: the home's key cannot be made or read.
    """
    key = _own_key(home)
    signature = key.sign(canonical_json(body).encode()).hex()
    return {"certificate": body, "public_key": key.public_key().public_bytes_raw().hex(), "signature": signature}


def written(document: dict[str, Any]) -> bytes:
    """A signed certificate as its file has it: any other byte is another certificate."""
    return (json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def check_certificate(home: Path, path: Path, public_key: str = "") -> dict[str, Any]:
    """What a certificate's file says, once it is what was signed here.

    Args:
        public_key: of the home that signed it, in hex; empty for this home's.

    Raises:
        InputError: the file is no certificate, was changed, or another key signed it.
    """
    if not public_key and not (home / FOLDER / _KEY).exists():
        raise InputError(f"home {home} has signed no certificate; give the public key of the one that did with --key")
    expected = public_key.strip().lower() or _own_key(home).public_key().public_bytes_raw().hex()
    try:
        data = path.read_bytes()
        document = json.loads(data)
        body, signer, signature = document["certificate"], document["public_key"], document["signature"]
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signer))
        key.verify(bytes.fromhex(signature), canonical_json(body).encode())
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); give the file of a certificate") from error
    except (ValueError, KeyError, TypeError, RecursionError, InvalidSignature) as error:
        raise InputError(f"{path} is no certificate, or was changed after it was signed") from error
    if written(document) != data:
        raise InputError(f"{path} was changed after it was signed: it has other bytes than what was written")
    if signer != expected:
        raise InputError(f"{path} was signed with the key {signer}, not with {expected}")
    return dict(body)


def _own_key(home: Path) -> Ed25519PrivateKey:
    """The home's key, made at the first certificate, by one process alone."""
    path = home / FOLDER / _KEY
    if not path.exists():
        with locked_folder(path.parent), file_errors(path):
            for left in path.parent.glob(f"{path.stem}.*.tmp"):  # of a command that was killed while it wrote the key
                left.unlink()
            if not path.exists():
                write_whole(path, Ed25519PrivateKey.generate().private_bytes_raw())
    with file_errors(path):
        data = path.read_bytes()
    if len(data) != 32:
        raise StorageError(f"{path} is no key of 32 bytes; restore it, or move it away: then a new one is made")
    return Ed25519PrivateKey.from_private_bytes(data)
