"""Runs ``clausegraph ingest`` once for each job, in a process whose memory is measured; in and out go JSON lines.

A job has ``name``, ``words`` of the command and ``environment``; a result has what the command printed, its exit code,
and what was raised that no command lets out.
"""

import json
import resource
import sys
import traceback
from pathlib import Path

from typer.testing import CliRunner

from clausegraph.app.cli.main import make_app


def main() -> None:
    """Do the jobs of stdin."""
    for line in sys.stdin:
        job = json.loads(line)
        result = CliRunner().invoke(make_app(), job["words"], env=job["environment"])
        raised = ""
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raised = "".join(traceback.format_exception(result.exception))
        told = {"name": job["name"], "exit_code": result.exit_code, "stdout": result.stdout, "stderr": result.stderr}
        sys.stdout.write(json.dumps(told | {"raised": raised, "peak_mb": _peak_mb()}) + "\n")
        sys.stdout.flush()


def _peak_mb() -> int:
    """Most memory this process ever held. Not ``ru_maxrss``, which is that of the process that started it at first."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    lines = status.read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) // 1024


if __name__ == "__main__":
    main()
