"""Objects, classes and functions of published libraries: passed, taken apart, derived from and annotated."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
import cutlass.pipeline
from cutlass import Float32, Int32, Int64
from cutlass.cutlass_dsl import NumericMeta, dsl_user_op


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


def run(kernel, *arrays, threads=32):
    @cute.jit
    def host(*tensors: cute.Tensor):
        kernel(*tensors).launch(grid=(1, 1, 1), block=(threads, 1, 1))

    fakes = [
        cute.runtime.make_fake_compact_tensor(
            getattr(cutlass, str(array.dtype).capitalize()),
            array.shape,
            stride_order=tuple(reversed(range(array.ndim))),
            assumed_align=16,
        )
        for array in arrays
    ]
    cute.compile(host, *fakes)(*arrays)


def test_states_of_pipelines_without_stages_can_be_advanced():
    @cute.kernel
    def kernel(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        state = cutlass.pipeline.make_pipeline_state(cutlass.pipeline.PipelineUserType.Consumer, 0)
        out[t] = (state.index + t) // state.stages

    out = np.zeros(32, np.int32)
    run(kernel, out)
    np.testing.assert_array_equal(out, np.arange(32))


class Options(NamedTuple):
    factor: Float32
    twice: cutlass.Constexpr[bool] = False
    plain: int = 3


def test_compile_time_fields_are_none_in_calls():
    @cute.jit
    def host(out: cute.Tensor, options: Options):
        if cutlass.const_expr(options.twice):
            out[0] = options.factor * 2
        else:
            out[0] = options.factor

    out = np.zeros(1, np.float32)
    fake = cute.runtime.make_fake_compact_tensor(Float32, (1,))
    compiled = cute.compile(host, fake, Options(Float32(1), True))
    compiled(out, Options(3.0, None))
    assert out[0] == 6
    compiled(out, Options(4.0, True))
    assert out[0] == 8
    with pytest.raises(
        ValueError, match=r"options\[1\].* expected True, for which it was compiled, but got False"
    ):
        compiled(out, Options(4.0, False))
    with pytest.raises(
        ValueError, match=r"options\[2\].* expected 3, for which it was compiled, but got None"
    ):
        compiled(out, Options(4.0, True, None))


@dataclasses.dataclass
class Given(cutlass.base_dsl.typing.JitArgument):
    """Pass arguments as the library's base class does: field by field, without static ones."""

    table: cute.Tensor
    factor: Float32
    name: str = "x"

    def _dynamic(self):
        return {"table": self.table, "factor": self.factor}

    def __c_pointers__(self):
        return [p for each in self._dynamic().values() for p in each.__c_pointers__()]

    def __get_mlir_types__(self):
        types, self._lengths = [], []
        for each in self._dynamic().values():
            found = each.__get_mlir_types__()
            types.extend(found)
            self._lengths.append(len(found))
        return types

    def __new_from_mlir_values__(self, values):
        made = {}
        for (key, each), length in zip(self._dynamic().items(), self._lengths, strict=True):
            made[key] = cutlass.new_from_mlir_values(each, values[:length])
            values = values[length:]
        return Given(**made, name=self.name)


def test_objects_that_hold_tensors_of_the_call():
    @cute.jit
    def host(out: cute.Tensor, given: Given):
        out[0] = given.table[1] * given.factor

    table, out = np.arange(4, dtype=np.float32), np.zeros(1, np.float32)
    made = Given(cute.runtime.from_dlpack(table).mark_layout_dynamic(), Float32(2.5))
    target = cute.runtime.from_dlpack(out)
    cute.compile(host, target, made)(target, made)
    assert out[0] == 2.5


def test_names_of_the_language():
    assert isinstance(Float32, NumericMeta) and not isinstance(Float32(1), NumericMeta)
    assert not isinstance(int, NumericMeta)
    assert cutlass.Float.zero == 0 and cutlass.CUDA_VERSION.major >= 12
    assert cutlass.Layout is cute.Layout and cute.core.ThrMma is cute.ThrMma
    assert (
        cutlass.base_dsl.typing.JitArgument and cutlass.base_dsl.runtime.cuda.load_cubin_module_data
    )
    assert cutlass.cute.tensor.TensorSSA is cute.TensorSSA
    assert cutlass.utils.blackwell_helpers is cutlass.utils.sm100
    assert cutlass.cute.nvgpu.tcgen05.CtaGroup.ONE.value == 1
    add = cute.nvgpu.cpasync.CopyReduceBulkTensorTileS2GOp(cute.ReductionOp.ADD)
    assert add.reduction_kind is cute.nvgpu.cpasync.ReductionKind.ADD
    with pytest.raises(TypeError, match="a ReductionKind for the operation"):
        cute.nvgpu.cpasync.CopyReduceBulkTensorTileS2GOp(cute.ReductionOp.MUL)
    assert issubclass(cutlass.pipeline.PipelineTmaUmma, cutlass.pipeline.PipelineAsync)


