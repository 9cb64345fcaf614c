"""./run docs: the site, from docs/, the tutorials and the docstrings, in build/site."""

import argparse
import shutil
from pathlib import Path

from . import build, environment, site_pages, steps

SITE = build.BUILD / "site"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run docs", description=__doc__)
    parser.add_argument(
        "--no-plots", action="store_true", help="do not run the tutorials for their plots"
    )
    parser.add_argument("--verbose", action="store_true", help="show the output of every step")
    options = parser.parse_args(arguments)
    steps.verbose = options.verbose
    python = environment.ensure("build", "docs")
    build.build("fairlead_package")
    plots = SITE / "plots"
    if not options.no_plots:
        _plot(python, plots)
    source = SITE / "source"
    shutil.rmtree(source, ignore_errors=True)
    site_pages.write(source, plots)
    # Warnings are errors: a link that leads nowhere, a page that no table of contents has.
    steps.run(
        "site",
        [python, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", source, SITE / "html"],
        env=build.package_environment(),
    )
    print(f"The site is in {(SITE / 'html' / 'index.html').relative_to(steps.ROOT)}.")
    return 0


def _plot(python: Path, folder: Path) -> None:
    """Runs the tutorials on the CPU; each draws its measurements."""
    for path in site_pages.tutorials():
        steps.run(
            f"tutorial {path.stem}",
            [python, path, "--plots", folder],
            env=build.package_environment(),
            timeout=600,
        )
