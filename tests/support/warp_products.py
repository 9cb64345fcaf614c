"""Products by every integer and Float64 atom of a warp, exact, on whichever device the tensors are."""

from __future__ import annotations

import torch

from fairlead import Float64, Int4, Int8, Int32, Uint8, cute
from fairlead.cute.nvgpu import warp
from fairlead.cute.runtime import from_dlpack
from support import gemm_programs

#: The operation, the element types of A, B and the accumulators.
PRODUCTS = {
    "s8 k16": (lambda: warp.MmaI8Op(Int8, Int8, (16, 8, 16)), Int8, Int8, Int32),
    "u8 k16": (lambda: warp.MmaI8Op(Uint8, Uint8, (16, 8, 16)), Uint8, Uint8, Int32),
    "s8 k32": (lambda: warp.MmaI8Op(Int8, Int8, (16, 8, 32)), Int8, Int8, Int32),
    "u8 k32": (lambda: warp.MmaI8Op(Uint8, Uint8, (16, 8, 32)), Uint8, Uint8, Int32),
    "s8 u8 k32": (lambda: warp.MmaI8Op(Int8, Uint8, (16, 8, 32)), Int8, Uint8, Int32),
    "u8 s8 k32": (lambda: warp.MmaI8Op(Uint8, Int8, (16, 8, 32)), Uint8, Int8, Int32),
    "s4 k32": (lambda: warp.MmaI4Op((16, 8, 32)), Int4, Int4, Int32),
    "s4 k64": (warp.MmaI4Op, Int4, Int4, Int32),
    "f64 k4": (warp.MmaF64Op, Float64, Float64, Float64),
    "f64 m16 k4": (lambda: warp.MmaF64Op((16, 8, 4)), Float64, Float64, Float64),
    "f64 m16 k8": (lambda: warp.MmaF64Op((16, 8, 8)), Float64, Float64, Float64),
    "f64 m16 k16": (lambda: warp.MmaF64Op((16, 8, 16)), Float64, Float64, Float64),
}
TORCH = {Int8: torch.int8, Uint8: torch.uint8, Int4: torch.int8, Float64: torch.float64}


def operand(dtype, rows, columns, device):
    """Numbers over the whole range of the type, and the tensor that a function takes (bytes for Int4)."""
    low, high = {Int8: (-128, 128), Uint8: (0, 256), Int4: (-8, 8), Float64: (-50, 50)}[dtype]
    numbers = torch.randint(low, high, (rows, columns))
    stored = numbers
    if dtype is Int4:  # two in a byte, the first one in its low half
        stored = (numbers[:, ::2] & 15) | (numbers[:, 1::2] << 4)
    stored = stored.to(TORCH[dtype]).to(device)
    return numbers, from_dlpack(stored, assumed_align=16)


def check(name, device, options=""):
    make, a_dtype, b_dtype, acc = PRODUCTS[name]
    m, n, k = 64, 32, 128
    a, first = operand(a_dtype, m, k, device)
    b, second = operand(b_dtype, n, k, device)
    c = torch.arange(m * n, device=device).reshape(m, n)
    c = c.to(torch.float64 if acc is Float64 else torch.int32)
    expected = c.cpu().long() + a @ b.T

    @cute.jit
    def program(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        a, b = cute.recast_tensor(a, a_dtype), cute.recast_tensor(b, b_dtype)
        gemm_programs.DirectGemm(make(), (2, 2, 1))(a, b, c)

    result = from_dlpack(c)
    cute.compile(program, first, second, result, options=options)(first, second, result)
    assert torch.equal(c.cpu().long(), expected)
