"""What a server can do to its clients: each mode of the fake that no honest server has, with a word about it."""

from __future__ import annotations

from clausegraph.app.dev.fake_llm.hostile.answers import ANSWERS
from clausegraph.app.dev.fake_llm.hostile.asked import Mode
from clausegraph.app.dev.fake_llm.hostile.bodies import BODIES
from clausegraph.app.dev.fake_llm.hostile.contents import CONTENTS
from clausegraph.app.dev.fake_llm.hostile.echoes import ECHOES
from clausegraph.app.dev.fake_llm.hostile.vectors import VECTORS
from clausegraph.app.dev.fake_llm.hostile.wires import WIRES

HOSTILE: dict[str, Mode] = {**CONTENTS, **BODIES, **ANSWERS, **WIRES, **ECHOES, **VECTORS}
