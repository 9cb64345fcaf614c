"""Single instructions of cute.arch: on the CPU against NumPy, and as PTX."""

import numpy as np
import pytest

from fairlead import Float32, Float64, Int32, Uint32, cute

RANDOM = np.random.default_rng(3)


def run(body, out, *arrays, options="--target cpu"):
    @cute.kernel
    def device(out: cute.Tensor, inputs: list):
        body(out, cute.arch.thread_idx()[0], *inputs)

    @cute.jit
    def host(out: cute.Tensor, inputs: list):
        device(out, inputs).launch(grid=1, block=32)

    compiled = cute.compile(host, out, list(arrays), options=options)
    if options == "--target cpu":
        compiled(out, list(arrays))
    return compiled


def pairs(out, t, a, b):
    x, y = (a[t, 0], a[t, 1]), (b[t, 0], b[t, 1])
    results = [
        cute.arch.add_packed_f32x2(x, y),
        cute.arch.sub_packed_f32x2(x, y),
        cute.arch.mul_packed_f32x2(x, (0.5, 2.0)),
        cute.arch.fma_packed_f32x2(x, y, (1.0, -1.0)),
        cute.arch.calc_packed_f32x2_op(x, y, calc_func=cute.arch.mul_packed_f32x2),
    ]
    for i, pair in enumerate(results):
        out[t, i, 0], out[t, i, 1] = pair


def test_pairs():
    a, b = (RANDOM.standard_normal((32, 2)).astype(np.float32) for _ in range(2))
    out = np.zeros((32, 5, 2), np.float32)
    run(pairs, out, a, b)
    half = np.array([0.5, 2], np.float32)
    expected = np.stack([a + b, a - b, a * half, a * b + np.array([1, -1]), a * b], 1)
    np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("arch", "packed"), [("sm_90a", False), ("sm_100a", True)])
def test_pairs_as_ptx(arch, packed, tmp_path, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    a, out = np.zeros((32, 2), np.float32), np.zeros((32, 5, 2), np.float32)
    run(pairs, out, a, a, options=f"--target cuda:{arch} --keep-ptx")
    (ptx,) = tmp_path.glob("*.ptx")
    assert ("fma.rn.f32x2" in ptx.read_text()) == packed


def test_a_rounding_that_there_is_not():
    def body(out, t):
        out[t] = cute.arch.add_packed_f32x2((1.0, 1.0), (1.0, 1.0), rnd="up")[0]

    with pytest.raises(ValueError, match="rn, rz, rm or rp as rnd, but got 'up'"):
        run(body, np.zeros(32, np.float32))


def test_bytes_and_shuffles():
    words = RANDOM.integers(0, 1 << 32, 32, dtype=np.uint32)

    def body(out, t, a):
        out[t, 0] = cute.arch.prmt(a[t], Uint32(0), 0x0123)
        out[t, 1] = cute.arch.shuffle_sync_op(a[t], 1, kind="bfly")
        out[t, 2] = cute.arch.popc(a[t])

    out = np.zeros((32, 3), np.uint32)
    run(body, out, words)
    np.testing.assert_array_equal(out[:, 0], words.byteswap())
    np.testing.assert_array_equal(out[:, 1], words[np.arange(32) ^ 1])
    np.testing.assert_array_equal(out[:, 2], [bin(word).count("1") for word in words])


def test_accesses_with_an_order():
    def body(out, t, a, flag):
        cute.arch.prefetch(a.iterator + t)
        cute.arch.nanosleep(100)
        out[t, 0] = cute.arch.load(a.iterator + t, sem="acquire", scope="gpu")
        out[t, 1] = cute.arch.load(a.iterator + t)
        cute.arch.store(flag.iterator + t, Float32(t), sem="release")
        out[t, 2] = cute.arch.load(flag.iterator + t, Int32, sem="relaxed").bitcast(Float32)

    a, flag = RANDOM.standard_normal(32).astype(np.float32), np.zeros(32, np.float32)
    out = np.zeros((32, 3), np.float32)
    run(body, out, a, flag)
    np.testing.assert_array_equal(out, np.stack([a, a, np.arange(32)], 1))
    np.testing.assert_array_equal(flag, np.arange(32))


def test_reciprocals():
    def body(out, t, a):
        out[t] = cute.arch.rcp_approx(a[t])

    a, out = np.arange(1, 33).astype(np.float32), np.zeros(32, np.float32)
    run(body, out, a)
    np.testing.assert_allclose(out, 1 / a, rtol=1e-6)


@pytest.mark.parametrize("value", [Float32(1), cute.Int64(1), 1])
def test_movmatrix_of_other_types(value):
    def body(out, t):
        out[t] = cute.arch.movmatrix(value)

    message = rf"movmatrix: expected an Int32 or Uint32 as value, but got {type(value).__name__}"
    with pytest.raises(TypeError, match=message):
        run(body, np.zeros(32, np.int32))


@pytest.mark.parametrize("dtype", [Float32, Float64])
def test_extremes_of_known_sign(dtype, tmp_path, monkeypatch):
    """Without a loop on a GPU: as integers, of which those of negative numbers are in reverse."""

    def body(out, t, values):
        for column, function in enumerate((cute.arch.atomic_fmax, cute.arch.atomic_fmin)):
            for row, sign_bit in enumerate((False, True)):
                value = -values[t] if sign_bit else values[t]
                function(out[row, column, None].iterator + t % 4, value, sign_bit=sign_bit)

    numpy_type = np.float32 if dtype is Float32 else np.float64
    start = np.array([-30.0, -0.5, 0.5, 30.0], numpy_type)
    values = np.abs(RANDOM.standard_normal(32)).astype(numpy_type)
    out = np.broadcast_to(start, (2, 2, 4)).copy()
    run(body, out, values)
    groups = values.reshape(8, 4)
    for row, group in enumerate((groups, -groups)):
        np.testing.assert_array_equal(out[row, 0], np.maximum(start, group.max(0)))
        np.testing.assert_array_equal(out[row, 1], np.minimum(start, group.min(0)))
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    run(body, out, values, options="--target cuda:sm_90a --keep-ptx")
    text = next(tmp_path.glob("*.ptx")).read_text()
    assert ".cas" not in text
    assert {f"{op}.{kind}" in text for op in ("max", "min") for kind in ("s", "u")} == {True}
