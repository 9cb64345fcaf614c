"""Output of published programs, while they are traced and when they run."""

import re
import subprocess
import sys


def lines_of(program, tmp_path):
    """Return the output of a program, addresses as ADDR."""
    path = tmp_path / "program.py"
    path.write_text(program)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return re.sub(r"0x[0-9a-f]+", "ADDR", done.stdout).splitlines()


PROGRAM = """
import fairlead.compat
import numpy as np
import cutlass
import cutlass.cute as cute

def inner(c):
    x, y = c
    return x, y + 1

@cute.kernel
def kernel(a: cute.Tensor):
    row = a[0, None]
    print(row.type)
    print(cute.make_rmem_tensor((3, 4), cutlass.Float32).load())
    print(cute.make_identity_tensor((2, 3)).type)

@cute.jit
def program(a: cute.Tensor, n: cutlass.Int32):
    print(a.type)
    kernel(a).launch(grid=(1, 1, 1), block=(1, 1, 1))
    r = cute.make_rmem_tensor((3, 4), cutlass.Float32)
    print(r, r.type, r.iterator.type, r.iterator.alignment)
    print(r[None, 1])
    print([r.load()], r.load().type, (r.load() > 0.0).type)
    print((n, 4), n, cute.make_layout((n, 8)).type, cute.make_swizzle(3, 4, 3).type)
    print(cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, cute.make_layout((8, 64))).type)
    print(cute.make_composed_layout(inner, (1, 0), cute.make_identity_layout((8, 4))))
    print(cute.pretty_str((1, None, (cute.make_layout(4), n))))

a = cute.runtime.make_fake_tensor(cutlass.Float16, (64, 512), (8192, 1), assumed_align=16)
cute.compile(program, a, 8, options="--target cpu")
print(cute.runtime.from_dlpack(np.zeros((2, 4), np.float32)))
"""


def test_types_and_values(tmp_path):
    assert lines_of(PROGRAM, tmp_path) == [
        '!cute.memref<f16, gmem, align<16>, "(64,512):(8192,1)">',
        '!cute.memref<f16, gmem, align<16>, "(512):(1)">',
        "tensor_value<vector<12xf32> o (3, 4)>",
        '!cute.coord_tensor<"(0,0)", "(2,3):(1@0,1@1)">',
        'tensor<ptr<f32, rmem, align<32>> o (3,4):(1,3)> !cute.memref<f32, rmem, align<32>, "(3,4):(1,3)"> '
        "!cute.ptr<f32, rmem, align<32>> 32",
        "tensor<ptr<f32, rmem> o (3):(1)>",
        "[tensor_value<vector<12xf32> o (3, 4)>] vector<12xf32> vector<12xi1>",
        '(Int32(?), 4) ? !cute.layout<"(?,8):(1,?)"> !cute.swizzle<"S<3,4,3>">',
        '!cute.composed_layout<"S<3,4,3> o 0 o (8,64):(1,8)">',
        "(<function inner at ADDR> o (1, 0) o (8,4):(1@0,1@1))",
        "(1,_,(4:1,?))",
        "Tensor<ADDR@generic o (2,4):(4,1)>",
    ]


ATOMS = """
import fairlead.compat
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import CopyUniversalOp, warp

@cute.jit
def program():
    op = warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))
    print(cute.make_mma_atom(op))
    mma = cute.make_tiled_mma(op, cute.make_layout((2, 2, 1)), permutation_mnk=(32, None, 16))
    print(mma)
    atom = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), cutlass.Float16)
    print(atom)
    print(cute.make_tiled_copy_A(atom, mma).get_slice(0))
    wide = cute.make_copy_atom(CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128)
    print(cute.make_tiled_copy_tv(wide, cute.make_layout((4, 8)), cute.make_layout((1, 8))))

cute.compile(program, options="--target cpu")
"""


TYPES = """
import fairlead.compat
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import CopyUniversalOp, cpasync, warp

@cute.jit
def program(a: cute.Tensor):
    layout = cute.make_layout((16, 64), stride=(64, 1))
    for op in (
        cpasync.CopyBulkTensorTileG2SOp(), cpasync.CopyBulkTensorTileG2SMulticastOp(),
        cpasync.CopyBulkTensorTileS2GOp(), cpasync.CopyReduceBulkTensorTileS2GOp(),
    ):
        atom, _ = cpasync.make_tiled_tma_atom(op, a, layout, (16, 64))
        print(atom._trait.value.type)
    for op, bits in (
        (CopyUniversalOp(), 128), (cpasync.CopyG2SOp(), 128), (warp.LdMatrix8x8x16bOp(False, 4), None),
        (warp.StMatrix8x8x16bOp(True, 2), None),
    ):
        options = {} if bits is None else {"num_bits_per_copy": bits}
        atom = cute.make_copy_atom(op, cutlass.Float16, **options)
        print(atom.type)
    atom = cute.make_copy_atom(CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128)
    tiled = cute.make_tiled_copy_tv(atom, cute.make_layout((4, 8), stride=(8, 1)), cute.make_layout((1, 8)))
    print(tiled.type)
    print(tiled.get_slice(0)._trait.value.type)
    print(hasattr(cute.make_copy_atom(cute.nvgpu.CopyG2ROp(), cutlass.Float16), "type"))

a = cute.runtime.make_fake_tensor(cutlass.Float16, (64, 64), (64, 1), assumed_align=128)
cute.compile(program, a, options="--target cpu")
"""


