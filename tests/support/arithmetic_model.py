"""The language's arithmetic as docs/language-numbers.md states it, in NumPy; nothing here asks Fairlead.

Numbers of a type are arrays: integers and Booleans of NumPy's type, floats of all types as float64, which holds each
of them exactly. An operation takes such arrays and the names of their types, and gives the result and its type's name.
"""

import numpy as np

INTEGERS = {
    f"{sign}{bits}": np.dtype(f"{'u' if sign == 'Uint' else ''}int{bits}")
    for sign in ("Int", "Uint")
    for bits in (8, 16, 32, 64)
}
#: bits of precision, exponents of the least normal and of the largest number
FLOATS = {
    "Float16": (11, -14, 15),
    "BFloat16": (8, -126, 127),
    "Float32": (24, -126, 127),
    "Float64": (53, -1022, 1023),
}
TYPES = ["Boolean", *INTEGERS, *FLOATS]
COMPARISONS = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
BINARY = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "min", "max", *COMPARISONS]
UNARY = ["-", "~", "abs", "not", "floor", "ceil", "sqrt", "x**0", "x**1", "x**2", "x**3", "x**5"]


def width(name):
    if name == "Boolean":
        return 1
    return int("".join(c for c in name if c.isdigit()))


def is_float(name):
    return name in FLOATS


def storage(name):
    """NumPy's type for numbers of a type, as this module has them."""
    return np.dtype(bool) if name == "Boolean" else INTEGERS.get(name, np.dtype(np.float64))


def rounded(name, x):
    """Exact numbers (float64 or wider) to the nearest of a float type, ties to even."""
    if name == "Float64" and x.dtype == np.float64:
        return x
    bits, least, most = FLOATS[name]
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(x)
        unit = np.ldexp(x.dtype.type(1), np.maximum(exponent - 1, least) - (bits - 1))
        finite = np.isfinite(x)
        result = np.where(finite, np.rint(np.where(finite, x, 0) / unit) * unit, x)
        largest = np.ldexp(x.dtype.type(2 - 2.0 ** (1 - bits)), most)
        result = np.where(np.abs(result) > largest, np.copysign(np.inf, x), result)
        return np.copysign(result, x).astype(np.float64)


def convert(x, source, target):
    if source == target:
        return x
    if target == "Boolean":
        return x != 0
    if is_float(target):
        return rounded(target, x if is_float(source) else x.astype(np.longdouble))
    dtype = INTEGERS[target]
    if not is_float(source):
        return x.astype(dtype)
    info = np.iinfo(dtype)
    with np.errstate(all="ignore"):
        whole = np.trunc(x)
        low, high = whole < float(info.min), whole >= 2.0 ** (width(target) - (dtype.kind == "i"))
        inside = np.where(low | high | np.isnan(x), 0, whole).astype(dtype)
    return np.where(low, info.min, np.where(high, info.max, inside)).astype(dtype)


def common(a, b):
    """Return the common type of two operands."""
    if a == b:
        return a
    if is_float(a) != is_float(b):
        return a if is_float(a) else b
    if width(a) != width(b):
        return a if width(a) > width(b) else b
    if is_float(a):
        return "Float32"
    return a if a.startswith("Uint") else b


def defined(op, a, b):
    return op not in ("&", "|", "^", "<<", ">>") or not (is_float(a) or is_float(b))


def binary(op, x, a, y, b):
    name = common(a, b)
    if op in COMPARISONS:
        return COMPARISONS[op](convert(x, a, name), convert(y, b, name)), "Boolean"
    if op == "/" and not is_float(name):
        name = "Float32"
    if name == "Boolean" and op not in ("&", "|", "^", "min", "max"):
        name = "Int32"
    x, y = convert(x, a, name), convert(y, b, name)
    with np.errstate(all="ignore"):
        return (of_floats(op, x, y, name) if is_float(name) else of_integers(op, x, y)), name


def of_floats(op, x, y, name):
    if op in ("min", "max"):
        # NaN wins; of two zeros the one with the sign.
        pick = np.where((x < y) | ((x == y) & np.signbit(x)), x, y)
        other = np.where((x < y) | ((x == y) & np.signbit(x)), y, x)
        return np.where(np.isnan(x) | np.isnan(y), np.nan, pick if op == "min" else other)
    if op in ("//", "%"):
        return of_python(op, x, y, name)
    exact = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[op]
    return rounded(name, exact(x, y))


def of_python(op, x, y, name):
    """Return Python's result for its floats, rounded."""
    rest = np.fmod(x, y)
    moved = (rest != 0) & ((y < 0) != (rest < 0))
    if op == "%":
        return rounded(
            name, np.where(rest == 0, np.copysign(0.0, y), np.where(moved, rest + y, rest))
        )
    near = (x - rest) / y - moved
    whole = np.floor(near)
    whole = whole + (near - whole > 0.5)
    whole = np.where(near == 0, np.copysign(0.0, x / y), whole)
    return rounded(name, np.where(y == 0, x / y, whole))


