"""``python -m benchmarks [--data DIR] [--only NAME] [--output FILE.json]``: what ClauseGraph costs; see README.md."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import costs, ledger, pages
from benchmarks.costs import Workbench
from benchmarks.material import find_material, machine

BENCHMARKS = {"ingest": costs.ingest, "ask": costs.ask, "ledger": ledger.run, "pages": pages.run}


def main() -> int:
    """Run the benchmarks; 1 when a limit that decides was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="What ClauseGraph costs.")
    parser.add_argument("--data", type=Path, help="folder with documents.json and dev.json")
    parser.add_argument("--only", action="append", choices=list(BENCHMARKS), help="this one; may be repeated")
    parser.add_argument("--output", type=Path, help="write every figure to this JSON file")
    options = parser.parse_args()
    material = find_material(options.data)
    print(f"pages: {material.origin}")
    results: dict[str, Any] = {"origin": material.origin, "machine": machine()}
    with tempfile.TemporaryDirectory(prefix="clausegraph-bench-") as folder:
        bench = Workbench(Path(folder), material)
        for name in options.only or BENCHMARKS:
            before, start = machine(), time.perf_counter()
            results[name] = BENCHMARKS[name](bench) | {"machine": [before, machine()]}
            loads = f"load {before['load']} before, {machine()['load']} after"
            print(f"  ({time.perf_counter() - start:.0f} s; {before['cores']} cores, {loads})", flush=True)
    if options.output:
        options.output.write_text(json.dumps(results, indent=1), encoding="utf-8")
    checks = [check for name in BENCHMARKS for check in results.get(name, {}).get("checks", [])]
    failed = [check["what"] for check in checks if check["decides"] and not check["holds"]]
    print(f"\nFAIL: {', '.join(failed)}" if failed else "\nevery limit holds")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