def test_types_of_atoms(tmp_path):
    """What CuTe DSL 4.8.1 prints, without the boxes and formats of tensor maps."""
    universal = "!cute_nvgpu.atom.universal_copy<f16, 128 b>"
    tiled = f'!cute.tiled_copy<{universal}, layout_copy_tv = <"((8,4),8):((32,1),4)">, tiler_mn = <"[4:1;64:1]">>'
    assert lines_of(TYPES, tmp_path) == [
        "!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 16384>",
        "!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 16384>",
        "!cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = 16384>",
        "!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f16, copy_bits = 16384>",
        universal,
        "!cute_nvgpu.atom.simt_async_copy<f16, cache = always, 128 b>",
        '!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>',
        '!cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 2, t>',
        tiled,
        tiled,
        "False",
    ]


def test_atoms_and_tiled_forms(tmp_path):
    layouts = (
        "  TV Layout A: ((4,8),(2,2,2)):((32,1),(16,8,128))",
        "  TV Layout B: ((4,8),(2,2)):((16,1),(8,64))",
        "  TV Layout C: ((4,8),(2,2)):((32,1),(16,8))",
    )
    got = lines_of(ATOMS, tmp_path)
    assert got[:6] == ["MMA Atom", "  ThrID:       32:1", "  Shape MNK:   (16,8,16)", *layouts]
    assert got[6:15] == [
        "Tiled MMA",
        "  Thr Layout VMNK: (32,2,2,1):(1,32,64,0)",
        "  Permutation MNK: (32:1,_,16:1)",
        "MMA Atom",
        "  ThrID:           32:1",
        "  Shape MNK:       (16,8,16)",
        *(line.replace(": ", ":     ", 1) for line in layouts),
    ]
    assert got[15:20] == [
        "Copy Atom",
        "  ThrID:         32:1",
        "  TV Layout Src: (32,8):(8,1)",
        "  TV Layout Dst: (32,(2,4)):(2,(1,64))",
        "  Value type:    f16",
    ]
    assert got[20:28] == [
        "Tiled Copy",
        "  Tiler MN:        (32:1,16:1)",
        "  TV Layout tiled: ((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0)))",
        "Copy Atom",
        "  ThrID:           32:1",
        "  TV Layout Src:   (32,8):(8,1)",
        "  TV Layout Dst:   (32,(2,4)):(2,(1,64))",
        "  Value type:      f16",
    ]
    assert got[28:] == [
        "Tiled Copy",
        "  Tiler MN:        (4:1,64:1)",
        "  TV Layout tiled: ((4,8),8):((1,32),4)",
        "Copy Atom",
        "  ThrID:           1:0",
        "  TV Layout Src:   (1,8):(0,1)",
        "  TV Layout Dst:   (1,8):(0,1)",
        "  Value type:      f16",
    ]


OPERATIONS = """
import fairlead.compat
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import CopyUniversalOp, MmaUniversalOp, OperandMajorMode, cpasync, warp, warpgroup

@cute.jit
def program():
    op = warp.MmaF16BF16Op(cutlass.BFloat16, cutlass.Float32, (16, 8, 16))
    mma = cute.make_tiled_mma(op, (2, 2, 1), permutation_mnk=(32, None, 16))
    print(mma.op)
    print(mma.permutation_mnk, f"{cute.AddressSpace.smem}")
    print(warp.MmaFP8Op(cutlass.Float8E5M2, cutlass.Float16, (16, 8, 16)))
    print(MmaUniversalOp(cutlass.Float32))
    print(CopyUniversalOp(), cpasync.CopyG2SOp(), sep=", ")
    print(cpasync.CopyG2SOp(cpasync.LoadCacheMode.GLOBAL))
    print(warp.LdMatrix8x8x16bOp(True, 2))
    print(warp.StMatrix8x8x16bOp(num_matrices=4))
    source, k = warpgroup.OperandSource.RMEM, OperandMajorMode.K
    print(warpgroup.MmaF8Op(cutlass.Float8E4M3FN, cutlass.Float8E5M2, cutlass.Float32, (64, 128, 32), source, k, k))

cute.compile(program, options="--target cpu")
"""