def of_integers(op, x, y):
    dtype = x.dtype
    if op in ("&", "|", "^"):
        return {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}[op](x, y)
    if op in ("min", "max"):
        return np.minimum(x, y) if op == "min" else np.maximum(x, y)
    if op in ("<<", ">>"):
        bits = dtype.itemsize * 8
        count = y.view(f"u{dtype.itemsize}")
        far = count >= bits
        count = np.where(far, 0, count).astype(dtype)
        if op == "<<":
            return np.where(far, 0, np.left_shift(x, count)).astype(dtype)
        sign = np.where(x < 0, np.array(-1).astype(dtype), np.zeros(1, dtype))
        return np.where(far, sign, np.right_shift(x, count))
    if op in ("//", "%"):
        wraps = (
            (y == -1) & (x == np.iinfo(dtype).min) if dtype.kind == "i" else np.zeros(len(x), bool)
        )
        safe = np.where((y == 0) | wraps, 1, y).astype(dtype)
        if op == "//":
            return np.where(y == 0, x, np.where(wraps, x, np.floor_divide(x, safe))).astype(dtype)
        return np.where((y == 0) | wraps, 0, np.remainder(x, safe)).astype(dtype)
    return {"+": np.add, "-": np.subtract, "*": np.multiply}[op](x, y)


def unary_defined(op, a):
    if op == "~":
        return not is_float(a)
    return op != "-" or a != "Boolean"


def unary(op, x, a):
    if op == "not":
        return ~convert(x, a, "Boolean"), "Boolean"
    if op == "~" and a == "Boolean":
        return ~x, a
    name = a if op == "sqrt" or a != "Boolean" else "Int32"
    if op == "sqrt" and not is_float(a):
        name = "Float32"
    x = convert(x, a, name)
    with np.errstate(all="ignore"):
        if op.startswith("x**"):
            return power(x, int(op[3:]), name), name
        if op in ("floor", "ceil"):
            return (x if not is_float(name) else getattr(np, op)(x)), name
        if op == "sqrt":
            return rounded(name, np.sqrt(x)), name
        return {"-": np.negative, "~": np.invert, "abs": np.abs}[op](x), name


def power(x, n, name):
    """By squaring, the lowest bit first; each product is rounded."""
    result = None
    while n:
        if n & 1:
            result = x if result is None else binary("*", result, name, x, name)[0]
        n >>= 1
        if n:
            x = binary("*", x, name, x, name)[0]
    return np.ones_like(x) if result is None else result


def edges(name):
    """Return the ends of types, and numbers around them."""
    if name == "Boolean":
        return np.array([False, True])
    if name in INTEGERS:
        info = np.iinfo(INTEGERS[name])
        some = [
            0,
            1,
            2,
            3,
            5,
            7,
            8,
            15,
            16,
            31,
            32,
            63,
            64,
            100,
            info.max,
            info.max - 1,
            info.max // 2 + 1,
        ]
        some += [-1, -2, -3, -7, -100, info.min, info.min + 1] if info.min else [info.max - 100]
        # Between what floats hold: ties, and next to ties.
        some += [info.max // 2 + info.max // 512 + k for k in (0, 1, 2)] if width(name) > 16 else []
        some += [2**24 + 1, 2**53 + 1, 2**62 + 2**54 + 1] if width(name) == 64 else []
        return np.array(
            sorted({value for value in some if info.min <= value <= info.max}), INTEGERS[name]
        )
    bits, least, most = FLOATS[name]
    ulp = 2.0 ** (1 - bits)
    some = [
        0.0,
        1.0,
        1 + ulp,
        2.0,
        3.0,
        0.1,
        0.5,
        1 / 3,
        7.5,
        100.0,
        127.5,
        255.5,
        300.0,
        32768.0,
        65504.0,
    ]
    some += [
        2.0**least,
        2.0 ** (least - bits + 1),
        2.0**least * (1 - ulp),
        (2 - ulp) * 2.0**most,
        np.inf,
    ]
    some += [2.0**31, 2.0**32, 2.0**63, 2.0**64, 1e-3]
    some = rounded(name, np.array(some, np.float64))
    return np.concatenate([some, -some, [np.nan]])


def randoms(generator, name, n):
    """Half of them anywhere in the type, half of them small."""
    if name == "Boolean":
        return generator.integers(0, 2, n).astype(bool)
    if name in INTEGERS:
        info = np.iinfo(INTEGERS[name])
        wide = generator.integers(info.min, info.max, n, INTEGERS[name], True)
        small = generator.integers(max(info.min, -20), 20, n).astype(INTEGERS[name])
        return np.where(generator.integers(0, 2, n), wide, small).astype(INTEGERS[name])
    bits, least, most = FLOATS[name]
    fraction = generator.standard_normal(n)
    exponent = np.where(generator.integers(0, 2, n), generator.integers(least - bits, most, n), 0)
    with np.errstate(all="ignore"):
        return rounded(name, np.ldexp(fraction, exponent))


def bits(name, x):
    """Return the numbers as in memory, NaN as one number: unsigned integers of 64 bits."""
    if name == "Boolean" or name in INTEGERS:
        unsigned = x.astype(np.uint8) if name == "Boolean" else x.view(f"u{x.dtype.itemsize}")
        return unsigned.astype(np.uint64)
    nan = np.isnan(x)
    with np.errstate(all="ignore"):
        if name == "Float64":
            raw = np.where(nan, 0, x).view(np.uint64)
        elif name == "Float16":
            raw = np.where(nan, 0, x).astype(np.float16).view(np.uint16).astype(np.uint64)
        else:
            raw = np.where(nan, 0, x).astype(np.float32).view(np.uint32).astype(np.uint64)
            raw = raw >> np.uint64(16) if name == "BFloat16" else raw
    return np.where(nan, np.uint64(2**64 - 1), raw)


def with_one_nan(name, raw):
    """Bits that a program gave, NaN as `bits` has it."""
    if not is_float(name):
        return raw
    precision, _, most = FLOATS[name]
    infinity = (2 * most + 1) << (precision - 1)
    magnitude = raw & np.uint64(2 ** (width(name) - 1) - 1)
    return np.where(magnitude > np.uint64(infinity), np.uint64(2**64 - 1), raw)
