"""Calls keep nothing: references and memory stay level."""

import gc
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from support.ffi_support import Refuses

from fairlead import ffi

torch = pytest.importorskip("torch")


def references(objects):
    return [sys.getrefcount(each) for each in objects]


class Source:
    def __tvm_ffi_value__(self):
        return ("a new text of some length", [1, 2])


ARRAY = np.zeros((2, 3), "float32")
SUBJECTS = {
    "torch": lambda: torch.zeros(3),
    "numpy": lambda: np.zeros((2, 3)),
    "text": lambda: "a text of some length",
    "bytes": lambda: b"bytes of some length",
    "list": lambda: [1, 2.5, "a text of some length", (ARRAY, None)],
    "callable": lambda: lambda: 3,
    "source": Source,
}


@pytest.mark.parametrize("views", [True, False], ids=["views", "owned"])
@pytest.mark.parametrize("name", SUBJECTS)
def test_references(address, name, views):
    function = ffi.make_function(address("describe"), views=views, arg_names=("a", "b"))
    subject = SUBJECTS[name]()
    watched = [subject, type(subject), ARRAY, function, None.__class__]
    function(subject, subject)
    gc.collect()  # cycles that earlier tests left hold references of types
    before = references(watched)
    for _ in range(50):
        function(subject, subject)
        function(b=subject, a=subject)
        with pytest.raises(TypeError):
            function(subject, Refuses())
    gc.collect()
    assert references(watched) == before


def resident():
    """Memory of the process in KiB, now: its peak may lie in an earlier test."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


WORK = {
    "tensorResult": lambda k: k.arange(1000),
    "torchResult": lambda k: k.arange(1000, torch.zeros(1)),
    "echoArray": lambda k: k.echo(np.zeros(1000)),
    "producer": lambda k: k.echo([np.zeros(1000), "x" * 4000]),
    "capsule": lambda k: k.echo(np.zeros(1000).__dlpack__()),
    "unusedCapsule": lambda k: k.arange(1000).__dlpack__(),
    "error": lambda k: pytest.raises(ValueError, k["raise"], "ValueError", "x" * 4000, "y\n" * 100),
    "callback": lambda k: k.apply(lambda x: x * 2, "x" * 2000),
    "callbackError": lambda k: pytest.raises(KeyError, k.apply, lambda: {}["x" * 4000]),
    "refused": lambda k: pytest.raises(TypeError, k.echo, [np.zeros(1000), Refuses()]),
    "function": lambda k: ffi.make_function(
        k._sleepAddress, name="x" * 4000, keep_alive=bytearray(4000)
    ),
}


@pytest.mark.parametrize("name", WORK)
def test_memory(kernels, address, name):
    kernels._sleepAddress = address("sleep")
    work = WORK[name]

    def rounds(count):
        for _ in range(count):
            work(kernels)
        gc.collect()

    rounds(1000)
    before = resident()
    rounds(3000)
    # 3000 lost objects of 4000 bytes would be 12 MB.
    assert resident() - before < 3000