class Divisor(cute.FastDivmodDivisor):
    """Keep the divisor twice, as the library does."""

    def __init__(self, divisor, is_power_of_2: bool = None, *, loc=None, ip=None):
        super().__init__(divisor, is_power_of_2=is_power_of_2, loc=loc, ip=ip)
        self.divisor = divisor

    def __extract_mlir_values__(self):
        return [self._divisor] + cutlass.extract_mlir_values(self.divisor)

    def __new_from_mlir_values__(self, values):
        made = object.__new__(Divisor)
        made._divisor = values[0]
        made.divisor = cutlass.new_from_mlir_values(self.divisor, values[1:])
        return made


def test_divisors_divide_numbers_of_32_bits():
    @cute.kernel
    def kernel(out: cute.Tensor, divisor: Divisor):
        t = cute.arch.thread_idx()[0]
        quotient, rest = Int32(0), Int32(0)
        if t > 3:
            quotient, rest = divmod(t, divisor)  # of the type that they had before
        out[t, 0], out[t, 1] = quotient, rest

    @cute.jit
    def host(out: cute.Tensor, n: Int64):
        kernel(out, Divisor(n)).launch(grid=(1, 1, 1), block=(32, 1, 1))

    out = np.zeros((32, 2), np.int32)
    host(out, 7)
    t = np.where(np.arange(32) > 3, np.arange(32), 0)
    np.testing.assert_array_equal(out, np.stack([t // 7, t % 7], 1))


@cute.jit
def countdown(n: cutlass.Constexpr[int], out: cute.Tensor):
    if cutlass.const_expr(n > 0):
        countdown(n - 1, out)
    out[n] = n


def test_a_function_that_calls_itself_while_tracing():
    @cute.jit
    def host(out: cute.Tensor):
        countdown(5, out)

    out = np.zeros(6, np.int32)
    host(out)
    np.testing.assert_array_equal(out, np.arange(6))


class Counter:
    """Notes in itself how it was taken apart, as classes of published programs do."""

    def __init__(self, count, step):
        self.count, self.step = count, step

    def __extract_mlir_values__(self):
        values, self._lengths = [], []
        for each in (self.count, self.step):
            parts = cutlass.extract_mlir_values(each)
            values += parts
            self._lengths.append(len(parts))
        return values

    def __new_from_mlir_values__(self, values):
        parts = []
        for each, length in zip((self.count, self.step), self._lengths, strict=True):
            parts.append(cutlass.new_from_mlir_values(each, values[:length]))
            values = values[length:]
        return Counter(*parts)


def test_objects_that_note_how_they_were_taken_apart():
    @cute.kernel
    def kernel(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        counter = Counter(Int32(0), Int32(2))
        if t > 3:
            for _ in cutlass.range(t):
                counter.count += counter.step
        out[t] = counter.count

    out = np.zeros(32, np.int32)
    run(kernel, out)
    np.testing.assert_array_equal(out, np.where(np.arange(32) > 3, 2 * np.arange(32), 0))


@dataclasses.dataclass(frozen=True)
class OwnPipeline(cutlass.pipeline.PipelineAsync):
    """A pipeline derived as the library derives it: another class for an object that ``create`` made."""

    _elect_one_release: bool = False

    @staticmethod
    def create(*args, elect_one_release=False, **kwargs):
        made = cutlass.pipeline.PipelineAsync.create(*args, **kwargs)
        object.__setattr__(made, "__class__", OwnPipeline)
        object.__setattr__(made, "_elect_one_release", elect_one_release)
        return made

    @dsl_user_op
    def consumer_release(self, state, *, loc=None, ip=None):
        if cutlass.const_expr(self._elect_one_release):
            cute.arch.sync_warp()
            with cute.arch.elect_one():
                cutlass.pipeline.PipelineAsync.consumer_release(self, state, loc=loc, ip=ip)
        else:
            cutlass.pipeline.PipelineAsync.consumer_release(self, state, loc=loc, ip=ip)


@pytest.mark.parametrize("elect", [False, True])
def test_classes_derived_from_pipelines(elect):
    rounds, stages = 5, 2

    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        warp = cute.arch.warp_idx()
        smem = cutlass.utils.SmemAllocator()
        buffer = smem.allocate_tensor(Float32, cute.make_layout((32, stages)))
        group = cutlass.pipeline.CooperativeGroup
        thread = cutlass.pipeline.Agent.Thread
        lanes = OwnPipeline.create(
            num_stages=stages,
            producer_group=group(thread, 32),
            consumer_group=group(thread, 1 if elect else 32),
            barrier_storage=smem.allocate_array(Int64, 2 * stages),
            elect_one_release=elect,
        )
        side = cutlass.pipeline.PipelineUserType
        if warp == 0:
            state = cutlass.pipeline.make_pipeline_state(side.Producer, stages)
            for i in cutlass.range(rounds):
                lanes.producer_acquire(state, loc=None, ip=None)
                buffer[t, state.index] = a[i, t]
                lanes.producer_commit(state)
                state.advance()
        else:
            state = cutlass.pipeline.make_pipeline_state(side.Consumer, stages)
            for i in cutlass.range(rounds):
                lanes.consumer_wait(state)
                out[i, t - 32] = buffer[31 - (t - 32), state.index] + 1
                lanes.consumer_release(state)
                state.advance()

    a = np.random.default_rng(4).standard_normal((rounds, 32)).astype(np.float32)
    out = np.zeros_like(a)
    run(kernel, a, out, threads=64)
    np.testing.assert_array_equal(out, a[:, ::-1] + 1)


def test_tensors_that_require_grad():
    """Published programs keep account of gradients themselves: the function takes such a tensor as another one."""
    torch = pytest.importorskip("torch")

    @cute.jit
    def double(a: cute.Tensor, b: cute.Tensor):
        for i in range(8):
            b[i] = a[i] * 2.0

    fakes = [cute.runtime.make_fake_compact_tensor(Float32, (8,)) for _ in range(2)]
    function = cute.compile(double, *fakes, options="--target cpu")
    a, b = torch.arange(8.0, requires_grad=True), torch.zeros(8)
    function(a, b)
    function(a * 1, b)
    assert torch.equal(b, a.detach() * 2) and not b.requires_grad


def test_dynamic_ranges_by_their_older_name():
    @cute.kernel
    def kernel(a: cute.Tensor):
        for i in cute.range_dynamic(a[7], unroll=2):
            a[i] = i * i

    a = np.array([0, 0, 0, 0, 0, 0, 0, 4], np.int32)
    run(kernel, a, threads=1)
    assert a.tolist() == [0, 1, 4, 9, 0, 0, 0, 4]


def test_annotations_of_called_functions_convert_nothing():
    @cute.jit
    def pointed(pointer: cutlass.Pointer, array: cutlass.Array):
        assert not isinstance(pointer, cutlass.Pointer)
        return cute.make_tensor(pointer + 1, 1)[0] + array.layout.shape[0]

    @cute.kernel
    def kernel(a: cute.Tensor):
        a[0] = pointed(a.iterator, a)

    a = np.array([1, 40], np.int32)
    run(kernel, a, threads=1)
    assert a.tolist() == [42, 40]


def test_pointers_as_annotations_and_classes():
    from cutlass.base_dsl.typing import Pointer
    from cutlass.cutlass_dsl import Pointer as same

    @cute.jit
    def first(pointer: Pointer, out: cute.Tensor):
        out[0] = pointer.load()
        bits = Pointer(pointer, dtype=Int32)
        out[1] = bits[2].to(Float32)
        assert isinstance(pointer, Pointer) and isinstance(pointer, cute.Pointer)
        assert isinstance(bits, Pointer) and not isinstance(out, Pointer)

    @cute.jit
    def host(pointer: Pointer, out: cute.Tensor):
        first(pointer, out)

    x, out = np.full(3, 2, np.float32), np.zeros(2, np.float32)
    pointer = cute.runtime.make_ptr(Float32, x.ctypes.data, cute.AddressSpace.gmem)
    cute.compile(host, pointer, out)(pointer, out)
    assert out.tolist() == [2, 0x40000000] and same is Pointer


def test_warnings_are_printed(capsys):
    from cutlass.base_dsl.dsl import BaseDSL
    from cutlass.cutlass_dsl import CuTeDSL

    BaseDSL.print_warning("tile is small")
    CuTeDSL._get_dsl().print_warning_once("slow path")
    BaseDSL.print_warning_once("slow path")
    assert capsys.readouterr().err == "warning: tile is small\nwarning: slow path\n"
