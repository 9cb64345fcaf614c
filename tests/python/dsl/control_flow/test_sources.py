"""Functions of every origin: lambdas, exec, cells, nested and decorated ones; marks on the layouts of tensors."""

import __future__

import linecache

import numpy as np
import pytest
from support.dsl_support import run_map, vector

import fairlead
from fairlead import Float32, Int32, cute

CPU = "--target cpu"
INPUT = np.arange(-5, 6, dtype=np.int32)


def traced(function):
    """``function`` of each element of INPUT, decorated so that its control flow is rewritten."""
    return run_map(cute.jit(function), np.int32, INPUT).tolist()


def test_lambdas():
    offset = 100
    functions = [
        lambda x: x + offset if x > 0 else -x,
        (lambda x: (
            x * 2 if x > 2 and x < 5 else 0
        )),
        lambda x: min(x, 3) if not x == 4 else 7,
    ]  # fmt: skip
    for function in functions:
        assert traced(function) == [function(int(x)) for x in INPUT]


def test_lambdas_of_one_line_are_told_apart():
    first, second = (lambda x: x if x > 0 else 0), (lambda x: 1 if x > 0 else x)
    assert traced(first) == [first(int(x)) for x in INPUT]
    assert traced(second) == [second(int(x)) for x in INPUT]


def test_code_of_exec_with_lines_in_linecache():
    text = "def clamp(x):\n    if x > 2:\n        x = 2\n    return x\n"
    name = "<cell 1>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {}
    exec(compile(text, name, "exec"), scope)
    assert traced(scope["clamp"]) == [min(int(x), 2) for x in INPUT]
    del linecache.cache[name]


def test_code_without_lines_says_so():
    scope = {}
    exec("def clamp(x):\n    return x\n", scope)
    with pytest.raises(RuntimeError, match="clamp"):
        traced(scope["clamp"])


def test_static_and_class_methods_and_decorators():
    def doubled(function):
        return cute.jit(function)

    class Helpers:
        factor = 3

        @staticmethod
        @cute.jit
        def positive(x):
            if x < 0:
                x = 0 - x
            return x

        @classmethod
        def scale(cls, x):
            return x * cls.factor

    @doubled
    def both(x):
        return Helpers.scale(Helpers.positive(x))

    assert run_map(both, np.int32, INPUT).tolist() == [abs(int(x)) * 3 for x in INPUT]


RULES = {
    "pass in a branch": lambda x: rule_pass(x),
    "augmented assignment": lambda x: rule_augmented(x),
    "chained comparison": lambda x: 1 if -2 < x <= 3 else 0,
    "not of a comparison": lambda x: 1 if not (x > 1 or x == -4) else 2,
    "ternary in a ternary": lambda x: 1 if x > 3 else (2 if x > 0 else 3),
    "min and max": lambda x: max(min(x, 3), -2),
    "any and all": lambda x: 1 if any([x == 1, x == 2]) and all([x > 0, x < 9]) else 0,
}


def rule_pass(x):
    if x > 2:
        pass
    else:
        x = x - 100
    return x


def rule_augmented(x):
    total = 0
    while x > 0:
        total += x
        x -= 1
    total *= 2
    return total


@pytest.mark.parametrize("rule", RULES)
def test_rules_against_python(rule):
    function = {"pass in a branch": rule_pass, "augmented assignment": rule_augmented}.get(
        rule, RULES[rule]
    )
    values = np.random.default_rng(7).integers(-9, 10, 200, dtype=np.int32)
    got = run_map(cute.jit(function), np.int32, values)
    assert got.tolist() == [int(function(int(x))) for x in values]


def test_names_of_a_region_are_not_seen_after_it():
    def hidden(x):
        if x > 0:
            inner = x
        return inner

    with pytest.raises(NameError, match="inner"):
        traced(hidden)


def test_append_in_a_branch_is_refused():
    def collect(x):
        seen = []
        if x > 0:
            seen.append(1)
        return x + len(seen)

    with pytest.raises(TypeError, match="`seen` cannot change .*from 0 to 1 items"):
        traced(collect)


# --- mark_compact_shape_dynamic.


@cute.jit
def total(a: cute.Tensor, out: cute.Tensor):
    value = Float32(0.0)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            value = value + a[i, j]
    out[0] = value


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("mode", [0, 1, -1])
@pytest.mark.parametrize("given", [False, True])
def test_compact_and_dynamic(order, mode, given):
    example = np.zeros((4, 8), np.float32, order=order)
    tensor = cute.from_dlpack(example).mark_compact_shape_dynamic(
        mode, ((0, 1) if order == "C" else (1, 0)) if given else None, divisibility=2
    )
    compiled = cute.compile(total, tensor, vector(Float32), options=CPU)
    shape = [4, 8]
    shape[mode] = 6
    out = np.zeros(1, np.float32)
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    compiled(np.asarray(values, order=order), out)
    assert out[0] == values.sum()
    shape[mode] = 5
    with pytest.raises(ValueError, match="expected to be divisible by 2, but got 5"):
        compiled(np.zeros(shape, np.float32, order=order), out)
    with pytest.raises(ValueError, match="strides"):
        compiled(np.zeros((4, 8), np.float32, order="F" if order == "C" else "C"), out)


