"""What a test run leaves behind: nothing. Shared servers are stopped, and no child process may be left over."""

from contextlib import ExitStack

import psutil

at_session_end = ExitStack()  # of this process' tests; what is started once registers here how it is stopped
_PYTHONS_OWN = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")  # end with this process


def left_over() -> list[str]:
    """Command lines of the processes that tests started and did not end, children of children included."""
    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            words = " ".join(child.cmdline())
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
        if words and not any(name in words for name in _PYTHONS_OWN):
            found.append(f"{child.pid}: {words[:300]}")
    return found
