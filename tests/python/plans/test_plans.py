"""fairlead.plans: functions that choose what runs once for each kind of call."""

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

from fairlead import cute, plans

torch = pytest.importorskip("torch")
import fairlead.torch  # noqa: E402


@cute.jit
def _add(x: cute.Tensor, y: cute.Tensor, out: cute.Tensor):
    for i in range(cute.size(out)):
        out[i] = x[i] + y[i]


def compiled_add():
    fakes = [
        cute.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),), assumed_align=4)
        for _ in range(3)
    ]
    return cute.compile[cute.TargetOption("cpu")](_add, *fakes)


@pytest.fixture(scope="module")
def add():
    """A compiled function: out = x + y, for vectors of float32 on the CPU."""
    return compiled_add()


def planned_sum(add, **options):
    """A planned function, and the arguments of each call that was planned."""
    chosen = []

    @plans.planned(**options)
    def total(x, y=None, *, scale=1.0, name="", out=None):
        chosen.append((x, y, scale, name, out))
        if x.dtype != torch.float32:
            raise TypeError(f"x: expected float32, got {x.dtype}")
        result = out
        if out is None:
            result = plans.New(torch.empty, tuple(x.shape), dtype=x.dtype, device=x.device)
        flat = (x.numel(),)
        views = [plans.View(each, flat) for each in (x, x if y is None else y, result)]
        return plans.Plan(add, views, result)

    return total, chosen


def counts(function):
    return tuple(function.info())[:3]


def test_second_call_runs_no_python(add):
    total, chosen = planned_sum(add)
    x, y = torch.randn(5), torch.randn(5)
    for _ in range(3):
        assert torch.equal(total(x, y), x + y)
    assert len(chosen) == 1 and counts(total) == (2, 1, 1)


def test_results_are_new_tensors(add):
    total, _ = planned_sum(add)
    x = torch.randn(3, 4)
    results = [total(x) for _ in range(4)]
    assert len({result.data_ptr() for result in results}) == 4
    for result in results:
        assert type(result) is torch.Tensor and result.dtype is torch.float32
        assert result.shape == (3, 4) and result.is_contiguous() and not result.requires_grad
        assert torch.equal(result, x + x)
    results[0].resize_(100)  # memory of torch's own allocator
    assert results[0].shape == (100,)


def test_results_may_be_views_of_new_shapes(add):
    total, _ = planned_sum(add)
    for shape in ((), (1,), (2, 1, 3), (7,)):
        for _ in range(2):
            x = torch.randn(shape)
            assert torch.equal(total(x), x + x)


def test_out_is_returned(add):
    total, _ = planned_sum(add)
    x, out = torch.randn(6), torch.empty(6)
    for _ in range(3):
        out.zero_()
        assert total(x, out=out) is out and torch.equal(out, x + x)


MISSES = {
    "shape": lambda x: (x(9), {}),
    "rank": lambda x: (x(8).view(2, 4), {}),
    "strides": lambda x: (x(8).view(8, 1).expand(8, 1).as_strided((8, 1), (1, 5)), {}),
    "alignment": lambda x: (x(9)[1:], {}),
    "class": lambda x: (torch.nn.Parameter(x(8), requires_grad=False), {}),
    "a number": lambda x: (x(8), {"scale": 2.0}),
    "the type of a number": lambda x: (x(8), {"scale": 1}),
    "a boolean": lambda x: (x(8), {"scale": True}),
    "the sign of zero": lambda x: (x(8), {"scale": -0.0}),
    "a string": lambda x: (x(8), {"name": "b"}),
    "None": lambda x: (x(8), {"name": None}),
    "a dtype": lambda x: (x(8), {"name": torch.float16}),
    "out": lambda x: (x(8), {"out": x(8)}),
}


@pytest.mark.parametrize("what", MISSES)
def test_each_part_of_the_key_is_a_miss(add, what):
    total, _ = planned_sum(add)
    total(torch.randn(8))
    total(torch.randn(8), scale=0.0)
    before = counts(total)
    assert before == (0, 2, 2)
    x, options = MISSES[what](torch.randn)
    for _ in range(2):
        assert torch.equal(total(x, **options), x + x)
    assert counts(total) == (1, 3, 3)


def test_element_type_is_part_of_the_key(add):
    total, _ = planned_sum(add)
    total(torch.randn(8))
    for _ in range(2):
        with pytest.raises(TypeError, match="expected float32, got torch.float64"):
            total(torch.randn(8).double())
    assert counts(total) == (0, 3, 1)  # errors are not remembered


