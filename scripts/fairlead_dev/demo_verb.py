"""./run demo: one kernel from source to result."""

import argparse
import subprocess
from concurrent.futures import ThreadPoolExecutor

from . import build, environment, steps


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run demo", description=__doc__)
    parser.add_argument("--verbose", action="store_true", help="show the output of every step")
    steps.verbose = parser.parse_args(arguments).verbose
    python = environment.ensure("build")
    with ThreadPoolExecutor() as aside:
        packages = aside.submit(environment.ensure, "demo", aside=True)
        build.build("fairlead_package")
        packages.result()
    demo = steps.ROOT / "examples" / "demo" / "demo.py"
    return subprocess.run(
        [python, demo], env=steps.environment_with(build.package_environment())
    ).returncode
