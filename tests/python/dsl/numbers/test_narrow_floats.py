"""Floats of 4 to 16 bits and TFloat32: every code, every tie, random numbers; by tables and by ml_dtypes."""

import numpy as np
import pytest
from support import dsl_support as support
from support import narrow_programs as narrow

import fairlead
from fairlead import Float32, Uint8, cute


@pytest.mark.parametrize("name", narrow.NAMES)
def test_tables_are_those_of_ml_dtypes(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kind = getattr(ml_dtypes, "float8_e8m0fnu" if name.endswith("FNU") else _ml_name(name))
    table = narrow.decode(name)
    codes = np.arange(len(table), dtype=np.uint8)
    np.testing.assert_array_equal(codes.view(kind).astype(np.float64), table)
    numbers = narrow.inputs(name, np.float32)
    largest = narrow.magnitudes(name)[-1]
    inside = np.abs(numbers) <= largest
    if name == "Float8E8M0FNU":
        inside &= numbers >= 2.0**-126  # below, ml_dtypes does not give the nearest
    expected = numbers[inside].astype(kind).view(np.uint8)
    np.testing.assert_array_equal(narrow.encode(name, numbers[inside]), expected)


def _ml_name(name):
    return name[:6].lower() + "_" + name[6:].lower()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", narrow.NAMES)
def test_rounding(name, dtype):
    narrow.check_to_narrow(name, dtype)


@pytest.mark.parametrize("name", narrow.NAMES)
def test_every_code(name):
    narrow.check_from_narrow(name)


@pytest.mark.parametrize("operation", ["+", "-", "*"])
@pytest.mark.parametrize("name", narrow.FORMATS)
def test_arithmetic_of_all_pairs(name, operation):
    narrow.check_arithmetic(name, operation)


@pytest.mark.parametrize("name", ["Float16", "BFloat16"])
def test_16_bits(name):
    narrow.check_16_bits(name)


def test_tfloat32():
    narrow.check_tfloat32()


@pytest.mark.parametrize("name", ["Float8E4M3FN", "Float8E5M2", "Float8E8M0FNU"])
def test_integers(name):
    numbers = np.concatenate(
        [np.arange(-600, 600), 3 * 2 ** np.arange(60) - 1, 3 * 2 ** np.arange(60) + 1]
    ).astype(np.int64)
    got = support_run(name, numbers)
    # Exact: the nearest Python float would round twice.
    table = narrow.magnitudes(name)
    expected = []
    for number in numbers.tolist():
        if number < 0 and name == "Float8E8M0FNU":
            expected.append(255)
            continue
        size = abs(number)
        distances = [
            abs(size - value) if value < 1 else abs(size - int(value)) for value in table.tolist()
        ]
        best = min(distances)
        codes = [code for code, distance in enumerate(distances) if distance == best]
        code = codes[-1] if name == "Float8E8M0FNU" else min(codes, key=lambda c: c % 2)
        expected.append(code | (128 if number < 0 else 0))
    np.testing.assert_array_equal(got, np.array(expected, np.uint8))


def support_run(name, numbers):
    return narrow.run(narrow.to_narrow(name), np.uint8, numbers)


@pytest.mark.parametrize("name", narrow.NAMES)
def test_constants_and_numbers_outside_a_trace(name):
    kind = getattr(fairlead, name)
    for number in (0.3, 1.0, 5.2, -2.7, 1e9, 3.0):
        code = int(narrow.encode(name, [number])[0])
        expected = narrow.decode(name)[code]
        if number < 0 and name == "Float8E8M0FNU":
            assert np.isnan(float(kind(number)))
            continue
        assert float(kind(number)) == expected
        got = narrow.run(
            lambda x, n=number: kind(n).bitcast(Uint8), np.uint8, np.zeros(1, np.uint8)
        )
        assert got[0] == code


def test_attributes():
    assert fairlead.Float8E4M3FN.width == 8 and fairlead.Float6E2M3FN.width == 6
    assert fairlead.Float4E2M1FN.width == 4 and fairlead.TFloat32.width == 32
    assert fairlead.Float8E5M2.is_float and not fairlead.Float8E5M2.is_integer
    assert fairlead.Float8E5M2.inf == float("inf") and fairlead.Float4E2M1FN.inf == 6.0
    assert fairlead.dtype("Float8E4M3FN") is fairlead.Float8E4M3FN
    assert fairlead.dtype("float4_e2m1fn") is fairlead.Float4E2M1FN
    assert Float32.is_same_kind(fairlead.Float8E5M2) and not Float32.is_same_kind(fairlead.Int4)


@cute.kernel
def device_scale(a: cute.Tensor, b: cute.Tensor, factor: Float32):
    t, _, _ = cute.arch.thread_idx()
    b[t] = a[t] * factor


@cute.jit
def scale(a: cute.Tensor, b: cute.Tensor, kind: fairlead.Constexpr):
    narrow_a, narrow_b = cute.recast_tensor(a, kind), cute.recast_tensor(b, kind)
    # A narrow float times a Float32 is a Float32; storing it rounds.
    device_scale(narrow_a, narrow_b, Float32(0.75)).launch(grid=1, block=256)


@pytest.mark.parametrize("name", narrow.EIGHT_BITS)
def test_tensors(name):
    a, b = np.arange(256, dtype=np.uint8), np.zeros(256, np.uint8)
    fakes = [support.vector(Uint8, 256)] * 2
    cute.compile(scale, *fakes, getattr(fairlead, name), options="--target cpu")(a, b)
    expected = narrow.encode(name, narrow.decode(name).astype(np.float32) * np.float32(0.75))
    np.testing.assert_array_equal(narrow.decode(name)[b], narrow.decode(name)[expected])


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    x = torch.linspace(-500, 500, 999)
    a = x.clamp(-448, 448).to(torch.float8_e4m3fn)
    out = torch.zeros(999)

    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        if i < out.shape[0]:
            out[i] = a[i]

    @cute.jit
    def widen(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=1024)

    n = cute.sym_int()
    kinds = fairlead.Float8E4M3FN, Float32
    fakes = [cute.runtime.make_fake_compact_tensor(kind, (n,)) for kind in kinds]
    cute.compile(widen, *fakes, options="--target cpu")(a, out)
    assert torch.equal(out, a.to(torch.float32))


@cute.kernel
def _rounded(dtype: fairlead.Constexpr, x: cute.Tensor, out: cute.Tensor):
    thread = cute.arch.thread_idx()[0]
    out[thread] = dtype(x[thread])


@cute.jit
def _round(dtype: fairlead.Constexpr, x: cute.Tensor, out: cute.Tensor):
    _rounded(dtype, x, out).launch(grid=1, block=32)


@pytest.mark.parametrize("name, pair", [("Float8E4M3FN", "e4m3x2"), ("Float8E5M2", "e5m2x2")])
def test_gpus_with_an_instruction_round_by_it(name, pair):
    dtype = getattr(fairlead, name)
    x, out = (cute.make_fake_compact_tensor(kind, (32,)) for kind in (Float32, dtype))
    for arch, count in (("sm_80", 0), ("sm_90", 1)):
        text = cute.compile(_round, dtype, x, out, options=f"--target cuda:{arch}").__ptx__
        assert text.count(f"cvt.rn.satfinite.{pair}.f32") == count, arch
