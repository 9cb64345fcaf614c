"""Conversions of floats of 4 to 16 bits, compiled, and the same by tables: for the CPU and the GPU."""

import functools

import numpy as np

import fairlead
from fairlead import Float32, Uint8, Uint16, Uint32, cute

# Exponent bits, fraction bits, bias, the codes that are no numbers.
FORMATS = {
    "Float8E5M2": (5, 2, 15, (0x7C, 0x7D, 0x7E, 0x7F)),
    "Float8E4M3": (4, 3, 7, tuple(range(0x78, 0x80))),
    "Float8E4M3FN": (4, 3, 7, (0x7F,)),
    "Float8E4M3B11FNUZ": (4, 3, 11, ()),
    "Float6E3M2FN": (3, 2, 3, ()),
    "Float6E2M3FN": (2, 3, 1, ()),
    "Float4E2M1FN": (2, 1, 1, ()),
}
NAMES = (*FORMATS, "Float8E8M0FNU")
EIGHT_BITS = [name for name in NAMES if name.startswith("Float8")]
BLOCK = 128


def magnitudes(name):
    """The finite numbers of a format that are not negative, by code."""
    if name == "Float8E8M0FNU":
        return 2.0 ** np.arange(-127, 128)
    exponent_bits, fraction_bits, bias, others = FORMATS[name]
    codes = np.arange((1 << (exponent_bits + fraction_bits)) - len(others))
    exponent, fraction = codes >> fraction_bits, codes & ((1 << fraction_bits) - 1)
    scale = 2.0 ** (np.maximum(exponent, 1) - bias)
    return scale * ((exponent > 0) + fraction / 2.0**fraction_bits)


def decode(name):
    """Return the number of every code, NaN for none."""
    finite = magnitudes(name)
    if name == "Float8E8M0FNU":
        return np.append(finite, np.nan)
    exponent_bits, fraction_bits, _, others = FORMATS[name]
    half = np.full(1 << (exponent_bits + fraction_bits), np.nan)
    half[: len(finite)] = finite
    if name in ("Float8E5M2", "Float8E4M3"):
        half[len(finite)] = np.inf
    table = np.concatenate([half, -half])
    if name == "Float8E4M3B11FNUZ":
        table[len(half)] = np.nan
    return table


def encode(name, numbers):
    """The code of the number nearest to each: ties to even codes, beyond the largest the largest."""
    numbers = np.asarray(numbers, np.float64)
    table = magnitudes(name)
    size = np.minimum(np.abs(numbers), table[-1])
    above = np.clip(np.searchsorted(table, np.nan_to_num(size)), 0, len(table) - 1)
    below = np.maximum(above - 1, 0)
    to_below, to_above = size - table[below], table[above] - size
    if name == "Float8E8M0FNU":
        code = np.where(to_below < to_above, below, above)
        return np.where(np.isnan(numbers) | (numbers < 0), 255, code).astype(np.uint8)
    even = np.where(below % 2 == 0, below, above)
    code = np.where(to_below < to_above, below, np.where(to_above < to_below, above, even))
    sign = 1 << sum(FORMATS[name][:2])
    negative = np.signbit(numbers) & ~((code == 0) & (name == "Float8E4M3B11FNUZ"))
    code = code + sign * negative
    nan = {"Float8E4M3B11FNUZ": 0x80, **dict.fromkeys(EIGHT_BITS[:3], 0x7F)}.get(
        name, len(table) - 1
    )
    return np.where(np.isnan(numbers), nan, code).astype(np.uint8)


def inputs(name, dtype, seed=0):
    """Return every number of the format, the middles between two, their neighbours, and random bits."""
    table = magnitudes(name) if name in NAMES else np.array([0.0, 1.0, 65504.0])
    middle = (table[1:] + table[:-1]) / 2
    points = np.concatenate([table, middle, table[-1] * np.array([1.01, 1.5, 4.0]), [0.0, np.inf]])
    with np.errstate(over="ignore"):
        points = points.astype(dtype)
    near = [points, np.nextafter(points, dtype(np.inf)), np.nextafter(points, dtype(-np.inf))]
    bits = {4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize]
    generator = np.random.default_rng(seed)
    anything = generator.integers(0, np.iinfo(bits).max, 100_000, bits, True).view(dtype)
    scaled = (generator.standard_normal(100_000) * table[-1] / 3).astype(dtype)
    small = (generator.standard_normal(20_000) * (table[1] + table[2])).astype(dtype)
    positive = np.concatenate([*near, anything, scaled, small])
    return np.concatenate([positive, -positive, np.array([np.nan], dtype)])


@cute.kernel
def device_map(function: fairlead.Constexpr, out: cute.Tensor, source: cute.Tensor):
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    i = block * BLOCK + thread
    if i < out.shape[0]:
        out[i] = function(source[i])


@cute.jit
def map_each(function: fairlead.Constexpr, out: cute.Tensor, source: cute.Tensor):
    device_map(function, out, source).launch(grid=cute.ceil_div(out.shape[0], BLOCK), block=BLOCK)


@functools.cache
def _compiled(function, out, source, target):
    n = cute.sym_int()
    fakes = [cute.runtime.make_fake_compact_tensor(dtype, (n,)) for dtype in (out, source)]
    return cute.compile(map_each, function, *fakes, options=target)


