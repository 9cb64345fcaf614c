"""Code without --check is the same machine code, also if programs were compiled with checks before."""

from support.check_support import zeros

from fairlead import Float32, cute, range_constexpr


@cute.kernel
def long_kernel(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 256)
    for i in range_constexpr(64):
        s[(t + i) % 256] = a[t] * float(i)
        cute.arch.sync_threads()
        a[t] = a[t] + s[(t * 3 + i) % 256]
        cute.arch.sync_threads()


@cute.jit
def long_host(a: cute.Tensor):
    long_kernel(a).launch(grid=1, block=256)


def compiled(checks):
    function = cute.compile(
        long_host, zeros(256), options=f"--target cpu --keep-asm {checks}", no_cache=True
    )
    assert function.__asm__
    return function


def test_the_same_machine_code(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    before = compiled("").__asm__
    assert "FairleadCheck" not in before
    checked = compiled("--check all")
    assert "FairleadCheckUninitialised" in checked.__asm__
    checked(zeros(256))
    # Huge code that follows values is made in another way, which must not stay.
    assert compiled("").__asm__ == before
