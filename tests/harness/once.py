"""What libraries work out anew for each ledger and each call of the command line, worked out once in a process.

A test opens hundreds of ledgers and reads its settings as often; a user's process does so once.
"""

from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import Engine
from sqlalchemy.util import LRUCache

_COMPILED: LRUCache[Any, Any] = LRUCache(4000)
_COMPLEX: dict[int, tuple[FieldInfo, tuple[bool, bool]]] = {}  # with its field, so that no other gets its id
_make_engine, _is_complex = Engine.__init__, EnvSettingsSource._field_is_complex


def share_compiled_statements() -> None:
    """Let all ledgers have one cache of compiled SQL, which looks statements up by dialect."""

    def make_engine(engine: Engine, *words: Any, **options: Any) -> None:
        _make_engine(engine, *words, **options)
        engine._compiled_cache = _COMPILED

    Engine.__init__ = make_engine  # type: ignore[method-assign]
    SQLiteDialect_pysqlite.__hash__ = lambda self: hash(type(self))  # type: ignore[method-assign]
    SQLiteDialect_pysqlite.__eq__ = lambda self, other: type(self) is type(other)  # type: ignore[method-assign]


def share_field_kinds() -> None:
    """Look at each settings field's type once, not at each reading of the settings."""

    def is_complex(source: EnvSettingsSource, field: FieldInfo) -> tuple[bool, bool]:
        if id(field) not in _COMPLEX:
            _COMPLEX[id(field)] = (field, _is_complex(source, field))
        return _COMPLEX[id(field)][1]

    EnvSettingsSource._field_is_complex = is_complex  # type: ignore[method-assign]
