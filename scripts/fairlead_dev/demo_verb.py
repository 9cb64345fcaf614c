"""./run demo: one kernel from source to result."""

import argparse
import subprocess

from . import build, environment, steps


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run demo", description=__doc__)
    parser.add_argument("--verbose", action="store_true", help="show the output of every step")
    steps.verbose = parser.parse_args(arguments).verbose
    python = environment.ensure("build")
    build.build("fairlead_package")
    demo = steps.ROOT / "examples" / "demo" / "demo.py"
    return subprocess.run(
        [python, demo], env=steps.environmentWith(build.packageEnvironment())
    ).returncode