def test_both_modes_dynamic():
    tensor = cute.from_dlpack(np.zeros((4, 8), np.float32))
    tensor.mark_compact_shape_dynamic(0).mark_compact_shape_dynamic(1)
    compiled = cute.compile(total, tensor, vector(Float32), options=CPU)
    out = np.zeros(1, np.float32)
    compiled(np.ones((3, 5), np.float32), out)
    assert out[0] == 15
    with pytest.raises(ValueError, match=r"a.strides\[0\]"):
        compiled(np.ones((3, 6), np.float32)[:, :5], out)


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (
            lambda t: t.mark_compact_shape_dynamic(30),
            r"Expected mode value to be in range \[0, 2\), but got 30",
        ),
        (
            lambda t: t.mark_compact_shape_dynamic(0, (0, 0)),
            "Expected stride_order to contain all the dimensions of the tensor, but it doesn't contain 1.",
        ),
        (
            lambda t: t.mark_compact_shape_dynamic(0, (0, 1, 2)),
            "Expected stride_order to have 2 elements, but got 3.",
        ),
        (
            lambda t: t.mark_compact_shape_dynamic(0, (1, 0)),
            "The stride_order is not consistent with the layout",
        ),
        (
            lambda t: t.mark_compact_shape_dynamic(0, (0, 1)).mark_compact_shape_dynamic(1, (1, 0)),
            "The stride_order is not consistent with the last stride_order",
        ),
        (lambda t: t.mark_compact_shape_dynamic(0, divisibility=0), "divisibility"),
        (
            lambda t: t.mark_compact_shape_dynamic(0, divisibility=3),
            r"The shape\(4\) of mode\(0\) is not divisible by the divisibility\(3\)",
        ),
    ],
)
def test_wrong_marks(mark, message):
    with pytest.raises(ValueError, match=message):
        mark(cute.from_dlpack(np.zeros((4, 8), np.float32)))
    with pytest.raises(ValueError, match="needs a compact tensor"):
        cute.from_dlpack(np.zeros((4, 8), np.float32)[:, :4]).mark_compact_shape_dynamic(0)


def test_several_orders_are_possible():
    strides = np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (2, 2), (4, 4))
    with pytest.raises(ValueError, match="The layout could not be deduced, please specify the"):
        cute.from_dlpack(strides).mark_compact_shape_dynamic(0)


def test_strides_of_32_bits_have_to_do():
    far = np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (2, 2), (2**33, 4))
    with pytest.raises(
        ValueError, match="int32 overflow risk. Please set use_32bit_stride to False"
    ):
        cute.from_dlpack(far, use_32bit_stride=True)
    assert cute.from_dlpack(far).stride == (2**31, 1)


def test_the_published_examples_of_compact_layouts():
    example = np.zeros(8 * 4 * 16 * 2, np.float32)
    tensor = np.lib.stride_tricks.as_strided(
        example, (8, 4, 16, 2), tuple(4 * stride for stride in (2, 16, 64, 1))
    )

    def marked(*modes):
        made = cute.from_dlpack(tensor)
        for mode in modes:
            made.mark_compact_shape_dynamic(mode, divisibility=2)
        return repr(made).split(" o ")[1].rstrip(">").replace(" ", "")

    assert marked(0) == "(?{div=2},4,16,2):(2,?{div=4},?{div=16},1)"
    assert marked(1) == "(8,?{div=2},16,2):(2,16,?{div=32},1)"
    assert marked(1, 3) == "(8,?{div=2},16,?{div=2}):(?{div=2},?{div=16},?{div=32},1)"
    assert cute.from_dlpack(tensor).dim_order() == (2, 1, 0, 3)


def test_types_and_values_of_carried_numbers():
    def changes(x):
        n = 10
        if x > 0:
            n = 10.0
        return x + n

    with pytest.raises(TypeError, match="`n` must keep .*it was Int32 before and is float"):
        traced(changes)
    assert fairlead.const_expr(3) == 3 and Int32(3).is_static


def edited(path, text):
    """The function `f` of a module with this text."""
    path.write_text(text)
    names: dict = {}
    exec(compile(text, str(path), "exec"), names)
    return names["f"]


def test_a_module_that_is_edited_and_loaded_again(tmp_path):
    """The source of the function counts, not an earlier text of the file."""
    text = "from fairlead import cute\n@cute.jit\ndef f(a: cute.Tensor):\n    a[0] = {}\n"
    numbers = np.zeros(1, np.int32)
    first = edited(tmp_path / "edited.py", text.format(1))
    first(numbers)
    assert numbers[0] == 1
    second = edited(tmp_path / "edited.py", text.format(2))
    second(numbers)
    assert numbers[0] == 2


def test_a_file_that_is_compiled_with_annotations_of_future(tmp_path):
    """Code generators begin with that import, and their compile() passes it on."""
    path = tmp_path / "generated.py"
    path.write_text("def f(a):\n    a[0] = 3\n")
    names: dict = {}
    flags = __future__.annotations.compiler_flag
    exec(compile(path.read_text(), str(path), "exec", flags), names)
    numbers = np.zeros(1, np.int32)
    cute.jit(names["f"])(numbers)
    assert numbers[0] == 3


def test_a_module_that_is_edited_and_not_loaded_again(tmp_path):
    text = "from fairlead import cute\n@cute.jit\ndef f(a: cute.Tensor):\n    a[0] = {}\n"
    function = edited(tmp_path / "edited.py", text.format(1))
    (tmp_path / "edited.py").write_text(text.format(2))
    with pytest.raises(fairlead.DSLError, match="has changed in .*edited.py .* reload the module"):
        function(np.zeros(1, np.int32))
