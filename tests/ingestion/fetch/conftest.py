from collections.abc import Iterator

import pytest

from tests.harness.site import Site, local_site


@pytest.fixture
def site() -> Iterator[Site]:
    with local_site() as site:
        yield site
