"""Devices on which a test runs its kernels: the fixture `device` gives one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


class Device:
    """The CPU, or an NVIDIA GPU of this machine. `name` is also the target to compile for."""

    def __init__(self, name: str) -> None:
        self.name = name

    def call(self, compiled, *arrays: np.ndarray) -> None:
        """Call a compiled function with NumPy arrays: on a GPU, with copies there, which are copied back."""
        if self.name == "cpu":
            compiled(*arrays)
            return
        import torch

        copies = [torch.from_numpy(array).cuda() for array in arrays]
        compiled(*copies)
        torch.cuda.synchronize()
        for array, copy in zip(arrays, copies, strict=True):
            array[...] = copy.cpu().numpy()
