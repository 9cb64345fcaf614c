from __future__ import annotations

import inspect

import numpy as np

import fairlead
from fairlead import cute
from fairlead.cute import KeepPTX, OptLevel
from fairlead.cute.runtime import make_fake_compact_tensor, make_fake_stream


@cute.jit
def add(
    x: cute.Tensor, y: cute.Tensor, n: cute.Int32, stream: cute.cuda.CUstream = None
) -> None: ...


symbol = cute.sym_int(divisibility=4)
fake = make_fake_compact_tensor(cute.Float32, (symbol, 64), stride_order=(1, 0), assumed_align=16)
compiled: cute.CompiledFunction = cute.compile(add, fake, fake, cute.Int32, make_fake_stream())
compiled = cute.compile(add, fake, fake, n=cute.Int32, options="--target cpu --opt-level 2")
compiled = cute.compile[OptLevel(2), KeepPTX](add, fake, fake, 4)
names: list[str] = [*inspect.signature(cute.compile).parameters]
targets: list[str] = [str(target) for target in compiled.targets]
compiled.export_library("add.so", function_name="add")
x = np.zeros((4, 64), np.float32)
compiled(x, x, 4)
add(x, x, n=4)
try:
    cute.compile(add, fake)
except fairlead.DSLError as error:
    place: str | None = error.help
module = cute.runtime.load_module("add.so")
module.add(x, x, 4)
