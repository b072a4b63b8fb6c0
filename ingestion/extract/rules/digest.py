"""A hash of what modules do: their code without imports, docstrings, comments and annotations of functions."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from functools import cache
from types import ModuleType

from clausegraph.core.hashing import content_hash

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # where statements hold statements


def code_digest(modules: Iterable[ModuleType]) -> str:
    """32 hex digits that change with the code of any of the modules, but not with the modules' names or order."""
    return content_hash("code", *sorted(deciding_code(inspect.getsource(module)) for module in modules))


@cache
def deciding_code(source: str) -> str:
    """The code of a module as the parser understands it, without what decides nothing when it runs.

    Kept: it takes half a second for all modules of the rules, and every run asks.
    """
    tree = ast.parse(source)
    _strip(tree)
    return ast.unparse(tree)


def _strip(node: ast.AST) -> None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        node.returns = None
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
    for name in _BLOCKS:
        block = getattr(node, name, None)
        if isinstance(block, list):
            kept = [statement for statement in block if not _decides_nothing(statement)]
            setattr(node, name, kept)
            for statement in kept:
                _strip(statement)


def _decides_nothing(statement: ast.stmt) -> bool:
    """Whether it is an import, or a text that stands alone, as docstrings do."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)
    return isinstance(statement, ast.Import | ast.ImportFrom)
