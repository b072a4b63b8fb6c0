"""Runs ``clausegraph ingest`` once for each job, in a process whose memory is measured; in and out go JSON lines.

A job has ``name``, ``words`` of the command and ``environment``; a result has what the command printed, its exit code,
and what was raised that no command lets out.
"""

from __future__ import annotations

import json
import resource
import sys
import traceback

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
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        sys.stdout.write(json.dumps(told | {"raised": raised, "peak_mb": peak}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
