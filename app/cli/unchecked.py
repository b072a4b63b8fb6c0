"""Sentences of an answer on the terminal while a model still writes it, dim and marked, until the answer is there."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self

from clausegraph.app.cli.output import console
from clausegraph.core.text import one_line

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

    from clausegraph.core.types import TraceStep


def is_terminal() -> bool:
    """Whether a person sees both what is printed and what is shown meanwhile."""
    return sys.stdout.isatty() and sys.stderr.isatty()


class UncheckedSentences:
    """Shows the steps "writing" of a question on stderr; at its end, however it ends, they are wiped away.

    ``watch`` may be called on any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sentences: list[str] = []
        self._live: Live | None = None
        self._ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._ended = True
            if self._live is not None:
                self._live.stop()

    def watch(self, step: TraceStep) -> None:
        """Show a sentence; other steps are passed over."""
        from clausegraph.query.read.model.partial import WRITING

        if step.name != WRITING:
            return
        with self._lock:
            if self._ended:
                return
            if step.detail.get("restarted"):
                self._sentences.clear()
            else:
                self._sentences.append(str(step.detail["sentence"]))
            self._show()

    def _show(self) -> None:
        from rich.live import Live

        if self._live is None:
            self._live = Live(
                console=console(sys.stderr),
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        self._live.update(unchecked_text(self._sentences), refresh=True)


def unchecked_text(sentences: list[str]) -> Text:
    """The sentences as they are shown: dim, each on a line, under a line that says that they are unchecked."""
    from rich.text import Text

    return Text("\n".join(["Unchecked, still being written:", *map(one_line, sentences)]), style="dim")
