from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ingestion.web.town import Town


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with Town(tmp_path) as town:
        yield town
