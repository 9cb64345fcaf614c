"""Modules and names of the peer's package that published libraries import: run in its own process."""

import dataclasses
import importlib.util

import pytest

import fairlead.compat

assert fairlead.compat
torch = pytest.importorskip("torch")


def test_other_names_of_modules():
    import cutlass.experimental.cuda.tensor_map as tensor_map
    import cutlass.primitives as primitives
    from cutlass._mlir.dialects import nvvm
    from cutlass.experimental.primitives import nvvm_wrapper

    assert primitives.barrier_cta_sync is nvvm_wrapper.barrier_cta_sync
    assert nvvm.BlockScaleFormat is primitives.BlockScaleFormat and nvvm.MMABlockScaleKind
    assert tensor_map.get_dsl_type_to_tensormap_type(cutlass_type("BFloat16")).name == "bfloat16"
    with pytest.raises(ValueError, match=r"expected one of .* as dtype, but got Float4E2M1FN"):
        tensor_map.get_dsl_type_to_tensormap_type(cutlass_type("Float4E2M1FN"))
    types = tensor_map.TensorMapDataType
    for name in ("bfloat16", "uint64", "tfloat32"):
        dtype = tensor_map.get_tensormap_type_to_dsl_type(types[name])
        assert tensor_map.get_dsl_type_to_tensormap_type(dtype) is types[name]
    with pytest.raises(ValueError, match="other than f416u6_align16b as tensormap_type"):
        tensor_map.get_tensormap_type_to_dsl_type(types.f416u6_align16b)


def cutlass_type(name):
    import cutlass

    return getattr(cutlass, name)


def test_classes_of_pipelines_with_fields_of_their_own():
    from cutlass.pipeline import PipelineAsync

    @dataclasses.dataclass(frozen=True)
    class Own(PipelineAsync):
        is_leader_cta: bool

    assert Own("full", "empty", 2, None, None, True).is_leader_cta


def test_decoding_pairs_of_four_bits():
    from cutlass.utils.gemm.tensor_utils import decode_float4e2m1fn

    packed = torch.tensor([[[0x21], [0xF7], [0], [0]]], dtype=torch.uint8)
    assert decode_float4e2m1fn(packed).flatten().tolist() == [0.5, 1.0, 6.0, -6.0]


def test_pictures_of_threads_and_values(capsys):
    from cutlass.cute.viz import print_latex_tv

    from fairlead import cute

    print_latex_tv(cute.make_layout((4, 2), stride=(1, 4)), (4, 2), title="a_tile")
    text = capsys.readouterr().out
    assert r"at (3,1) {T3\\V1}" in text and r"{a\_tile}" in text and text.count("draw") == 8


def test_where_modules_of_cuda_are_looked_for():
    from fairlead.compat import _cpu_bindings

    modules = _cpu_bindings.bindings()
    assert {module.__spec__.name for module in modules.values()} <= set(modules)
    assert importlib.util.find_spec("cutlass.cute.viz") is not None
    compiler = modules["cuda.bindings.nvrtc"]
    assert compiler.nvrtcGetErrorString(compiler.nvrtcResult(6))[1] == b"NVRTC_ERROR_COMPILATION"


def test_annotations_of_schedules():
    from cutlass.experimental.task_scheduling import schedule_builder

    @schedule_builder.schedule
    def empty():
        with schedule_builder.domain_loop(3):
            pass

    assert isinstance(empty(), schedule_builder.Schedule)


def test_hints_and_operations_of_later_gpus():
    import cutlass
    from cutlass.cute.nvgpu import CacheEvictionPriority, common, tcgen05

    assert common.CacheEvictionPriority.NO_ALLOCATE is CacheEvictionPriority.NO_ALLOCATE
    assert tcgen05.copy.Ld32x32bOp is tcgen05.Ld32x32bOp
    product = tcgen05.MmaF16BF16Op(
        cutlass.Float16, cutlass.Float32, (128, 64, 16), tcgen05.CtaGroup.ONE,
        tcgen05.OperandSource.SMEM, tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K,
    )  # fmt: skip
    assert isinstance(product, tcgen05.mma.MmaOp)
    assert not isinstance(product, tcgen05.mma.BlockScaledMmaOp)
    assert issubclass(tcgen05.MmaMXF4Op, tcgen05.mma.BlockScaledMmaOp)
    assert not isinstance(tcgen05.Ld32x32bOp(), tcgen05.mma.MmaOp)


def test_properties_of_copies_of_tensor_memory():
    import cutlass
    from cutlass import cute
    from cutlass.cute.nvgpu import tcgen05
    from cutlass.utils import blackwell_helpers

    atom = cute.make_copy_atom(
        tcgen05.Ld16x256bOp(tcgen05.Repetition.x4, tcgen05.Pack.PACK_16b_IN_32b), cutlass.Float16
    )
    properties = blackwell_helpers.get_tmem_copy_properties(atom)
    assert properties == (16, 256, 4, tcgen05.Pack.PACK_16b_IN_32b)
    with pytest.raises(TypeError, match="expected an atom of a copy of tensor memory"):
        plain = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32)
        blackwell_helpers.get_tmem_copy_properties(plain)


def test_adapters_by_class():
    from cutlass.base_dsl.runtime.jit_arg_adapters import JitArgAdapterRegistry

    class View:
        pass

    assert View not in JitArgAdapterRegistry.jit_arg_adapter_registry
    JitArgAdapterRegistry.register_jit_arg_adapter(View)(dict)
    assert JitArgAdapterRegistry.jit_arg_adapter_registry[View] is dict


def test_tasks_that_change_how_they_are_run():
    from cutlass.experimental.task_scheduling import schedule_builder
    from cutlass.experimental.task_scheduling.task import Task

    @schedule_builder.schedule
    def empty():
        pass

    class Own(Task):
        pass

    assert Own([], [], 0, 1, schedule=empty()).num_warps == 1

    class Changed(Task):
        def _run_task_body_impl(self, work_tile, skip_work_tile=None):
            pass

    with pytest.raises(NotImplementedError, match=r"Changed\._run_task_body_impl: Fairlead runs"):
        Changed([], [], 0, 1, schedule=empty())


def test_products_that_primitives_do_not_have():
    from cutlass.experimental import primitives

    row, column = primitives.MMALayout.ROW, primitives.MMALayout.COL
    with pytest.raises(ValueError, match=r"mma_sync: expected MMALayout\.ROW as layout_a, but got"):
        primitives.mma_sync(None, (16, 8, 16), column, column, [], [], [])
    with pytest.raises(ValueError, match=r"MMAType\.BF16 or .* as multiplicand_a_ptx_type"):
        primitives.mma_sync(None, (16, 8, 16), row, column, [], [], [])
