"""./run bench: every program of benchmarks/, as one table and build/bench.json."""

import argparse
import json
import os
import platform
import subprocess
from pathlib import Path

from . import build, environment, steps

FOLDER = steps.ROOT / "benchmarks"
_SECONDS = 600


def main(arguments: list[str]) -> int:
    programs = {path.stem: path for path in sorted(FOLDER.glob("[!_]*.py"))}
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which to run: {', '.join(programs)}")
    parser.add_argument("--no-peers", action="store_true", help="measure Fairlead alone")
    parser.add_argument("--verbose", action="store_true", help="show the output of every step")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in programs]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(programs)}")
    steps.verbose = options.verbose
    python = environment.ensure("build", "demo", "test")
    if not options.no_peers:
        environment.ensure("peers", "bench", name=".venv-peers")
    # The package, and what benchmarks/call_overhead.py calls.
    build.build("fairlead_package", "fairlead_test_kernels")
    return _run_all(python, [programs[name] for name in options.names or programs], options)


def _run_all(python: Path, programs: list[Path], options: argparse.Namespace) -> int:
    folder = build.BUILD / "bench"
    folder.mkdir(exist_ok=True)
    peers = environment.python(".venv-peers")
    variables = {
        **build.package_environment(),
        "FAIRLEAD_BUILD_DIR": str(build.BUILD),
        "FAIRLEAD_PEERS_PYTHON": "" if options.no_peers else str(peers),
    }
    rows, failed = [], []
    for program in programs:
        report = folder / f"{program.stem}.json"
        report.unlink(missing_ok=True)
        status, output = steps.run(
            f"benchmark {program.stem}",
            [python, program, "--json", report],
            env=variables,
            check=False,
            timeout=_SECONDS,
        )
        if status or not report.exists():
            failed.append(program.stem)
            print("\n".join(output.splitlines()[-20:]))
            continue
        rows += [{"benchmark": program.stem, **row} for row in json.loads(report.read_text())]
    _write(rows)
    _show(rows)
    for name in failed:
        print(f"FAILED {name}")
    return 1 if failed else 0


def _write(rows: list[dict]) -> None:
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=steps.ROOT, capture_output=True, text=True
    ).stdout.strip()
    document = {
        "commit": commit,
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": platform.platform(),
        },
        "rows": rows,
    }
    path = build.BUILD / "bench.json"
    path.write_text(json.dumps(document, indent=1) + "\n")
    print(f"\nWrote {path.relative_to(steps.ROOT)}.")


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def _show(rows: list[dict]) -> None:
    """One line a measurement: Fairlead's median, the peer's, and Fairlead's share of the peer's."""
    header = ("benchmark", "case", "fairlead", "peer", "ratio", "peer is")
    lines = [header]
    for row in rows:
        unit = row.get("unit", "")
        peer, ratio = row.get("peer"), row.get("ratio")
        lines.append(
            (
                row["benchmark"],
                row["case"],
                f"{row['value']:.4g} {unit}".strip(),
                "-" if peer is None else f"{peer:.4g} {unit}".strip(),
                "-" if ratio is None else f"{ratio:.2f}x",
                row.get("peer_name") or "-",
            )
        )
        detail = row.get("detail")
        if detail:
            lines.append(("", f"  {detail}", "", "", "", ""))
    widths = [max(len(line[i]) for line in lines if line[0] or i == 0) for i in range(len(header))]
    for line in lines:
        print(
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        )
