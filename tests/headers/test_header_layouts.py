"""Words, descriptors and layouts of Blackwell's instructions equal the results of CUTLASS's C++ headers (BSD-3).

``header_layouts.cpp`` prints a table of cases with the headers' answers. ``./run test --only headers`` fetches the
headers; ``FAIRLEAD_CUTLASS_HEADERS`` names another folder of them.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import fairlead
from fairlead import Float32, Int8, cute, primitives
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05, warp
from fairlead.ffi.cpp import _toolchain
from fairlead.utils import blackwell_helpers as sm100
from fairlead.utils import blockscaled_layout as scaled

SOURCE = Path(__file__).with_name("header_layouts.cpp")
BUILD = Path(os.environ.get("FAIRLEAD_BUILD_DIR", Path(__file__).parents[2] / "build"))
SMEM = tcgen05.OperandSource.SMEM
WORDS, OPERANDS, SUMS, COPIES, SCALES, FRAGMENTS = range(1, 7)


def headers():
    """The folder of CUTLASS's headers, and that of the CUDA toolkit's; skips the test without them."""
    named = os.environ.get("FAIRLEAD_CUTLASS_HEADERS")
    folders = [Path(named)] if named else sorted(BUILD.glob("cutlass-headers/**/include"))
    ours = next((each for each in folders if (each / "cute" / "tensor.hpp").exists()), None)
    if ours is None:
        pytest.skip("no headers of CUTLASS: ./run test --only headers fetches them")
    try:
        toolkit = Path(_toolchain.cuda_root(_toolchain.nvcc())) / "include"
    except Exception as error:  # what it cannot find, it says
        pytest.skip(f"no headers of CUDA: {error}")
    if not (toolkit / "cccl").exists():
        pytest.skip(f"no CCCL in {toolkit}")
    return ours, toolkit


@functools.cache
def table(section):
    """The cases of a section, each with its answers. The program of the headers is compiled once."""
    cutlass, toolkit = headers()
    version = (cutlass / "cutlass" / "version.h").read_text()
    key = hashlib.sha256((SOURCE.read_text() + version).encode()).hexdigest()[:16]
    kept = BUILD / "header-layouts" / f"{key}-{section}.txt"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        program = kept.with_suffix(f".{os.getpid()}")
        folders = [f"-I{each}" for each in (cutlass, toolkit, toolkit / "cccl")]
        command = ["g++", "-std=c++20", "-O0", "-w", f"-DSECTION={section}", *folders]
        run = subprocess.run([*command, SOURCE, "-o", program], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr[-4000:]
        text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        # On the host, pointers to shared memory are 0, and the headers say so in the middle of lines.
        program.write_text(re.sub(r"ERROR: cast_smem_ptr_to_uint.*\n", "", text))
        program.rename(kept)
    cases = [line.partition(" = ") for line in kept.read_text().splitlines()]
    return [(case.split(), answer.split(" / ")) for case, _, answer in cases]


def rows(section, kind, count):
    """The table's rows of a kind, at least `count`."""
    found = [(case[1:], answers) for case, answers in table(section) if case[0] == kind]
    assert len(found) >= count, f"{len(found)} cases of {kind}"
    return found


def read(text):
    """Return the shape and strides of a layout's text. The headers mark numbers known at compile time in it."""
    plain = re.sub(r"_(?=\d)|@\d+", "", str(text))
    shape, strides = plain.rpartition(" o ")[2].split(":")
    return ast.literal_eval(shape), ast.literal_eval(strides)


def later_modes(text):
    """The text of a layout's modes but the first."""
    shape, strides = read(text)
    return f"{shape[1:]}:{strides[1:]}"


def places(shape, strides):
    """Return the layout's value at each index."""
    if not isinstance(shape, tuple):
        return np.arange(shape, dtype=np.int64) * strides
    whole = np.zeros(1, np.int64)
    for part, step in zip(shape, strides, strict=True):
        whole = (places(part, step)[:, None] + whole[None]).reshape(-1)
    return whole