def run(function, out, array, on_device=None):
    """``function`` of every element, for the CPU; on a GPU where ``on_device`` moves arrays there and back."""
    result = np.full(len(array), 0xA5, np.uint8).repeat(np.dtype(out).itemsize).view(out)
    classes = {
        np.dtype(kind): getattr(fairlead, name)
        for name, kind in [
            ("Uint8", np.uint8), ("Uint16", np.uint16), ("Uint32", np.uint32), ("Int64", np.int64),
            ("Int32", np.int32), ("Float32", np.float32), ("Float64", np.float64),
            ("Float16", np.float16),
        ]
    }  # fmt: skip
    target = "--target cpu" if on_device is None else ""
    compiled = _compiled(function, classes[result.dtype], classes[array.dtype], target)
    if on_device is None:
        compiled(result, array)
        return result
    moved, source = on_device(result), on_device(array)
    compiled(moved, source)
    return moved.cpu().numpy()


@functools.cache
def to_narrow(name):
    kind = getattr(fairlead, name)
    return lambda x: x.to(kind).bitcast(Uint8)


@functools.cache
def from_narrow(name):
    kind = getattr(fairlead, name)
    return lambda code: code.bitcast(kind).to(Float32)


@functools.cache
def to_16_bits(name):
    kind = getattr(fairlead, name)
    return lambda x: x.to(kind).bitcast(Uint16)


@functools.cache
def from_16_bits(name):
    kind = getattr(fairlead, name)
    return lambda code: code.bitcast(kind).to(Float32)


def to_tfloat32(x):
    return x.to(fairlead.TFloat32).to(Float32).bitcast(Uint32)


@functools.cache
def pairs(name, operation):
    """Return the code of the sum, difference or product of a code in the low and one in the high 8 bits."""
    kind = getattr(fairlead, name)

    def function(both):
        a = both.to(Uint8).bitcast(kind)
        b = (both >> 8).to(Uint8).bitcast(kind)
        result = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b}[operation]()
        return result.bitcast(Uint8)

    return function


def check_to_narrow(name, dtype, on_device=None):
    numbers = inputs(name, dtype)
    got, expected = run(to_narrow(name), np.uint8, numbers, on_device), encode(name, numbers)
    wrong = got != expected
    assert not wrong.any(), [
        (x.hex(), hex(g), hex(e))
        for x, g, e in zip(
            numbers[wrong][:5].tolist(), got[wrong].tolist(), expected[wrong].tolist()
        )
    ]


def check_from_narrow(name, on_device=None):
    table = decode(name).astype(np.float32)
    codes = np.arange(len(table), dtype=np.uint8)
    got = run(from_narrow(name), np.float32, codes, on_device)
    np.testing.assert_array_equal(got, table)
    np.testing.assert_array_equal(
        np.signbit(got[~np.isnan(got)]), np.signbit(table[~np.isnan(table)])
    )


def check_arithmetic(name, operation, on_device=None):
    """All pairs of codes: computed in float32, rounded to the format."""
    table = decode(name).astype(np.float32)
    n = len(table)
    low, high = np.tile(np.arange(n), n), np.repeat(np.arange(n), n)
    both = (low | high << 8).astype(np.uint16)
    with np.errstate(all="ignore"):
        numbers = {
            "+": table[low] + table[high],
            "-": table[low] - table[high],
            "*": table[low] * table[high],
        }[operation]
    expected = encode(name, numbers)
    got = run(pairs(name, operation), np.uint8, both, on_device)
    np.testing.assert_array_equal(decode(name)[got], decode(name)[expected])


def check_16_bits(name, on_device=None):
    codes = np.arange(1 << 16, dtype=np.uint16)
    if name == "Float16":
        table = codes.view(np.float16).astype(np.float32)
    else:
        table = (codes.astype(np.uint32) << 16).view(np.float32)
    got = run(from_16_bits(name), np.float32, codes, on_device)
    np.testing.assert_array_equal(got, table)
    numbers = np.concatenate([inputs("Float8E5M2", np.float32), table])
    # Also halfway between two numbers.
    finite = table[: 0x7C00 if name == "Float16" else 0x7F80].astype(np.float64)
    numbers = np.concatenate([numbers, ((finite[1:] + finite[:-1]) / 2).astype(np.float32)])
    with np.errstate(over="ignore"):
        if name == "Float16":
            expected = numbers.astype(np.float16).view(np.uint16)
        else:
            bits = numbers.view(np.uint32).astype(np.uint64)
            expected = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    got = run(to_16_bits(name), np.uint16, numbers, on_device)
    valid = ~np.isnan(numbers)
    np.testing.assert_array_equal(got[valid], expected[valid])
    exponent = 0x7C00 if name == "Float16" else 0x7F80
    assert ((got[~valid] & 0x7FFF) > exponent).all()


def check_tfloat32(on_device=None):
    numbers = inputs("Float8E5M2", np.float32)
    bits = numbers.view(np.uint32).astype(np.uint64)
    expected = ((bits + 0xFFF + (bits >> 13 & 1)) >> 13 << 13).astype(np.uint32)
    special = (bits & 0x7F800000) == 0x7F800000
    expected = np.where(special, numbers.view(np.uint32), expected)
    got = run(to_tfloat32, np.uint32, numbers, on_device)
    valid = ~np.isnan(numbers)
    np.testing.assert_array_equal(got[valid], expected[valid])