def test_one_object_twice_is_another_kind_of_call(add):
    total, _ = planned_sum(add)
    x, y = torch.randn(4), torch.randn(4)
    assert torch.equal(total(x, x), x + x)
    assert torch.equal(total(x, y), x + y)
    assert torch.equal(total(y, y), y + y)
    assert torch.equal(total(y, x, out=x.clone()), x + y)
    assert counts(total) == (1, 3, 3)


def test_alignment_option(add):
    x = torch.randn(100)
    total, _ = planned_sum(add, alignment=4)
    total(x[:8]), total(x[1:9]), total(x[4:12])
    assert counts(total) == (2, 1, 1)
    total, _ = planned_sum(add, alignment=16)
    total(x[:8]), total(x[1:9]), total(x[2:10]), total(x[3:11]), total(x[4:12])
    assert counts(total) == (2, 3, 3)  # multiples of 16, 4 and 8


def test_positional_and_keyword_arguments_have_one_key(add):
    total, _ = planned_sum(add)
    x, y = torch.randn(4), torch.randn(4)
    for _ in range(2):
        assert torch.equal(total(x, y), x + y)
        assert torch.equal(total(y=y, x=x), x + y)
        assert torch.equal(total(x, y=y, scale=1.0), x + y)
    assert counts(total) == (5, 1, 1)


def test_wrong_arguments_are_errors_of_the_function(add):
    total, _ = planned_sum(add)
    with pytest.raises(TypeError, match=r"total\(\) missing 1 required positional argument: 'x'"):
        total()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        total(torch.randn(4), z=1)
    assert total.info().plans == 0


def test_errors_are_those_of_a_direct_call(add):
    @plans.planned
    def total(x, y, out):
        return plans.Plan(add, [x, y, out], out)

    strided, x = torch.randn(8)[::2], torch.randn(4)
    with pytest.raises(ValueError) as direct:
        add(x, strided, x)
    for _ in range(2):
        with pytest.raises(ValueError) as planned:
            total(x, strided, x)
        assert str(planned.value) == str(direct.value)
    assert counts(total) == (0, 2, 0)


def test_autograd_is_respected(add):
    total, _ = planned_sum(add)
    x = torch.randn(4)
    total(x)
    leaf = torch.randn(4, requires_grad=True)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="requires grad"):
            total(leaf)
    with torch.no_grad():
        assert torch.equal(total(leaf), leaf + leaf)
    assert torch.equal(total(leaf.detach()), leaf.detach() * 2)


def test_writes_are_seen_by_autograd():
    add = compiled_add()
    fairlead.torch.writes(add, "out")
    total, _ = planned_sum(add)
    x, out = torch.randn(4), torch.ones(4)
    total(x, out=out)
    leaf = torch.ones(4, requires_grad=True)
    product = leaf * out  # saves out
    total(x, out=out)
    assert counts(total) == (1, 1, 1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_inference_mode(add):
    total, _ = planned_sum(add)
    x = torch.randn(4)
    total(x)
    with torch.inference_mode():
        result = total(x)
    assert result.is_inference() and total.info().hits == 1


def test_lists_of_tensors(add):
    @plans.planned
    def totals(pairs):
        (x, y), *_ = pairs
        out = plans.New(torch.empty, tuple(x.shape), dtype=x.dtype, device=x.device)
        return plans.Plan(add, [x, y, out], [out])

    x, y = torch.randn(4), torch.randn(4)
    for _ in range(3):
        (result,) = totals([(x, y)])
        assert torch.equal(result, x + y)
    assert type(totals([(x, y)])) is list
    totals(((x, y),))
    totals([(x, y), (x, y)])
    assert counts(totals) == (3, 3, 3)


def test_numpy(add):
    @plans.planned
    def total(x, y, out=None):
        result = plans.New(np.empty, x.shape, x.dtype) if out is None else out
        return plans.Plan(add, [x, y, result], result)

    x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    for _ in range(3):
        assert np.array_equal(total(x, y), x + y)
        out = np.zeros(4, np.float32)
        assert total(x, y, out) is out and np.array_equal(out, x + y)
    assert counts(total) == (4, 2, 2)
    out.flags.writeable = False
    with pytest.raises(BufferError, match="read-only"):
        total(x, y, out)


def test_other_results_and_arguments_are_not_remembered(add):
    @plans.planned
    def copied(x, flag=None):
        if flag is not None:
            return "done"
        out = torch.empty(4)
        return plans.Plan(add, [x, x, out], out)

    x = torch.randn(4)
    for _ in range(2):
        assert torch.equal(copied(x), x + x)  # `out` is no argument of the call
        assert copied(x, 1) == "done"
        assert copied(x, object()) == "done"
    assert counts(copied) == (0, 6, 0)


def test_other_callables_and_constants():
    @plans.planned
    def scaled(x, factor, out=None):
        return plans.Plan(torch.mul, [x, factor])

    x = torch.randn(4)
    for factor in (2, 3, 2, 3):
        assert torch.equal(scaled(x, factor), x * factor)
    assert counts(scaled) == (2, 2, 2)


def test_constants_of_compiled_functions():
    @cute.jit
    def fill(out: cute.Tensor, value: cute.Float32):
        for i in range(cute.size(out)):
            out[i] = value

    fake = cute.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))
    compiled = cute.compile[cute.TargetOption("cpu")](fill, fake, cute.Float32(0))

    @plans.planned
    def full(out, value):
        return plans.Plan(compiled, [out, value], out)

    for value in (1.5, 2.5, 1.5):
        assert torch.equal(full(torch.empty(3), value), torch.full((3,), value))
    assert counts(full) == (1, 2, 2)


