"""A judged tree has three values; open leaves on which it does not depend are not decisive. Checked by trying all."""

from dataclasses import replace
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.types import (
    All,
    AnyOf,
    ConditionState,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Leaf,
    Not,
    PageKey,
    Span,
    fold,
    leaves,
)
from clausegraph.query.read.model.check import settled, value_of

MET, UNMET, UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN


def judged(name: int, state: ConditionState) -> JudgedLeaf:
    anchor = f"a{name}"
    source = Evidence(PageKey("s", "u"), "", (), Span(anchor, 0, 1), "", "")
    return JudgedLeaf(Leaf(anchor, 0, 1, anchor), state, source)


def trees() -> st.SearchStrategy[JudgedCondition]:
    some = st.builds(judged, st.integers(0, 4), st.sampled_from([MET, UNMET, UNKNOWN]))
    return st.recursive(
        some,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.lists(inner, min_size=1, max_size=3).map(lambda children: All(tuple(children))),
            st.lists(inner, min_size=1, max_size=3).map(lambda children: AnyOf(tuple(children))),
        ),
        max_leaves=6,
    )


def group(operator: str, values: list[bool]) -> bool:
    return not values[0] if operator == "not" else all(values) if operator == "all" else any(values)


def outcomes(tree: JudgedCondition) -> set[bool]:
    """The values of the tree under every assignment of its open leaves, each by itself."""
    every = list(leaves(tree))
    open_at = [i for i, leaf in enumerate(every) if leaf.state is UNKNOWN and leaf.decisive]
    found = set()
    for assigned in product([True, False], repeat=len(open_at)):
        given_values = iter(
            dict(zip(open_at, assigned, strict=True)).get(i, leaf.state is MET) for i, leaf in enumerate(every)
        )
        found.add(fold(tree, lambda _, values=given_values: next(values), group))
    return found


@given(trees())
def test_the_value_is_that_of_every_assignment(tree: JudgedCondition) -> None:
    found = outcomes(tree)
    assert value_of(tree) == (found.pop() if len(found) == 1 else None)


@given(trees())
def test_settling_changes_no_value_and_leaves_nothing_decisive_of_what_is_decided(tree: JudgedCondition) -> None:
    made = settled(tree)
    assert value_of(made) == value_of(tree)
    still = [leaf for leaf in leaves(made) if leaf.decisive and leaf.state is UNKNOWN]
    assert bool(still) is (value_of(tree) is None)


def test_what_is_taken_for_granted_lets_the_whole_hold() -> None:
    granted = replace(judged(0, UNKNOWN), decisive=False)
    assert value_of(granted) is True
    assert value_of(Not(granted)) is True
    assert value_of(Not(Not(granted))) is True
    assert value_of(None) is True