def extents(shape):
    if not isinstance(shape, tuple):
        return (shape,)
    return tuple(int(np.prod([int(np.prod(extents(part))) for part in [mode]])) for mode in shape)


def differs(ours, theirs):
    """Return True if layouts differ, in the extents of their modes or in a value."""
    (shape, strides), (other, steps) = read(ours), read(theirs)
    return extents(shape) != extents(other) or not np.array_equal(
        places(shape, strides), places(other, steps)
    )


def tiler_places(text):
    """The place, column-major in the data, of each coordinate of a tile that a tiler of layouts tells, per mode."""
    modes = split(re.sub(r"_(?=\d)|<|>", "", str(text))[1:-1])
    return [places(*read(mode if ":" in mode else f"{mode}:1")) for mode in modes]


def split(text):
    """Return the parts between commas outside of brackets."""
    parts, depth, first = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[first:index].strip())
            first = index + 1
    return [*parts, text[first:].strip()]


def copied(tiler, layout):
    """(row, column) of each value of each thread of a tiled copy."""
    rows, columns = tiler_places(tiler)
    index = places(*read(layout))
    return np.stack([rows[index % len(rows)], columns[index // len(rows)]])


def report(wrong, total):
    assert not wrong, f"{len(wrong)} of {total} differ, the first:\n" + "\n".join(wrong[:12])


def traced(visit, blocks=1):
    """Compile a kernel of clusters of `blocks` that calls `visit`."""

    @cute.kernel
    def kernel():
        visit()

    @cute.jit
    def host():
        cluster = (blocks, 1, 1)
        kernel().launch(grid=cluster, block=(128, 1, 1), cluster=cluster)

    return cute.compile(host, options="--target cuda:sm_100a")


def computed(visit, count):
    """The numbers that `visit` stores in a tensor of Int32, on the CPU."""

    @cute.kernel
    def kernel(numbers: cute.Tensor):
        visit(numbers)

    @cute.jit
    def host(numbers: cute.Tensor):
        kernel(numbers).launch(grid=(1, 1, 1), block=(1, 1, 1))

    numbers = np.zeros(count, np.int32)
    wrapped = cute.runtime.from_dlpack(numbers, assumed_align=16)
    cute.compile(host, wrapped, options="--target cpu")(wrapped)
    return numbers


def major(text):
    return OperandMajorMode[text]


def group(blocks):
    return tcgen05.CtaGroup.ONE if int(blocks) == 1 else tcgen05.CtaGroup.TWO


def plain_op(kind, a, b, c, m, n, blocks, majors=("K", "K")):
    choices = (group(blocks), SMEM, *map(major, majors))
    a, b, c = (getattr(fairlead, name) for name in (a, b, c))
    shape = (int(m), int(n), 256 // (8 if kind == "f8f6f4" else a.width))
    if kind == "f16":
        return tcgen05.MmaF16BF16Op(a, c, shape, *choices)
    if kind == "tf32":
        return tcgen05.MmaTF32Op(shape, *choices)
    if kind == "i8":
        return tcgen05.MmaI8Op(a, shape, *choices)
    return tcgen05.MmaF8F6F4Op(a, b, c, shape, *choices)


KINDS = {"Float16": "f16", "TFloat32": "tf32", "Float8E4M3FN": "f8f6f4", "Int8": "i8"}


def op_of(dtype, c, m, n, blocks, majors=("K", "K")):
    return plain_op(KINDS[dtype], dtype, dtype, c, m, n, blocks, majors)


def scaled_op(kind, a, b, sf, m, n, blocks, majors=("K", "K")):
    a, b, sf = (getattr(fairlead, name) for name in (a, b, sf))
    shape, choices = (int(m), int(n)), (group(blocks), SMEM)
    if kind == "mxf8f6f4":
        return tcgen05.MmaMXF8F6F4Op(a, b, shape, *choices, *map(major, majors))
    if kind == "mxf4":
        return tcgen05.MmaMXF4Op(shape, *choices)
    return tcgen05.MmaMXF4NVF4Op(sf, shape, *choices)


def multiply(op, scales=None):
    """One product whose operands and sums are at address 0."""
    mma = cute.make_tiled_mma(op)
    padded = getattr(op, "_kind", "") == "mxf8f6f4" or isinstance(op, tcgen05.MmaF8F6F4Op)
    fragments = []
    for make, take, dtype in (
        (sm100.make_smem_layout_a, mma.make_fragment_A, op.a_dtype),
        (sm100.make_smem_layout_b, mma.make_fragment_B, op.b_dtype),
    ):
        layout = make(mma, op.shape_mnk, Int8 if padded else dtype, 1)
        pointer = cute.make_ptr(layout_type := Int8 if padded else dtype, 0, cute.AddressSpace.smem)
        pointer = cute.recast_ptr(pointer, layout.inner, layout_type)
        fragments.append(take(cute.make_tensor(pointer, layout.outer))[None, None, 0, 0])
    memory = cute.make_ptr(op.acc_dtype, 0, cute.AddressSpace.tmem)
    sums = mma.make_fragment_C(mma.partition_shape_C(op.shape_mnk[:2]))
    sums = cute.make_tensor(memory, sums.layout)
    for field, address in zip(("SFA", "SFB"), scales or (), strict=False):
        pointer = cute.make_ptr(op.sf_dtype, address, cute.AddressSpace.tmem)
        mma.set(tcgen05.Field[field], pointer)
    cute.gemm(mma, sums, *fragments, sums)


def words(ptx):
    """The instruction words of products, in their order."""
    constants = dict(re.findall(r"mov\.b32\s+(%r\d+), (-?\d+);", ptx))
    names = re.findall(r"tcgen05\.mma\S+ \[%r\d+\], %rd\d+, %rd\d+, (%r\d+),", ptx)
    return [f"{int(constants[name]) & 0xFFFFFFFF:08x}" for name in names]


def compare_words(cases, trace):
    wrong = []
    for blocks in ("1", "2"):
        part = [(case, answers[0]) for case, answers in cases if trace.blocks(case) == blocks]
        ptx = traced(lambda: [trace(case) for case, _ in part], int(blocks)).__ptx__
        ours = words(ptx)
        assert len(ours) == len(part)
        wrong += [
            f"{case}: {word}, the headers' {answer}"
            for (case, answer), word in zip(part, ours, strict=True)
            if word != answer
        ]
    report(wrong, len(cases))


class Plain:
    def blocks(self, case):
        return case[8]

    def __call__(self, case):
        kind, a, b, c, m, n, left, right, blocks = case
        multiply(plain_op(kind, a, b, c, m, n, blocks, (left, right)))


class Scaled:
    def blocks(self, case):
        return case[9]

    def __call__(self, case):
        kind, a, b, sf, _, m, n, left, right, blocks, a_byte, b_byte = case
        op = scaled_op(kind, a, b, sf, m, n, blocks, (left, right))
        multiply(op, (int(a_byte) << 30 | 64, int(b_byte) << 30 | 128))


@pytest.mark.timeout(1800)
def test_words_of_instructions():
    compare_words(rows(WORDS, "word", 1900), Plain())


@pytest.mark.timeout(1800)
def test_words_of_scaled_instructions():
    compare_words(rows(WORDS, "scaled-word", 2000), Scaled())


def built(case):
    """The word that the primitives build for a case without scale factors."""
    _, a, b, c, m, n, left, right, _ = case
    return primitives.Tcgen05InstrDesc.build(
        *(getattr(fairlead, dtype) for dtype in (c, a, b)),
        n_dim=int(n),
        m_dim=int(m),
        a_major=int(left == "MN"),
        b_major=int(right == "MN"),
    )


def built_scaled(case):
    """The word that the primitives build for a case with scale factors."""
    kind, a, b, sf, _, m, n, left, right, _, a_byte, b_byte = case
    fields = {
        "n_dim": int(n),
        "m_dim": int(m),
        "scale_format": int(sf == "Float8E8M0FNU"),
        "a_sf_id": int(a_byte),
        "b_sf_id": int(b_byte),
    }
    dtypes = [getattr(fairlead, dtype) for dtype in (a, b)]
    if kind == "mxf8f6f4":
        majors = {"a_major": int(left == "MN"), "b_major": int(right == "MN")}
        return primitives.Tcgen05MxInstrDesc.build(*dtypes, **fields, **majors)
    # The published class sets the version of sparsity, bit 12, if nothing is said; the headers do not.
    return primitives.Tcgen05MxOmmaInstrDesc.build(*dtypes, **fields, sparsity_version=0)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("kind", "build"), [("word", built), ("scaled-word", built_scaled)])
def test_words_of_primitives(kind, build):
    cases = rows(WORDS, kind, 1500)
    wrong = []
    for case, (answer,) in cases:
        word = f"{int(build(case)) & 0xFFFFFFFF:08x}"
        if word != answer:
            wrong.append(f"{case}: {word}, the headers' {answer}")
    report(wrong, len(cases))


def staged(mma, mode, kind, dtype, parts):
    """The operand's layout in shared memory by atoms of `kind`."""
    tiles, steps, stages = parts
    atom = tcgen05.make_smem_layout_atom(tcgen05.SmemLayoutAtomKind[kind], dtype)
    extent = mma.op.shape_mnk[mode] // cute.size(mma.thr_id)
    depth = mma.op.shape_mnk[2]
    order = (0, 1, 2) if kind.startswith("K") else (1, 0, 2)
    whole = cute.tile_to_shape(atom, (extent * tiles, depth * steps, stages), order)
    return sm100._in_products(whole, extent, depth)


def operand_op(dtype, operand, along, extent, blocks):
    """A product whose A or B has this extent and this major mode."""
    majors = (along, "K") if operand == "A" else ("K", along)
    if dtype == "Float4E2M1FN":
        n = 128 if operand == "A" else extent
        return scaled_op("mxf4", dtype, dtype, "Float8E8M0FNU", 128 * int(blocks), n, blocks)
    m, n = (extent, 64) if operand == "A" else (128, extent)
    return op_of(dtype, "Int32" if dtype == "Int8" else "Float32", m, n, blocks, majors)


@pytest.mark.timeout(1800)
def test_operands_in_shared_memory():
    cases, wrong, chosen = rows(OPERANDS, "operand", 120), [], set()
    # Floats of 8 bits lie as integers do.
    cases += [
        (["Float8E4M3FN", *case[1:]], answers) for case, answers in cases if case[0] == "Int8"
    ]

    def visit(low):
        base = cute.arch.alloc_smem(Int8, 1024, 1024)
        for index, (case, (layout, _, fragment)) in enumerate(cases):
            dtype, operand, along, kind, extent, *parts, blocks = case
            parts = tuple(map(int, parts))
            op = operand_op(dtype, operand, along, extent, blocks)
            mma, mode = cute.make_tiled_mma(op), "AB".index(operand)
            element = getattr(fairlead, dtype)
            ours = staged(mma, mode, kind, element, parts)
            swizzle = re.search(r"<(.*?)>", layout)[1]
            if f"<{swizzle}>" not in str(ours.inner) or differs(ours.outer, layout):
                wrong.append(f"{case}: {ours}, the headers' {layout}")
            pointer = cute.recast_ptr(base, ours.inner, element)
            tensor = cute.make_tensor(pointer, ours.outer)
            take = mma.make_fragment_A if operand == "A" else mma.make_fragment_B
            mine = take(tensor)
            if differs(mine.layout, fragment):
                wrong.append(f"{case}: fragment {mine.layout}, the headers' {fragment}")
            low[2 * index] = mine.iterator[0] - ((base.toint() >> 4) & 0x3FFF)
            low[2 * index + 1] = mine.iterator[1]
            # The first kind of a case is the widest, which is chosen.
            key = (dtype, operand, along, extent, *parts, blocks)
            if key not in chosen:
                chosen.add(key)
                make = sm100.make_smem_layout_a if operand == "A" else sm100.make_smem_layout_b
                tile = [
                    size * (parts[0] if i == mode else 1) for i, size in enumerate(op.shape_mnk)
                ]
                tile[2] = op.shape_mnk[2] * parts[1]
                best = make(mma, tuple(tile), element, parts[2])
                if str(best.inner) != str(ours.inner) or differs(best.outer, layout):
                    wrong.append(f"{case}: chosen {best}, the headers' {layout}")

    numbers = computed(visit, 2 * len(cases))
    for index, (case, (_, descriptor, _)) in enumerate(cases):
        low, high = (int(word) & 0xFFFFFFFF for word in numbers[2 * index : 2 * index + 2])
        if f"{high:08x}{low:08x}" != descriptor:
            wrong.append(f"{case}: descriptor {high:08x}{low:08x}, the headers' {descriptor}")
    report(wrong, len(cases))


@pytest.mark.timeout(1800)
def test_sums_and_blocks():
    wrong, total = [], []

    def visit():
        for (dtype, c, m, n, blocks), answers in rows(SUMS, "blocks", 28):
            mma = cute.make_tiled_mma(op_of(dtype, c, m, n, blocks))
            ours = (mma.thr_id, mma.tv_layout_A, mma.tv_layout_B, mma.tv_layout_C)
            total.extend(answers)
            wrong.extend(
                f"{dtype} {m} {n} {blocks}: {mine}, the headers' {theirs}"
                for mine, theirs in zip(ours, answers, strict=True)
                if differs(mine, theirs)
            )
        for (dtype, c, m, n, *tiles, stages, blocks), (answer,) in rows(SUMS, "sums", 80):
            mma = cute.make_tiled_mma(op_of(dtype, c, m, n, blocks))
            extent = [int(size) * int(tile) for size, tile in zip((m, n), tiles, strict=True)]
            shape = cute.append(mma.partition_shape_C(tuple(extent)), int(stages))
            ours = mma.make_fragment_C(shape).layout
            total.append(answer)
            if differs(ours, answer):
                wrong.append(
                    f"{dtype} {c} {m} {n} {tiles} {stages} {blocks}: {ours}, the headers' {answer}"
                )

    traced(visit)
    report(wrong, len(total))


@pytest.mark.timeout(1800)
def test_copies_of_tensor_memory():
    cases, wrong = rows(COPIES, "copy", 80), []

    def visit():
        for case, (tiler, source, target) in cases:
            name, repeat, halves, dtype, m, n, blocks = case
            mma = cute.make_tiled_mma(op_of("Float16", dtype, m, n, blocks))
            shape = mma.partition_shape_C((int(m), int(n)))
            sums = mma.make_fragment_C(shape)[(None, None), 0, 0]
            packs = (
                tcgen05.Pack.PACK_16b_IN_32b
                if name.startswith("Ld")
                else tcgen05.Unpack.UNPACK_32b_IN_16b
            )
            options = (packs,) if halves == "halves" else ()
            op = getattr(tcgen05, f"{name}Op")(tcgen05.Repetition[f"x{repeat}"], *options)
            copy = tcgen05.make_tmem_copy(cute.make_copy_atom(op, getattr(fairlead, dtype)), sums)
            for mine, theirs in (
                (copy.layout_src_tv_tiled, source),
                (copy.layout_dst_tv_tiled, target),
            ):
                if extents(read(mine)[0]) != extents(read(theirs)[0]) or not np.array_equal(
                    copied(copy.tiler_mn, mine), copied(tiler, theirs)
                ):
                    wrong.append(f"{case}: {copy.tiler_mn} {mine}, the headers' {tiler} {theirs}")

    traced(visit)
    report(wrong, len(cases))


@pytest.mark.timeout(1800)
def test_chunks_of_scale_factors():
    cases = rows(SCALES, "chunks", 60)
    wrong = [
        f"{case}: the headers' {answer}"
        for case, (answer,) in cases
        if differs(scaled.tile_atom_to_shape_SF(tuple(map(int, case[1:])), int(case[0])), answer)
    ]
    report(wrong, len(cases))


def row_copy(mma, layout, memory, dtype):
    """The copy of scale factors to tensor memory: its tiler, its layout, descriptors and destinations."""
    base = cute.make_ptr(dtype, 0, cute.AddressSpace.smem)
    compact = cute.filter_zeros(
        cute.make_tensor(cute.make_ptr(dtype, 0, cute.AddressSpace.tmem), memory)
    )
    atom = cute.make_copy_atom(tcgen05.Cp4x32x128bOp(mma.op.cta_group), dtype)
    copy = tcgen05.make_s2t_copy(atom, compact)
    part = copy.get_slice(0)
    source = part.partition_S(cute.filter_zeros(cute.make_tensor(base, layout)))
    descriptors = tcgen05.get_s2t_smem_desc_tensor(copy, source)
    return copy, descriptors, part.partition_D(compact)


@pytest.mark.timeout(1800)
def test_layouts_of_scale_factors():
    cases, wrong = rows(SCALES, "scales", 16), []

    def compare(case, what, mine, theirs):
        if differs(mine, theirs):
            wrong.append(f"{case} {what}: {mine}, the headers' {theirs}")

    def visit():
        for case, answers in cases:
            kind, a, sf, vector, n, steps, blocks = case
            op = scaled_op(kind, a, a, sf, 128 * int(blocks), n, blocks)
            mma, vector = cute.make_tiled_mma(op), int(vector)
            tile = (128 * int(blocks), int(n), int(steps) * op.shape_mnk[2])
            one = [
                make(mma, tile, vector, 2)
                for make in (scaled.make_smem_layout_sfa, scaled.make_smem_layout_sfb)
            ]
            memory = [
                make(mma, tile, vector, cute.select(layout, mode=[0, 1, 2]))
                for make, layout in zip(
                    (scaled.make_tmem_layout_sfa, scaled.make_tmem_layout_sfb), one, strict=True
                )
            ]
            for what, mine, theirs in zip(
                ("SFA in shared memory", "SFB in shared memory", "SFA", "SFB"),
                (*(cute.select(layout, mode=[0, 1, 2]) for layout in one), *memory),
                answers,
                strict=False,
            ):
                compare(case, what, mine, theirs)
            for operand in range(2):
                tiler, layout, descriptor, others, target = answers[4 + 5 * operand :][:5]
                copy, ours, to = row_copy(mma, one[operand], memory[operand], op.sf_dtype)
                theirs = places(*read(layout))
                mine = places(*read(copy.layout_dst_tv_tiled))
                if tiler_places(tiler) and not np.array_equal(mine, theirs):
                    wrong.append(f"{case}: {copy.layout_dst_tv_tiled}, the headers' {layout}")
                # The headers' first mode has the units of the rows; ours has the descriptor alone.
                compare(case, "descriptors", later_modes(ours.layout), later_modes(others))
                compare(case, "destinations", to.layout, target)
                high = int(descriptor[:8], 16)
                if ours.iterator[1] != high:
                    wrong.append(f"{case}: {ours.iterator}, the headers' {descriptor}")

    traced(visit)
    report(wrong, len(cases))


def warp_op(kind):
    if kind == "mxf8":
        return warp.MmaMXF8Op(fairlead.Float8E4M3FN, Float32, fairlead.Float8E8M0FNU)
    scale = fairlead.Float8E4M3FN if kind == "mxf4nvf4" else fairlead.Float8E8M0FNU
    make = warp.MmaMXF4NVF4Op if kind == "mxf4nvf4" else warp.MmaMXF4Op
    return make(fairlead.Float4E2M1FN, Float32, scale)


@pytest.mark.timeout(1800)
def test_fragments_of_warps():
    cases, wrong = rows(FRAGMENTS, "fragments", 3), []
    for (kind,), answers in cases:
        op = warp_op(kind)
        mma = cute.make_tiled_mma(op, permutation_mnk=op.shape_mnk)
        ours = (
            mma.tv_layout_A,
            mma.tv_layout_B,
            mma.tv_layout_C,
            sm100.get_layoutSFA_TV(mma),
            sm100.get_layoutSFB_TV(mma),
        )
        wrong += [
            f"{kind}: {mine}, the headers' {theirs}"
            for mine, theirs in zip(ours, answers, strict=True)
            if differs(mine, theirs)
        ]
    report(wrong, len(cases))
