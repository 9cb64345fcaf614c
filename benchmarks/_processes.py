"""Run each measurement in a new process, for work that a process does once."""

import json
import os
import subprocess
from pathlib import Path

from _harness import Row, peers_python


def row(
    case: str,
    value: float,
    unit: str,
    detail: str | None = None,
    peer: float | None = None,
    peer_name: str | None = None,
) -> Row:
    """One comparison, its ratio that of the medians."""
    if peer is None:
        return Row(case, value, unit, detail=detail)
    return Row(case, value, unit, peer, peer_name, value / peer, detail)


def child(python: str | Path, program: str, *arguments: str, **environment: str) -> dict:
    """Runs `program` (source text, or a file) and reads the JSON object of its last line.

    A process of the peers' interpreter does not see Fairlead's package.
    """
    source = [program] if os.path.exists(program) else ["-c", program]
    variables = {**os.environ, **environment}
    if python == peers_python():
        variables.pop("PYTHONPATH", None)
    command = [python, *source, *arguments]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise SystemExit(f"{python} {source[0]} failed:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])
