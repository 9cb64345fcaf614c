"""What every benchmark program of this folder hands on: rows, printed and with --json PATH written.

A row is a dict: `case`, `value` (Fairlead's median), `unit`; where a peer was measured in the same
run `peer`, `peer_name` and `ratio` (Fairlead's share of the peer's time); `detail`, a short text.
"""

import argparse
import json
import os
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path


def row(case: str, value: float, unit: str, detail: str = "", peer: float | None = None,
        peer_name: str = "") -> dict:  # fmt: skip
    result = {"case": case, "value": value, "unit": unit, "detail": detail}
    if peer is not None:
        result |= {"peer": peer, "peer_name": peer_name, "ratio": value / peer}
    return result


def finish(rows: list[dict]) -> None:
    """Prints the rows, and writes them where the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    path = parser.parse_args().json
    for entry in rows:
        text = f"{entry['case']}: {entry['value']:.4g} {entry['unit']}"
        if "peer" in entry:
            text += f", {entry['peer_name']} {entry['peer']:.4g} ({entry['ratio']:.2f}x)"
        print(f"{text}  {entry['detail']}".rstrip(), flush=True)
    if path is not None:
        path.write_text(json.dumps(rows, indent=1) + "\n")


def peersPython() -> str | None:
    """The interpreter of the environment that holds the peers, where there is one."""
    path = os.environ.get("FAIRLEAD_PEERS_PYTHON")
    return path if path and os.path.exists(path) else None


def child(python: str, program: str, *arguments: str, **environment: str) -> dict:
    """Runs `program` (source text, or a file) and reads the JSON object of its last line."""
    source = [program] if os.path.exists(program) else ["-c", program]
    variables = {**os.environ, **environment}
    if python == peersPython():
        variables.pop("PYTHONPATH", None)
    done = subprocess.run(
        [python, *source, *arguments], env=variables, capture_output=True, text=True, timeout=300
    )
    if done.returncode:
        raise SystemExit(f"{python} {source[0]} failed:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def median(values: Sequence[float]) -> float:
    return statistics.median(values)