def test_forget(add):
    total, chosen = planned_sum(add)
    x = torch.randn(4)
    total(x), total(x)
    total.forget()
    assert total.info().plans == 0
    total(x)
    assert len(chosen) == 2 and total.info().plans == 1


def test_plans_are_bounded(add):
    total, _ = planned_sum(add, limit=8)
    for count in range(1, 40):
        x = torch.randn(count)
        assert torch.equal(total(x), x + x)
        assert total.info().plans <= 8
    assert total.info().limit == 8


def test_plans_keep_no_tensors(add):
    total, chosen = planned_sum(add)
    x, out = torch.randn(4), torch.empty(4)
    total(x), total(x), total(x, out=out), total(x, out=out)
    chosen.clear()
    gone = [weakref.ref(x), weakref.ref(out)]
    del x, out
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


def test_planner_with_a_cycle_is_collected(add):
    total, _ = planned_sum(add)
    total(torch.randn(4))
    total.itself = total
    gone = weakref.ref(total.__wrapped__)
    del total
    gc.collect()
    assert gone() is None


def test_threads(add):
    total, _ = planned_sum(add, limit=4)
    problems = []

    def work(seed):
        generator = torch.Generator().manual_seed(seed)
        for turn in range(300):
            x = torch.randn(1 + (turn * 7 + seed) % 9, generator=generator)
            if not torch.equal(total(x), x + x):
                problems.append((seed, turn))
            if turn % 50 == 0:
                total.forget()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hits, misses, count, _ = total.info()
    assert not problems and hits + misses == 1800 and hits > 0 and count <= 4


def test_plan_made_before_forget_is_not_remembered(add):
    x = torch.randn(4)

    @plans.planned
    def total(x):
        total.forget()
        return plans.Plan(torch.add, [x, x])

    total(x)
    assert total.info().plans == 0


def test_view_of_another_order(add):
    @plans.planned
    def total(x):
        out = plans.New(torch.empty, (6,), dtype=x.dtype, device=x.device)
        return plans.Plan(add, [plans.View(x, (6,)), plans.View(x, (6,)), out], out)

    total(torch.randn(2, 3))
    for _ in range(2):
        with pytest.raises(ValueError, match="View: expected a row-major tensor"):
            total(torch.randn(3, 2).T)
    assert total.info().plans == 1


def test_new_values_that_are_no_tensors(add):
    calls = []

    @plans.planned
    def total(x):
        return plans.Plan(add, [x, x, plans.New(lambda: calls.append(x) or answers.pop())])

    x, answers = torch.randn(4), [3, torch.empty(4)]
    total(x)
    with pytest.raises(TypeError, match="New: expected a tensor, but got int"):
        total(x)
    assert len(calls) == 2


@plans.planned
def module_level(x):
    return plans.Plan(torch.neg, [x])


def test_pickled_by_name():
    assert pickle.loads(pickle.dumps(module_level)) is module_level
    assert copy.deepcopy(module_level) is module_level


def test_names_and_signature(add):
    total, _ = planned_sum(add)
    import inspect

    assert total.__name__ == "total" and "out=None" in str(inspect.signature(total))
    assert "total" in repr(total)


