from __future__ import annotations

import torch

import fairlead.torch
from fairlead import cute
from fairlead.cute.runtime import from_dlpack


@cute.jit
def scale(x: cute.Tensor, out: cute.Tensor, factor: cute.Float32) -> None: ...


x = torch.zeros(8)
scale(x, torch.empty_like(x), 2.0)
compiled = cute.compile(scale, from_dlpack(x), from_dlpack(x), cute.Float32)
operator = fairlead.torch.op(compiled, "mine::scale", outputs=["out"])
y = operator(x, 2.0)
print(fairlead.ops.softmax(x), y)