def test_operations(tmp_path):
    assert lines_of(OPERATIONS, tmp_path) == [
        "warp-level F16/BF16 MMA Operation",
        "  A/B data type         = BFloat16",
        "  Accumulator data type = Float32",
        "  Instruction shape MNK = (16, 8, 16)",
        "(32:1, None, 16:1) smem",
        "warp-level FP8 MMA Operation (SM89)",
        "  A/B data type         = Float8E5M2",
        "  Accumulator data type = Float16",
        "  Instruction shape MNK = (16, 8, 16)",
        "universal MMA Operation using FMA",
        "  A/B/Accumulator data type = Float32",
        "universal Copy Operation, cp.async GMEM -> SMEM copy Operation",
        "cp.async GMEM -> SMEM copy Operation",
        "  with cache mode = LoadCacheMode.GLOBAL",
        "LdMatrix8x8x16b Copy Operation",
        "  number of matrices = 2",
        "  transposed",
        "StMatrix8x8x16b Copy Operation",
        "  number of matrices = 4",
        "warpgroup F8 MMA Operation",
        "  A data type           = Float8E4M3FN",
        "  B data type           = Float8E5M2",
        "  Accumulator data type = Float32",
        "  A source location     = OperandSource.RMEM",
        "  A major mode          = OperandMajorMode.K",
        "  B major mode          = OperandMajorMode.K",
        "  Instruction shape MNK = (64, 128, 32)",
    ]


RUN = """
import fairlead.compat
import numpy as np
import cutlass
import cutlass.cute as cute

@cute.kernel
def kernel():
    cute.print_tensor(cute.make_identity_tensor((2, 12)))

@cute.jit
def program(a: cute.Tensor, dynamic: cute.Tensor, n: cutlass.Int32):
    cute.print_tensor(a, verbose=True)
    cute.print_tensor(cute.make_tensor(a.iterator, cute.make_layout(((2, 3), 2))), verbose=True)
    cute.print_tensor(cute.make_tensor(a.iterator, cute.make_layout((2, 1, 3, 2))))
    cute.print_tensor(a.load())
    cute.printf("{} is {}", n, a)
    big = cute.make_rmem_tensor((6, 7), cutlass.Float32)
    big.fill(2.0)
    cute.printf("{} {}", n, big)
    cute.printf("{}", dynamic)
    kernel().launch(grid=1, block=1)

a = cute.runtime.from_dlpack(np.arange(12, dtype=np.int32).reshape(3, 4))
dynamic = cute.runtime.from_dlpack(np.zeros((3, 4), np.float32)).mark_layout_dynamic()
cute.compile(program, a, dynamic, 8, options="--target cpu")(a, dynamic, 8)
"""


def test_what_runs(tmp_path):
    lines = iter(lines_of(RUN, tmp_path))

    def following(n):
        return [next(lines) for _ in range(n)]

    assert following(14) == [
        "tensor(raw_ptr(ADDR: i32, generic, align<4>) o (3,4):(4,1), data= (",
        *(f"\t({i},{j})= {4 * i + j}" for j in range(4) for i in range(3)),
        ")",
    ]
    assert following(14) == [
        "tensor(raw_ptr(ADDR: i32, generic, align<4>) o ((2,3),2):((1,2),6), data= (",
        *(
            f"\t(({i},{j}),{k})= {i + 2 * j + 6 * k}"
            for k in range(2)
            for j in range(3)
            for i in range(2)
        ),
        ")",
    ]
    matrices = "\n\n".join(f"        [[ {2 * k}, ],\n         [ {2 * k + 1}, ]]," for k in range(6))
    assert following(18)[1:] == f"       [{matrices[8:-1]}])".splitlines()
    assert following(4) == [
        "tensor(raw_ptr(ADDR: i32, rmem, align<32>) o (3,4):(1,3), data=",
        "       [[ 0,  1,  2,  3, ],",
        "        [ 4,  5,  6,  7, ],",
        "        [ 8,  9,  10,  11, ]])",
    ]
    assert following(2) == [
        "8 is raw_ptr(ADDR: i32, generic, align<4>) o (3,4):(4,1) = ",
        "  ( 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11 )",
    ]
    assert following(2) == [
        "8 raw_ptr(ADDR: f32, rmem, align<32>) o (6,7):(1,6) = ",
        "  ( " + "2.000000, " * 30 + "[...] )",
    ]
    assert following(1) == ["raw_ptr(ADDR: f32, generic, align<4>) o (3,4):(4,1)"]
    assert list(lines) == [
        "tensor((0,0) o (2,12):(1@0,1@1), data=",
        "       [[ (0,0),  (0,1),  (0,2), ...,  (0,9),  (0,10),  (0,11), ],",
        "        [ (1,0),  (1,1),  (1,2), ...,  (1,9),  (1,10),  (1,11), ]])",
    ]


NATIVE = """
from fairlead import cute

@cute.jit
def program():
    print(cute.full((3, 4), 1.0, cute.Float32))

cute.compile(program, options="--target cpu")
"""


def test_native_programs_print_their_own(tmp_path):
    assert lines_of(NATIVE, tmp_path) == ["vector<12xf32> o (3, 4)"]
