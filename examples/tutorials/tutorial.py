"""Helpers of the tutorials: options, the device of arrays, measuring, and plots of measurements."""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


class Tutorial:
    """Reads the options of a tutorial: ``--quick`` for small sizes, ``--device cuda``, ``--plots FOLDER``."""

    def __init__(self, name: str) -> None:
        self.name = name
        parser = argparse.ArgumentParser(prog=f"{self.name}.py")
        parser.add_argument(
            "--quick", action="store_true", help="small sizes, to see that it works"
        )
        parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
        parser.add_argument(
            "--plots", metavar="FOLDER", help="write plots of the measurements there, as SVG"
        )
        # In a notebook the command line is not the tutorial's.
        arguments = [] if "ipykernel" in sys.modules else None
        options = parser.parse_args(arguments)
        self.quick, self.device, self.plots = options.quick, options.device, options.plots
        self.target = f"--target {self.device}"

    def sizes(self, full: Sequence[int], quick: Sequence[int]) -> Sequence[int]:
        """The sizes to measure."""
        return quick if self.quick else full

    def array(self, values: np.ndarray) -> Any:
        """The values where the tutorial runs: NumPy's array, or a PyTorch tensor on the GPU."""
        if self.device == "cpu":
            return values
        import torch

        return torch.from_numpy(values).to(self.device)

    def numpy(self, array: Any) -> np.ndarray:
        """An array back as NumPy's."""
        return array if isinstance(array, np.ndarray) else array.cpu().numpy()

    def microseconds(self, call: Callable[[], Any]) -> float:
        """The median time of a call, which includes the wait for the GPU."""
        synchronize = self._synchronizer()
        call()
        synchronize()
        start = time.perf_counter()
        call()
        synchronize()
        # About 20 ms of calls a round: one call is too short for the clock.
        count = max(1, min(1000, int(0.02 / max(time.perf_counter() - start, 1e-7))))
        rounds = []
        for _ in range(3 if self.quick else 9):
            start = time.perf_counter()
            for _ in range(count):
                call()
            synchronize()
            rounds.append((time.perf_counter() - start) / count * 1e6)
        return statistics.median(rounds)

    def _synchronizer(self) -> Callable[[], None]:
        if self.device == "cpu":
            return lambda: None
        import torch

        return torch.cuda.synchronize

    def plot(
        self, x: Sequence[float], series: dict[str, Sequence[float]], xlabel: str, ylabel: str
    ) -> None:
        """Prints the measurements as a table and, with ``--plots``, draws them."""
        width = max(len(xlabel), 10)
        print(f"\n{xlabel:>{width}}" + "".join(f"{name:>20}" for name in series) + f"   ({ylabel})")
        for i, value in enumerate(x):
            print(f"{value:>{width}}" + "".join(f"{ys[i]:>20.2f}" for ys in series.values()))
        if not self.plots:
            return
        try:
            import matplotlib
        except ImportError:
            print('no plot: matplotlib is not installed (pip install "fairlead[plots]")')
            return
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(6, 3.5))
        for name, ys in series.items():
            axes.plot(x, ys, marker="o", label=name)
        axes.set_xscale("log", base=2)
        axes.set(xlabel=xlabel, ylabel=ylabel, ylim=(0, None))
        axes.grid(alpha=0.3)
        axes.legend()
        figure.tight_layout()
        os.makedirs(self.plots, exist_ok=True)
        path = os.path.join(self.plots, f"{self.name}.svg")
        figure.savefig(path)
        plt.close(figure)
        print(f"plot: {path}")
