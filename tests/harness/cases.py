"""Many quick cases as one test: pytest, and its workers' reports, take longer for a test than such a case does."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def for_each(name: str, values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like ``pytest.mark.parametrize``, but one test; the error names the value that it failed at.

    Fixtures are those of the one test: not for a test that changes what the next value starts with.
    """
    cases = list(values)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def all_cases(**fixtures: Any) -> None:
            for value in cases:
                try:
                    test(**fixtures, **{name: value})
                except BaseException as error:
                    error.add_note(f"{name} = {value!r}")
                    raise

        kept = [parameter for parameter in inspect.signature(test).parameters.values() if parameter.name != name]
        all_cases.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]
        return all_cases

    return decorate
