"""Launches kernels of CUBINs through the CUDA driver, in a process that may die of them.

Run as a program, it serves requests: a pickled `Request` on its input, a pickled answer on its output.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import select
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

_SHARED_BYTES = 32 << 10


@dataclass
class Request:
    image: bytes
    kernel: str
    arrays: list[np.ndarray]
    number: int | None
    grid: int
    block: tuple[int, int, int]


class LaunchError(RuntimeError):
    """The kernel could not be run, or did not end in time."""


class Launcher:
    """Starts the serving process, and starts it again after an error or a time-out."""

    def __init__(self, seconds: float = 20) -> None:
        self.seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self.launches = 0

    def architecture(self) -> str:
        """Return the GPU's architecture, such as ``sm_90a``."""
        major, minor = self._ask("architecture")
        return f"sm_{major}{minor}{'a' if major >= 9 else ''}"

    def run(self, request: Request) -> list[np.ndarray]:
        """Launch the kernel once on copies of the arrays and return them as they are afterwards."""
        self.launches += 1
        return self._ask(request)

    def close(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()
            self._process = None

    def _ask(self, question):
        if not self._process:
            tests = str(Path(__file__).resolve().parents[1])
            path = os.pathsep.join(filter(None, (tests, os.environ.get("PYTHONPATH"))))
            self._process = subprocess.Popen(
                [sys.executable, "-m", "support.cuda_driver"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                env={**os.environ, "PYTHONPATH": path},
            )
        try:
            data = pickle.dumps(question)
            _write(self._process.stdin.fileno(), data)
            answer = pickle.loads(_read(self._process.stdout.fileno(), self.seconds))
        except (OSError, EOFError, TimeoutError) as error:
            self.close()
            raise LaunchError(f"the launching process ended: {error!r}") from None
        if isinstance(answer, str):
            self.close()  # an error of a kernel ends its context
            raise LaunchError(answer)
        return answer


def _write(file: int, data: bytes) -> None:
    data = struct.pack("<Q", len(data)) + data
    while data:
        data = data[os.write(file, data) :]


def _read(file: int, seconds: float | None = None) -> bytes:
    def exactly(count: int) -> bytes:
        data = b""
        while len(data) < count:
            if seconds and not select.select([file], [], [], seconds)[0]:
                raise TimeoutError(f"no answer in {seconds} s")
            part = os.read(file, count - len(data))
            if not part:
                raise EOFError("no answer")
            data += part
        return data

    return exactly(struct.unpack("<Q", exactly(8))[0])


class _Device:
    """The first GPU, by the driver's own functions."""

    def __init__(self) -> None:
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.check("cuInit", 0)
        self.device = ctypes.c_int()
        self.check("cuDeviceGet", ctypes.byref(self.device), 0)
        context = ctypes.c_void_p()
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.check("cuCtxSetCurrent", context)

    def check(self, name: str, *arguments) -> None:
        status = getattr(self.cuda, name)(*arguments)
        if status:
            raise LaunchError(f"{name} gave the error {status}")

    def architecture(self) -> tuple[int, int]:
        values = []
        for attribute in (75, 76):  # the major and minor compute capability
            value = ctypes.c_int()
            self.check("cuDeviceGetAttribute", ctypes.byref(value), attribute, self.device)
            values.append(value.value)
        return values[0], values[1]

    def run(self, request: Request) -> list[np.ndarray]:
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check("cuModuleLoadData", ctypes.byref(module), request.image)
        self.check("cuModuleGetFunction", ctypes.byref(function), module, request.kernel.encode())
        memory = [self.copied(array) for array in request.arrays]
        values: list = [*memory]
        if request.number is not None:
            values.append(ctypes.c_int32(request.number))
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        shape = (request.grid, 1, 1, *request.block)
        self.check("cuLaunchKernel", function, *shape, _SHARED_BYTES, None, pointers, None)
        self.check("cuCtxSynchronize")
        results = []
        for address, array in zip(memory, request.arrays, strict=True):
            after = np.empty_like(array)
            size = ctypes.c_size_t(array.nbytes)
            self.check("cuMemcpyDtoH_v2", after.ctypes.data_as(ctypes.c_void_p), address, size)
            self.check("cuMemFree_v2", address)
            results.append(after)
        self.check("cuModuleUnload", module)
        return results

    def copied(self, array: np.ndarray) -> ctypes.c_uint64:
        array = np.ascontiguousarray(array)
        address, size = ctypes.c_uint64(), ctypes.c_size_t(array.nbytes)
        self.check("cuMemAlloc_v2", ctypes.byref(address), size)
        self.check("cuMemcpyHtoD_v2", address, array.ctypes.data_as(ctypes.c_void_p), size)
        return address


def _serve() -> None:
    answers = os.dup(1)
    os.dup2(2, 1)  # the kernels' own output
    device = None
    while True:
        try:
            question = pickle.loads(_read(0))
        except EOFError:
            return
        try:
            device = device or _Device()
            answer = device.architecture() if question == "architecture" else device.run(question)
        except (LaunchError, OSError, AttributeError) as error:
            answer = str(error)
        _write(answers, pickle.dumps(answer))


if __name__ == "__main__":
    # Requests are pickled by the importing process under the module's name.
    from support import cuda_driver

    cuda_driver._serve()
