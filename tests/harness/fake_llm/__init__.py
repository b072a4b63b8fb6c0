"""A fake model server for tests and demos: it speaks like a provider and has no language model behind it.

``FakeModelServer`` starts it in a process of its own; ``clausegraph dev fake-llm`` starts it from the command line.
"""

from tests.harness.fake_llm.options import FakeOptions
from tests.harness.fake_llm.process import FakeModelServer

__all__ = ["FakeModelServer", "FakeOptions"]
