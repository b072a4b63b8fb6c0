"""Registries: names in order, one maker each, loaded when used."""

import pytest

from clausegraph.core.errors import InputError
from clausegraph.query.registry import Entry, Registry


def test_names_are_kept_in_order_and_taken_once() -> None:
    registry = Registry("thing", Entry("b", "", list))
    registry.add(Entry("a", "", "registry:Entry"))
    assert registry.names == ("b", "a")
    assert (registry["b"].load(), registry["a"].load()) == (list, Entry)
    with pytest.raises(InputError, match="a thing 'a' already"):
        registry.add(Entry("a", "", list))
    with pytest.raises(InputError, match="no thing 'c'; take one of b, a"):
        _ = registry["c"]
