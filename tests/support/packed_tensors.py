"""Programs on tensors of 4-bit elements, which torch counts in pairs, and of bytes seen as narrow floats."""

import torch

from fairlead import cute


@cute.kernel
def device_swap(a: cute.Tensor, b: cute.Tensor):
    row, _, _ = cute.arch.thread_idx()
    source, target = cute.recast_tensor(a, cute.Uint8), cute.recast_tensor(b, cute.Uint8)
    for i in range(source.shape[1]):
        byte = source[row, i]
        target[row, i] = (byte << 4) | (byte >> 4)


@cute.jit
def swap_halves(a: cute.Tensor, b: cute.Tensor):
    """Exchanges the two elements of every byte."""
    device_swap(a, b).launch(grid=(1,), block=(a.shape[0],))


def pairs(rows, columns, device, seed):
    """Random float4_e2m1fn_x2 of ``rows`` times ``columns`` elements, and its bytes."""
    generator = torch.Generator().manual_seed(seed)
    data = torch.randint(0, 256, (rows, columns // 2), dtype=torch.uint8, generator=generator)
    data = data.to(device)
    return data.view(torch.float4_e2m1fn_x2), data


def check_swap(function, device, columns):
    for rows in (1, 3, 32):
        a, source = pairs(rows, columns, device, rows)
        b, target = pairs(rows, columns, device, 100 + rows)
        function(a, b)
        assert torch.equal(target, (source << 4) | (source >> 4))


@cute.kernel
def device_widen(a: cute.Tensor, b: cute.Tensor):
    i, _, _ = cute.arch.thread_idx()
    b[i] = a[i].to(cute.Float32)


@cute.jit
def widen(a: cute.Tensor, b: cute.Tensor):
    device_widen(a, b).launch(grid=(1,), block=(a.shape[0],))


def check_bytes_as_floats(device):
    """Bytes whose element type is set to a narrow float, at compile and at the call."""
    codes = torch.arange(0, 126, dtype=torch.uint8, device=device)
    seen = cute.runtime.from_dlpack(codes)
    seen.element_type = cute.Float8E4M3FN
    out = torch.full((126,), float("nan"), device=device)
    function = cute.compile(widen, seen, cute.runtime.from_dlpack(out))
    function(seen, out)
    assert torch.equal(out, codes.view(torch.float8_e4m3fn).float())
    return function, codes, out
