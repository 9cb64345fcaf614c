"""--check init: values of memory that nothing wrote to, told where they matter, and not before."""

import pytest
from support.check_support import checked, findings, found, lines_of, zeros

from fairlead import Float32, Int32, cute


@cute.kernel
def partly_written(a: cute.Tensor, out: cute.Tensor, lanes: Int32):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 64)
    if t < lanes:
        s[t] = a[t]
    cute.arch.sync_threads()
    value = s[63 - t] * 2.0
    if t < 64:
        out[t] = value


@cute.jit
def reversed_twice(a: cute.Tensor, out: cute.Tensor, lanes: Int32):
    partly_written(a, out, lanes).launch(grid=2, block=64)


@pytest.mark.parametrize("coroutines", ["0", "1"])
def test_a_conditional_write_and_an_unconditional_read(monkeypatch, coroutines):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", coroutines)
    checked(reversed_twice, zeros(64), zeros(64), 64, checks="init")
    (finding,) = found(reversed_twice, zeros(64), zeros(64), 48, checks="init")
    assert finding.kind == "init"
    assert lines_of(finding) == ["out[t] = value"]
    assert "reaches a store to global memory" in finding.message
    assert finding.count == 2 * 16 and finding.blocks == 2
    assert finding.accesses[0].thread == (0, 0, 0)


@cute.kernel
def masked(a: cute.Tensor, out: cute.Tensor, n: Int32):
    """Copy whole tiles that only have values in a part, and use that part."""
    t, _, _ = cute.arch.thread_idx()
    smem = cute.SmemAllocator()
    s, copy = smem.allocate_tensor(Float32, 64), smem.allocate_tensor(Float32, 64)
    if t < n:
        s[t] = a[t]
    cute.arch.sync_threads()
    copy[t] = s[t]
    cute.arch.sync_threads()
    r = cute.make_rmem_tensor(4, Float32)
    for i in range(4):
        r[i] = copy[(t + i) % 64] + 1.0
    total = Float32(0.0)
    for i in range(4):
        if (t + i) % 64 < n:
            total = total + r[i]
    out[t] = total


@cute.jit
def sums(a: cute.Tensor, out: cute.Tensor, n: Int32):
    masked(a, out, n).launch(grid=1, block=64)


@pytest.mark.parametrize("coroutines", ["0", "1"])
def test_what_is_copied_and_not_used_is_not_reported(monkeypatch, coroutines):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", coroutines)
    out = zeros(64) - 1
    assert findings(sums, zeros(64) + 1, out, 40) == []
    assert out.tolist() == [2 * sum((t + i) % 64 < 40 for i in range(4)) for t in range(64)]


@cute.kernel
def registers(a: cute.Tensor, out: cute.Tensor, n: Int32):
    t, _, _ = cute.arch.thread_idx()
    r = cute.make_rmem_tensor(4, Float32)
    for i in range(n):
        r[i] = a[t]
    if r[3] > 0.0:
        out[t] = 1.0


@cute.jit
def flags(a: cute.Tensor, out: cute.Tensor, n: Int32):
    registers(a, out, n).launch(grid=1, block=8)


def test_a_register_that_decides_a_branch():
    checked(flags, zeros(8), zeros(8), 4)
    (finding,) = found(flags, zeros(8), zeros(8), 3)
    assert "reaches a branch" in finding.message
    assert lines_of(finding) == ["if r[3] > 0.0:"]


@cute.kernel
def by_index(out: cute.Tensor, write: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Int32, 8)
    if cute.const_expr(write):
        s[t] = t
    elif t > 7:  # nobody
        s[0] = t
    cute.arch.sync_threads()
    out[s[t] & 7] = 1.0


@cute.jit
def scatter(out: cute.Tensor, write: cute.Constexpr):
    by_index(out, write).launch(grid=1, block=8)


def test_an_index_of_no_value():
    checked(scatter, zeros(8), True)
    finding = found(scatter, zeros(8), False, checks="init")[0]
    assert "reaches" in finding.message and lines_of(finding) == ["out[s[t] & 7] = 1.0"]
