"""What a server can do to its clients: each mode of the fake that no honest server has, with a word about it."""

from functools import partial

from tests.harness.fake_llm.options import MORE_FAULTS
from tests.injection.servers.hostile.answers import ANSWERS
from tests.injection.servers.hostile.asked import Mode
from tests.injection.servers.hostile.bodies import BODIES
from tests.injection.servers.hostile.contents import CONTENTS
from tests.injection.servers.hostile.echoes import ECHOES
from tests.injection.servers.hostile.vectors import VECTORS
from tests.injection.servers.hostile.wires import WIRES

HOSTILE: dict[str, Mode] = {**CONTENTS, **BODIES, **ANSWERS, **WIRES, **ECHOES, **VECTORS}


def register() -> None:
    """Let the fake server of this process know them."""
    from tests.injection.servers.hostile.playing import play

    MORE_FAULTS.update({name: partial(play, name, mode) for name, mode in HOSTILE.items()})