def test_most_parameters():
    names = [f"x{i}" for i in range(21)]

    def made(count):
        scope = {"Plan": plans.Plan}
        body = f"    return Plan(lambda *xs: sum(xs), [{', '.join(names[:count])}])\n"
        exec(f"def add({', '.join(names[:count])}):\n{body}", scope)
        return plans.planned(scope["add"])

    add = made(20)
    for _ in range(2):
        assert add(*range(20)) == 190
    assert add(*range(19), x19=19) == 190 and add.info().hits >= 1
    with pytest.raises(
        TypeError, match="a function of at most 20 parameters, .* has 21 parameters"
    ):
        made(21)


def test_wrong_functions_and_options():
    with pytest.raises(TypeError, match=r"none of them variadic, but .* has the parameter \*xs"):
        plans.planned(lambda *xs: None)
    with pytest.raises(ValueError, match="alignment: expected a power of two, but got 12"):
        plans.planned(alignment=12)
    with pytest.raises(ValueError, match="limit: expected at least 1, but got 0"):
        plans.planned(limit=0)


def test_types_are_generic_when_programs_run():
    """Annotations that are evaluated name parameters and results: `Planned[[int], str]`."""
    from fairlead.cute._jit import JitFunction
    from fairlead.cute._kernels import KernelFunction

    assert plans.Planned[[int], str].__args__ == ((int,), str)
    assert JitFunction[[int], str].__args__ == ((int,), str)
    assert KernelFunction[[int]].__args__ == ((int,),)


def test_written_memory(add):
    """Columns of the same rows share no bytes; the argument itself may be written if the planner says so."""
    total, chosen = planned_sum(add, written="out", in_place=("x",))
    memory = torch.arange(48.0)
    x, y = memory[:16], memory[16:32]
    for _ in range(2):
        assert total(x.clone(), y, out=memory[32:]) is not None
    assert torch.equal(memory[32:], x + y)
    before = memory.clone()
    for out, other in ((y, "y"), (memory[24:40], "y"), (memory[8:24], "x")):
        for _ in range(2):
            with pytest.raises(ValueError, match=f"^out: .* shares bytes with {other}"):
                total(x, y, out=out)
    assert torch.equal(memory, before)
    with pytest.raises(ValueError, match="^out: expected x itself, or memory"):
        total(x[1:], y[1:], out=x[:-1])
    total(x, y, out=x)
    assert torch.equal(x, before[:16] + y)
    empty = memory[:0]
    total(empty, empty, out=empty)


@pytest.mark.parametrize(
    "options, name", [({"written": "z"}, "written"), ({"in_place": ["z"]}, "in_place")]
)
def test_written_parameters_exist(options, name):
    with pytest.raises(
        ValueError, match=f"^{name}: expected a parameter of the function, but got 'z'"
    ):
        plans.planned(**options)(lambda x, out=None: x)


def of_memory(*layouts):
    """Views of 128 numbers, each of (shape, strides, begin)."""
    memory = np.zeros(128, np.float32)
    return [
        np.lib.stride_tricks.as_strided(memory[begin:], shape, [4 * stride for stride in strides])
        for shape, strides, begin in layouts
    ]


@pytest.mark.parametrize("seed", range(40))
def test_no_shared_byte_is_missed(seed):
    """Random views: an error wherever two share an element, and none for columns of the same rows."""
    random = np.random.default_rng(seed)
    ran = []

    @plans.planned(written="out")
    def run(x, out):
        return ran.append(1)

    for _ in range(50):
        rank = random.integers(1, 4)
        layouts = []
        for _ in range(2):
            shape = random.integers(1, 4, rank)
            strides = random.choice([1, 2, 3, 4, 8, 12], rank)
            most = 128 - int(((shape - 1) * strides).sum())
            layouts.append((shape, strides, int(random.integers(0, min(most, 40)))))
        x, out = of_memory(*layouts)
        x[...], count = 1, len(ran)
        shares = bool((out == 1).any())
        try:
            run(x, out)
        except ValueError as error:
            assert "shares bytes with x" in str(error) and len(ran) == count
        else:
            assert not shares, layouts
    x, out = of_memory(((4, 5), (16, 1), 0), ((4, 5), (16, 1), 8))
    run(x, out)
    run(x[::-1], out[:, ::-1])
    heads, others = of_memory(((2, 2, 3), (32, 8, 1), 3), ((2, 2, 3), (32, 8, 1), 0))
    run(heads, others)
