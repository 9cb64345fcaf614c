"""Looks for PTX that ptxas assembles wrongly: random kernels, assembled at several levels, run on the same input.

    python tests/gpu/ptx_campaign.py --seconds 300 --jobs 16 --keep FOLDER

Needs a GPU, ptxas (in $FAIRLEAD_PTXAS or on PATH) and the package. Processes make PTX and assemble it; one process
launches. Results of levels are compared bit by bit with each other and with the CPU target. Each divergence is reduced
and kept in the folder: `kernel.ptx`, `reduced.ptx`, `program.txt`, `arrays.npz`, and `report.txt`, which lists the
results that differ. A control with known faults of ptxas comes first. `--without-gpu` tries everything but the
launches, which the CPU target replaces. Exits with 1 after a divergence.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import sys
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support import ptx_cases, ptx_reduction  # noqa: E402
from support.cuda_driver import Launcher, LaunchError, Request  # noqa: E402
from support.ptx_cases import Case  # noqa: E402

CONTROL = Path(__file__).with_name("known_assembler_faults.ptx")


class CpuInstead:
    """Takes the place of the launcher: gives the results of the CPU target."""

    launches = 0

    def architecture(self) -> str:
        return "sm_90a"

    def run_case(self, case: Case, level: str) -> list[np.ndarray]:
        self.launches += 1
        return case.expected or []

    def close(self) -> None:
        pass


class OnGpu(Launcher):
    def run_case(self, case: Case, level: str) -> list[np.ndarray]:
        image = case.images[level]
        shape = (case.grid, case.block)
        request = Request(image, case.kernel, case.arrays, case.number, *shape)
        return self.run(request)[case.first_output :]


class Campaign:
    def __init__(
        self, launcher, levels: tuple[str, ...], keep: Path, reduce_seconds: float
    ) -> None:
        self.launcher, self.levels, self.keep = launcher, levels, keep
        self.reduce_seconds = reduce_seconds
        self.architecture = launcher.architecture()
        self.counts: Counter[str] = Counter()
        self.found: list[tuple[Case, str]] = []

    def control(self) -> bool:
        """Return True if the levels differ for the known faults of ptxas."""
        numbers = [3, -3, 1 << 40, -200, -32768, 32768, 0, 1, -1, 77, -(1 << 31), 1 << 20]
        x = np.array(numbers * 6, np.int64)[:64]
        arrays = [x, np.full((64, 7), 77, np.int32)]
        case = Case("control", CONTROL.read_text(), arrays, None, 1, (64, 1, 1), 1)
        return "value" in self.differences(case)

    def differences(self, case: Case) -> dict[str, str]:
        """How the results of levels differ from each other: from "value" or "NaN" to the levels concerned.

        Raises AssemblerError or LaunchError.
        """
        results = {}
        for level in self.levels:
            if level not in case.images:
                case.images[level] = ptx_cases.assembled(case.ptx, level, self.architecture)
            results[level] = self.launcher.run_case(case, level)
        first, *others = self.levels
        kinds: dict[str, str] = {}
        for level in others:
            kind = ptx_cases.differing_bits(results[first], results[level])
            if kind:
                kinds[kind] = f"{kinds.get(kind, first)} {level}"
        if case.expected is not None and "value" in kinds:
            right = [
                level
                for level, result in results.items()
                if ptx_cases.differing_bits(result, case.expected) != "value"
            ]
            kinds["value"] += f"; the CPU target agrees with: {' '.join(right) or 'none'}"
        elif case.expected is not None:
            if ptx_cases.differing_bits(results[first], case.expected) == "value":
                kinds["CPU"] = f"all levels ({' '.join(self.levels)}) and the CPU target"
        return kinds

    def take(self, case: Case) -> None:
        """Run a case and count what came of it."""
        self.counts["kernels"] += 1
        self.counts["programs"] += case.num_programs
        try:
            kinds = self.differences(case)
        except LaunchError as error:
            self.counts["failed launches"] += 1
            self.record(case, f"launch failed: {error}")
            return
        for kind, levels in kinds.items():
            self.counts[
                {"value": "divergences", "NaN": "only NaNs differ", "CPU": "differ from the CPU"}[
                    kind
                ]
            ] += 1
            if kind != "NaN":
                self.record(case, f"{kind}: {levels}")

    def record(self, case: Case, what: str) -> None:
        print(f"{case.name}: {what}", flush=True)
        folder = self.keep / case.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kernel.ptx").write_text(case.ptx)
        (folder / "program.txt").write_text(case.source)
        np.savez(folder / "arrays.npz", *case.arrays)
        (folder / "report.txt").write_text(
            f"{what}\n{case.kernel}: grid {case.grid}, block {case.block}, number {case.number}\n"
        )
        if what.startswith("value"):
            self.found.append((case, what))

    def diverges(self, case: Case, ptx: str) -> bool:
        """Return True if levels still differ for other PTX of the case, twice in the same way."""
        try:
            seen = []
            for _ in range(2):
                candidate = Case(**{**vars(case), "ptx": ptx, "images": {}, "expected": None})
                if isinstance(self.launcher, CpuInstead):
                    candidate.expected = case.expected
                seen.append(self.differences(candidate))
        except (LaunchError, ptx_cases.AssemblerError):
            return False
        return "value" in seen[0] and seen[0] == seen[1]

    def reduce(self, most: int) -> None:
        for case, _ in self.found[:most]:
            small = ptx_reduction.reduced(
                case.ptx, lambda ptx: self.diverges(case, ptx), self.reduce_seconds
            )  # noqa: B023  called at once
            (self.keep / case.name / "reduced.ptx").write_text(small)
            print(
                f"{case.name}: reduced from {len(case.ptx.splitlines())} lines to {len(small.splitlines())}"
            )

    def run(self, first: int, seconds: float, jobs: int) -> None:
        """Make, assemble, launch and compare cases of rising numbers until the time is over."""
        end = time.monotonic() + seconds
        numbers = itertools.count(first)
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(jobs, mp_context=context, max_tasks_per_child=500) as pool:

            def start():
                number = next(numbers)
                future = pool.submit(ptx_cases.prepared, number, self.architecture, self.levels)
                future.number = number
                return future

            pending = {start() for _ in range(2 * jobs)}
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    if time.monotonic() < end:
                        pending.add(start())
                    self.finished(future)

    def finished(self, future) -> None:
        error = future.exception()
        if error is None:
            self.take(future.result())
            return
        self.counts[
            "refused by ptxas" if isinstance(error, ptx_cases.AssemblerError) else "not compiled"
        ] += 1
        print(f"case-{future.number}: {type(error).__name__}: {error}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--seconds", type=float, default=60, help="how long programs are made (default 60)"
    )
    parser.add_argument(
        "--jobs", type=int, default=multiprocessing.cpu_count(), help="processes that assemble"
    )
    parser.add_argument(
        "--first", type=int, default=0, help="the number of the first kernel (default 0)"
    )
    parser.add_argument(
        "--levels",
        default="O0,O3,default",
        help="of ptxas, the first is compared with each other one",
    )
    parser.add_argument(
        "--keep", type=Path, default=Path("ptx-campaign"), help="folder for divergences"
    )
    parser.add_argument(
        "--reduce", type=int, default=5, help="divergences that are reduced (default 5)"
    )
    parser.add_argument(
        "--reduce-seconds", type=float, default=40, help="for each of them (default 40)"
    )
    parser.add_argument(
        "--without-gpu", action="store_true", help="the CPU target in place of launches"
    )
    given = parser.parse_args()
    levels = tuple(given.levels.split(","))
    wrong = [level for level in levels if level not in ptx_cases.LEVELS]
    if wrong or len(levels) < 2:
        parser.error(
            f"--levels takes two or more of {', '.join(ptx_cases.LEVELS)}, not {given.levels}"
        )
    launcher = CpuInstead() if given.without_gpu else OnGpu()
    campaign = Campaign(launcher, levels, given.keep, given.reduce_seconds)
    if given.without_gpu:
        print("control: not run without a GPU")
    elif campaign.control():
        print("control: the levels differ for known faults of ptxas, as they should")
    else:
        print(
            "control: NO difference for known faults: this ptxas is mended, or the comparison is blind"
        )
    campaign.run(given.first, given.seconds, given.jobs)
    campaign.reduce(given.reduce)
    launcher.close()
    counts = campaign.counts
    shown = [
        "kernels",
        "programs",
        "divergences",
        "differ from the CPU",
        "only NaNs differ",
        "failed launches",
    ]
    shown += sorted(set(counts) - set(shown))
    print(
        f"{launcher.launches} launches; " + ", ".join(f"{name}: {counts[name]}" for name in shown)
    )
    return (
        1
        if counts["divergences"] or counts["differ from the CPU"] or counts["failed launches"]
        else 0
    )


if __name__ == "__main__":
    sys.exit(main())
