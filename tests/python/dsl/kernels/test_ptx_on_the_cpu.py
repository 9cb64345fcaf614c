"""Inline PTX on the CPU: what instructions compute, against NumPy by PTX's documentation."""

import numpy as np
import pytest
from support.ptx_values import HARD, RANDOM, SMALL, A, B, F, G, S, W, computed

from fairlead import Boolean, Float32, Int32, Uint32, Uint64, cute
from fairlead.cute._assembly import inline_asm
from fairlead.cute._ir_types import StructType
from fairlead.utils import SmemAllocator


def permuted(a, b, selector):
    whole = (int(b) << 32 | int(a)).to_bytes(8, "little")
    result = 0
    for place in range(4):
        digit = int(selector) >> (4 * place) & 15
        byte = whole[digit & 7]
        byte = (255 if byte & 128 else 0) if digit & 8 else byte
        result |= byte << (8 * place)
    return result


INTEGERS = {
    "add": ("add.s32 $0, $1, $2;", "=r,r,r", Uint32, (A, B), A + B),
    "mul.hi": (
        "mul.hi.u32 $0, $1, $2;",
        "=r,r,r",
        Uint32,
        (A, B),
        (A.astype(np.uint64) * B >> np.uint64(32)).astype(np.uint32),
    ),
    "mad.wide": (
        "mad.wide.u32 $0, $1, $2, $3;",
        "=l,r,r,l",
        Uint64,
        (A, B, W),
        A.astype(np.uint64) * B + W,
    ),
    "shl beyond": (
        "shl.b32 $0, $1, $2;",
        "=r,r,r",
        Uint32,
        (A, SMALL),
        np.where(SMALL < 32, A << np.minimum(SMALL, 31), 0),
    ),
    "shr of signs": (
        "shr.s32 $0, $1, $2;",
        "=r,r,r",
        Int32,
        (S, SMALL),
        S >> np.minimum(SMALL, 31).astype(np.int32),
    ),
    "prmt": (
        "prmt.b32 $0, $1, $2, $3;",
        "=r,r,r,r",
        Uint32,
        (A, B, A ^ B),
        np.array([permuted(*each) for each in zip(A, B, A ^ B)], np.uint32),
    ),
    "lop3": (
        "lop3.b32 $0, $1, $2, $3, 0xCA;",
        "=r,r,r,r",
        Uint32,
        (A, B, A + B),
        (A & B) | (~A & (A + B)),
    ),
    "popc": (
        "popc.b32 $0, $1;",
        "=r,r",
        Uint32,
        (A,),
        np.array([bin(a).count("1") for a in A], np.uint32),
    ),
    "a scope with registers": (
        "{ .reg .pred p, q; .reg .b32 low; and.b32 low, $1, 0xffff; setp.lt.u32 p|q, low, 30000;\n"
        " selp.b32 $0, low, 7, q; // the greater ones\n }",
        "=r,r",
        Uint32,
        (A,),
        np.where((A & 0xFFFF) < 30000, 7, A & 0xFFFF),
    ),
    "a predicate before an instruction": (
        "{ .reg .pred p; setp.gt.u32 p, $1, $2; mov.u32 $0, $1; @!p mov.u32 $0, $2; }",
        "=r,r,r",
        Uint32,
        (A, B),
        np.maximum(A, B),
    ),
    "halves of a word": (
        "{ .reg .b16 a, b; mov.b32 {a, b}, $1; mov.b32 $0, {b, a}; }",
        "=r,r",
        Uint32,
        (A,),
        A >> 16 | A << 16,
    ),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name):
    assembly, constraints, result, arrays, expected = INTEGERS[name]
    np.testing.assert_array_equal(computed(assembly, constraints, result, *arrays), expected)


def test_floats():
    fused = computed("fma.rn.f32 $0, $1, $2, $3;", "=f,f,f,f", Float32, F, G, F)
    np.testing.assert_allclose(fused, F * G + F, rtol=1e-6)
    np.testing.assert_allclose(
        computed("tanh.approx.f32 $0, $1;", "=f,f", Float32, F), np.tanh(F), 1e-5
    )
    np.testing.assert_allclose(
        computed("ex2.approx.ftz.f32 $0, $1;", "=f,f", Float32, F), 2**F, 1e-5
    )
    greater = computed("max.f32 $0, $1, 0f00000000;", "=f,f", Float32, F)
    np.testing.assert_array_equal(greater, np.maximum(F, 0))
    pairs = computed("cvt.rn.f16x2.f32 $0, $1, $2;", "=r,f,f", Uint32, F, G)
    halves = pairs.view(np.float16).reshape(32, 2)
    np.testing.assert_array_equal(halves[:, 0], G.astype(np.float16))
    np.testing.assert_array_equal(halves[:, 1], F.astype(np.float16))


def test_comparisons_of_pairs():
    """A predicate, or ones, for each number of a pair; a NaN equals nothing, and is unordered."""
    with np.errstate(over="ignore"):
        x = np.stack([HARD, F], 1).astype(np.float16)
        y = np.stack([HARD, np.where(np.arange(32) % 2, F, 2 * F + 3)], 1).astype(np.float16)
    for compare, expected in (
        ("eq", x == y),
        ("lt", x < y),
        ("gtu", (x > y) | np.isnan(x) | np.isnan(y)),
    ):
        text = f"{{ .reg .pred p, q; setp.{compare}.f16x2 p|q, $1, $2; .reg .b32 high; "
        text += "selp.b32 $0, 1, 0, p; selp.b32 high, 2, 0, q; or.b32 $0, $0, high; }"
        pairs = [np.ascontiguousarray(pair).view(np.uint32)[:, 0] for pair in (x, y)]
        found = computed(text, "=r,r,r", Uint32, *pairs)
        np.testing.assert_array_equal(found, expected[:, 0] + 2 * expected[:, 1])
        masks = computed(f"set.{compare}.u32.f16x2 $0, $1, $2;", "=r,r,r", Uint32, *pairs)
        np.testing.assert_array_equal(masks, 0xFFFF * expected[:, 0] + 0xFFFF0000 * expected[:, 1])
    ones = computed("set.lt.u32.f32 $0, $1, $2;", "=r,f,f", Uint32, F, G)
    np.testing.assert_array_equal(ones, np.where(F < G, 0xFFFFFFFF, 0))


def test_pairs_of_floats():
    words = [np.stack([x, y], 1).view(np.uint64)[:, 0] for x, y in ((F, G), (G, F))]
    found = computed("mul.rn.f32x2 $0, $1, $2;", "=l,l,l", Uint64, *words).view(np.float32)
    np.testing.assert_array_equal(found.reshape(32, 2), np.stack([F * G, G * F], 1))


@pytest.mark.parametrize(
    "form, torch_dtype, tolerance",
    [
        ("m16n8k16.row.col.f32.bf16.bf16.f32", "bfloat16", 1e-5),
        ("m16n8k16.row.col.f32.f16.f16.f32", "float16", 1e-5),
        ("m16n8k8.row.col.f32.tf32.tf32.f32", "float32", 1e-2),
        ("m16n8k32.row.col.s32.s8.s8.s32", "int8", 0),
    ],
)
def test_products_of_a_warp(form, torch_dtype, tolerance):
    torch = pytest.importorskip("torch")
    depth = int(form.split(".")[0].rpartition("k")[2])
    accumulator = "f" if "f32" in form else "r"
    words = depth * getattr(torch, torch_dtype).itemsize // 4
    a_count, b_count = words // 2, words // 4
    kind = Float32 if accumulator == "f" else Int32
    names = [
        "{" + ", ".join(f"${first + i}" for i in range(count)) + "}"
        for first, count in (
            (0, 4),
            (4, a_count),
            (4 + a_count, b_count),
            (4 + a_count + b_count, 4),
        )
    ]
    assembly = f"mma.sync.aligned.{form} {', '.join(names)};"
    constraints = ",".join(
        [f"={accumulator}"] * 4 + ["r"] * (a_count + b_count) + [accumulator] * 4
    )

    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor, d: cute.Tensor):
        group, place = cute.arch.thread_idx()[0] // 4, cute.arch.thread_idx()[0] % 4
        of_a = [a[group + 8 * (i % 2), place + 4 * (i // 2)] for i in range(a_count)]
        of_b = [b[group, place + 4 * i] for i in range(b_count)]
        of_c = [d[group + 8 * (i // 2), 2 * place + i % 2] for i in range(4)]
        results = StructType.get_literal([kind] * 4)
        found = inline_asm(results, [*of_a, *of_b, *of_c], assembly, constraints)
        for i, value in enumerate(found.leaves()):
            d[group + 8 * (i // 2), 2 * place + i % 2] = value

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, d: cute.Tensor):
        device(a, b, d).launch(grid=1, block=32)

    torch.manual_seed(0)
    a, b = (torch.randn(rows, depth) * 4 for rows in (16, 8))
    a, b = (x.to(getattr(torch, torch_dtype)) for x in (a, b))
    d = torch.ones(16, 8, dtype=torch.float32 if accumulator == "f" else torch.int32)
    registers = [x.view(torch.int32) for x in (a, b)]
    cute.compile(host, *registers, d, options="--target cpu")(*registers, d)
    expected = a.double() @ b.double().T + 1
    assert (d.double() - expected).abs().max() <= tolerance * expected.abs().max()


def test_votes_and_shuffles():
    text = "{ .reg .pred p; setp.ne.b32 p, $1, 0; vote.sync.ballot.b32 $0, p, -1; }"
    found = computed(text, "=r,r", Uint32, A & 1)
    assert (found == sum(int(a & 1) << i for i, a in enumerate(A))).all()
    moved = computed("shfl.sync.bfly.b32 $0, $1, 3, 31, -1;", "=r,r", Uint32, A)
    np.testing.assert_array_equal(moved, A[np.arange(32) ^ 3])


def test_memory():
    """Through shared memory and back, and a counter that threads add to."""

    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor, counter: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        shared = SmemAllocator().allocate_array(Int32, 32)
        inline_asm(
            None, [shared + t, a[t]], "st.shared.s32 [$0], $1;", "l,r", has_side_effects=True
        )
        cute.arch.sync_threads()
        turned = inline_asm(
            Int32, [shared + (31 - t)], "ld.shared.b32 $0, [$1];", "=r,l", has_side_effects=True
        )
        seen = inline_asm(
            Uint32,
            [counter.iterator.toint(), Uint32(2)],
            "atom.add.acq_rel.gpu.u32 $0, [$1 + 4], $2;",
            "=r,l,r",
            has_side_effects=True,
        )
        out[t, 0], out[t, 1] = turned, Int32(seen)

    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor, counter: cute.Tensor):
        device(a, out, counter).launch(grid=1, block=32)

    out, counter = np.zeros((32, 2), np.int32), np.zeros(2, np.uint32)
    run(S, out, counter)
    np.testing.assert_array_equal(out[:, 0], S[::-1])
    assert sorted(out[:, 1]) == list(range(0, 64, 2))
    np.testing.assert_array_equal(counter, [0, 64])


@pytest.mark.parametrize("space", ["cta", "cluster"])
def test_bulk_loads(space):
    text = (
        f"cp.async.bulk.shared::{space}.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];"
    )

    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        allocator = SmemAllocator()
        shared = allocator.allocate_array(Float32, 32, byte_alignment=16)
        barrier = allocator.allocate_array(Uint64, 1)
        if t == 0:
            cute.arch.mbarrier_init(barrier, 1)
        cute.arch.sync_threads()
        if t == 0:
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 128)
            operands = [shared.toint(), a.iterator.toint(), Int32(128), barrier.toint()]
            inline_asm(None, operands, text, "r,l,r,r", has_side_effects=True)
        cute.arch.mbarrier_wait(barrier, 0)
        out[t] = (shared + (31 - t)).load()

    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=32)

    out = np.zeros(32, np.float32)
    cute.compile(run, F, out, options="--target cpu")(F, out)
    np.testing.assert_array_equal(out, F[::-1])


@pytest.mark.parametrize("guarded", [False, True])
def test_traps(guarded):
    @cute.kernel
    def device(out: cute.Tensor):
        value = out[0]
        if guarded:
            text = "{ .reg .pred p; setp.lt.s32 p, $0, 0; @p trap; }"
            inline_asm(None, [value], text, "r", has_side_effects=True)
        elif value < 0:
            inline_asm(None, [], "trap;", "", has_side_effects=True)
        out[1] = value

    @cute.jit
    def run(out: cute.Tensor):
        device(out).launch(grid=1, block=1)

    out = np.array([3, 0], np.int32)
    compiled = cute.compile(run, out, options="--target cpu")
    compiled(out)
    assert out[1] == 3
    out[0] = -1
    with pytest.raises(AssertionError, match="trap"):
        compiled(out)


def test_what_only_gpus_have():
    @cute.kernel
    def device(out: cute.Tensor):
        out[0] = inline_asm(Boolean, [], "{ mov.u32 $0, %pm0; }", "=r")

    @cute.jit
    def run(out: cute.Tensor):
        device(out).launch(grid=1, block=1)

    with pytest.raises(RuntimeError, match="only GPUs run its inline PTX"):
        cute.compile(run, np.zeros(1, np.int32), options="--target cpu")


@pytest.mark.parametrize("prefix", ["bar", "barrier", "barrier.cta"])
def test_barriers_of_some_threads(prefix):
    """Warp 1 arrives and goes on; warp 0 waits for it, and then sees what it wrote."""

    @cute.kernel
    def device(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        cells = SmemAllocator().allocate_tensor(Int32, cute.make_layout(32))
        numbers = [Int32(3), Int32(64)]
        if t >= 32:
            cells[t - 32] = t
            inline_asm(None, numbers, f"{prefix}.arrive $0, $1;", "r,r", has_side_effects=True)
        else:
            inline_asm(None, numbers, f"{prefix}.sync $0, $1;", "r,r", has_side_effects=True)
            out[t] = cells[31 - t]

    @cute.jit
    def run(out: cute.Tensor):
        device(out).launch(grid=1, block=64)

    out = np.zeros(32, np.int32)
    cute.compile(run, out, options="--target cpu")(out)
    assert out.tolist() == list(range(63, 31, -1))


def test_sums_of_vectors_under_a_predicate():
    """Even lanes add four numbers each, with a cache policy; odd ones store by a predicate that is false."""
    text = (
        "{ .reg .b64 pol; .reg .pred p; setp.ne.s32 p, $5, 0; "
        "createpolicy.fractional.L2::evict_last.b64 pol, 1.0; "
        "@p red.relaxed.gpu.global.add.L2::cache_hint.v4.f32 [$0], {$1, $2, $3, $4}, pol; "
        "@!p st.global.f32 [$0 + 16], $1; }"
    )

    @cute.kernel
    def device(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        numbers = [Float32(t + i) for i in range(4)]
        operands = [out.iterator.toint(), *numbers, Int32(t % 2 == 0)]
        inline_asm(None, operands, text, "l,f,f,f,f,r", has_side_effects=True)

    @cute.jit
    def run(out: cute.Tensor):
        device(out).launch(grid=1, block=2)

    out = np.zeros(5, np.float32)
    cute.compile(run, out, options="--target cpu")(out)
    assert out.tolist() == [0, 1, 2, 3, 1]


def test_copies_to_shared_memory_and_matrices_of_them():
    """``cp.async`` with a number of bytes that are read, and ``ldmatrix`` of the rows."""

    @cute.kernel
    def device(rows: cute.Tensor, read: cute.Tensor, out: cute.Tensor):
        lane = cute.arch.thread_idx()[0]
        shared = SmemAllocator().allocate_tensor(Uint32, cute.make_layout((32, 4), stride=(4, 1)))
        row = (shared.iterator + lane * 4).toint().to(Int32)
        source = (rows.iterator + lane * 4).toint()
        text = "cp.async.ca.shared.global.L2::cache_hint [$0], [$1], 16, $2, $3;"
        inline_asm(
            None, [row, source, read[lane], Uint64(0)], text, "r,l,r,l", has_side_effects=True
        )
        inline_asm(None, [], "cp.async.commit_group;", "", has_side_effects=True)
        inline_asm(None, [], "cp.async.wait_group 0;", "", has_side_effects=True)
        cute.arch.sync_threads()
        of = StructType.get_literal([Uint32] * 4)
        text = "ldmatrix.sync.aligned.x4.m8n8.shared.b16 {$0, $1, $2, $3}, [$4];"
        words = inline_asm(of, [row], text, "=r,=r,=r,=r,r", has_side_effects=True)
        for matrix in cute.range_constexpr(4):
            out[lane, matrix] = words.leaves()[matrix]

    @cute.jit
    def run(rows: cute.Tensor, read: cute.Tensor, out: cute.Tensor):
        device(rows, read, out).launch(grid=1, block=32)

    rows = RANDOM.integers(0, 1 << 32, (32, 4), dtype=np.uint32)
    read = (np.arange(32, dtype=np.int32) * 3) % 17
    out = np.zeros((32, 4), np.uint32)
    cute.compile(run, rows, read, out, options="--target cpu")(rows, read, out)
    given = rows.copy().view(np.uint8)
    given[np.arange(16) >= read[:, None]] = 0
    expected = given.view(np.uint32).reshape(4, 8, 4)
    np.testing.assert_array_equal(out, expected.transpose(1, 2, 0).reshape(32, 4))


@pytest.mark.parametrize("types", ["u32.u32", "s32.s32", "u32.s32", "s32.u32"])
def test_dot_products_of_bytes(types):
    a, b, c = RANDOM.integers(0, 1 << 32, (3, 32), dtype=np.uint32)
    words = computed(f"dp4a.{types} $0, $1, $2, $3;", "=r,r,r,r", Uint32, a, b, c)
    signed = {"u32": np.uint8, "s32": np.int8}
    of_a, of_b = (signed[kind] for kind in types.split("."))
    products = a.view(of_a).astype(np.int64) * b.view(of_b)
    expected = c + products.reshape(32, 4).sum(1)
    np.testing.assert_array_equal(words, expected.astype(np.uint32))


def test_branches_back():
    """Lanes repeat instructions until their predicates end the loop; registers keep the values of the last turn."""
    text = """{ .reg .u32 n; .reg .pred p; mov.u32 n, $1; mov.u32 $0, 0;
        again: add.u32 $0, $0, n; sub.u32 n, n, 1; setp.ne.u32 p, n, 0; @p bra again;
        mad.lo.u32 $0, n, 100, $0; }"""
    lanes = np.arange(1, 33, dtype=np.uint32)
    np.testing.assert_array_equal(computed(text, "=r,r", Uint32, lanes), lanes * (lanes + 1) // 2)
    text = text.replace("setp.ne", "setp.eq").replace("@p", "@!p")
    np.testing.assert_array_equal(computed(text, "=r,r", Uint32, lanes), lanes * (lanes + 1) // 2)


def test_products_with_scale_factors():
    ml_dtypes = pytest.importorskip("ml_dtypes")

    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor, scales: cute.Tensor, out: cute.Tensor):
        lane = cute.arch.thread_idx()[0]
        values = [a[lane, i] for i in range(4)] + [b[lane, i] for i in range(2)]
        values += [Float32(i) for i in range(4)] + [scales[lane, 0], scales[lane, 1]]
        text = (
            "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3 "
            "{$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, {$10,$11,$12,$13}, $14, {0,0}, $15, {0,0};"
        )
        of = StructType.get_literal([Float32] * 4)
        sums = inline_asm(
            of, values, text, "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f,r,r", has_side_effects=False
        )
        for i in cute.range_constexpr(4):
            out[lane, i] = sums.leaves()[i]

    @cute.jit
    def run(a: cute.Tensor, b: cute.Tensor, scales: cute.Tensor, out: cute.Tensor):
        device(a, b, scales, out).launch(grid=1, block=32)

    codes_a = RANDOM.integers(0, 16, (16, 64), dtype=np.uint8)
    codes_b = RANDOM.integers(0, 16, (8, 64), dtype=np.uint8)
    factors_a, factors_b = (
        RANDOM.uniform(0.25, 4, (rows, 4)).astype(ml_dtypes.float8_e4m3fn) for rows in (16, 8)
    )
    a, b = np.zeros((32, 4), np.uint32), np.zeros((32, 2), np.uint32)
    scales, expected = np.zeros((32, 2), np.uint32), np.zeros((32, 4))

    def word(codes):
        return sum(int(code) << 4 * i for i, code in enumerate(codes))

    def numbers(codes, factors):
        return codes.view(ml_dtypes.float4_e2m1fn).astype(float) * factors.astype(float).repeat(
            4 * 4, 1
        )

    whole = numbers(codes_a, factors_a) @ numbers(codes_b, factors_b).T
    for lane in range(32):
        group, place = lane // 4, lane % 4
        for i in range(4):
            row, first = group + 8 * (i % 2), 8 * place + 32 * (i // 2)
            a[lane, i] = word(codes_a[row, first : first + 8])
            expected[lane, i] = whole[group + 8 * (i // 2), 2 * place + i % 2] + i
        for i in range(2):
            b[lane, i] = word(codes_b[group, 8 * place + 32 * i : 8 * place + 32 * i + 8])
        scales[lane, 0] = factors_a[group + 8 * (place % 2)].view(np.uint32)[0]
        scales[lane, 1] = factors_b[group].view(np.uint32)[0]
    out = np.zeros((32, 4), np.float32)
    cute.compile(run, a, b, scales, out, options="--target cpu")(a, b, scales, out)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("byte_of_a, byte_of_b", [(0, 0), (1, 3), (2, 0)])
def test_bytes_of_words_with_scale_factors(byte_of_a, byte_of_b):
    """One factor for each row, powers of two that grow with the byte: ones times ones."""
    text = (
        "{ .reg .f32 b, c, d; .reg .u32 one; mov.u32 one, 0x38383838; "
        "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 "
        "{$0,b,c,d}, {one,one,one,one}, {one,one}, {0f00000000,0f00000000,0f00000000,0f00000000}, "
        f"$1, {{{byte_of_a},0}}, $2, {{{byte_of_b},0}}; }}"
    )
    factors = np.full(32, 0x8281807F, np.uint32)  # 1, 2, 4, 8
    sums = computed(text, "=f,r,r", Float32, factors, factors)
    np.testing.assert_array_equal(sums, np.full(32, 32.0 * 2**byte_of_a * 2**byte_of_b))


def test_arrivals_at_mbarriers_of_another_block():
    """Arrivals, alone and with bytes to come, are counted at the barrier of the block that they name."""
    arrival = """{{
        .reg .u32 remote;
        mapa.shared::cluster.u32 remote, $0, $1;
        mbarrier.arrive%s.shared::cluster.b64 _, [remote]%s;
    }}"""

    @cute.kernel
    def device(out: cute.Tensor):
        smem = SmemAllocator()
        barrier, word = smem.allocate_array(cute.Int64, 1), smem.allocate_array(cute.Int32, 1)
        rank, thread = cute.arch.block_idx_in_cluster(), cute.arch.thread_idx()[0]
        if thread == 0:
            cute.arch.mbarrier_init(barrier, 3)
            cute.arch.mbarrier_init_fence()
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
        operands = [barrier.toint(), rank ^ 1]
        if thread == 0:
            alone, announcing = arrival % ("", ""), arrival % (".expect_tx", ", $2")
            inline_asm(None, operands, alone, "r,r", has_side_effects=True)
            inline_asm(None, [*operands, Int32(4)], announcing, "r,r,r", has_side_effects=True)
            cute.arch.mbarrier_arrive(barrier)
            cute.arch.store_async_dsmem(word, rank + 5, barrier, rank ^ 1)
        cute.arch.mbarrier_wait(barrier, 0)
        out[cute.arch.block_idx()[0]] = word.load()

    @cute.jit
    def run(out: cute.Tensor):
        device(out).launch(grid=4, block=32, cluster=(2, 1, 1))

    out = np.zeros(4, np.int32)
    cute.compile(run, out, options="--target cpu")(out)
    assert out.tolist() == [6, 5, 6, 5]


def test_extremes_that_propagate_nan():
    numbers, others = F.copy(), G.copy()
    numbers[3], others[5] = np.nan, np.nan
    least = computed("min.NaN.f32 $0, $1, $2;", "=f,f,f", Float32, numbers, others)
    np.testing.assert_array_equal(least, np.minimum(numbers, others))
    halves = np.array([0x3C007E00, 0x7E003C00] * 16, np.uint32)  # 1 and a NaN, f16
    most = computed("max.NaN.f16x2 $0, $1, $2;", "=r,r,r", Uint32, halves, np.zeros_like(halves))
    assert [hex(word) for word in most[:2]] == ["0x3c007fff", "0x7fff3c00"]


@pytest.mark.parametrize("words, combine", [
    ("max.f32", lambda x: np.nanmax(x)),
    ("max.abs.NaN.f32", lambda x: np.max(np.abs(x))),
    ("min.NaN.f32", lambda x: np.min(x)),
    ("max.u32", lambda x: x.max()),
    ("min.s32", lambda x: x.view(np.int32).min().view(np.uint32)),
    ("xor.b32", lambda x: np.bitwise_xor.reduce(x)),
])  # fmt: skip
@pytest.mark.parametrize("has_nan", [False, True])
def test_reductions_of_a_warp(words, combine, has_nan):
    of_floats = words.endswith("f32")
    numbers = F.copy() if of_floats else A.copy()
    if has_nan and of_floats:
        numbers[7] = np.nan
    register = "f" if of_floats else "r"
    found = computed(
        f"redux.sync.{words} $0, $1, 0xffffffff;",
        f"={register},{register}",
        Float32 if of_floats else Uint32,
        numbers,
    )
    np.testing.assert_array_equal(found, np.full_like(numbers, combine(numbers)))


@pytest.mark.parametrize("mask", [0x0000FFFF, 0x80000001, 0x00F0F000])
@pytest.mark.parametrize("words, combine", [
    ("max.f32", np.max),
    ("min.s32", lambda x: x.view(np.int32).min().view(np.uint32)),
    ("add.u32", lambda x: np.uint32(x.sum(dtype=np.uint64) & 0xFFFFFFFF)),
    ("xor.b32", np.bitwise_xor.reduce),
    ("and.b32", np.bitwise_and.reduce),
])  # fmt: skip
def test_reductions_of_some_threads_of_a_warp(words, combine, mask):
    """All threads of the mask get the result. The others, which execute other instructions, do not count."""
    numbers = F if words.endswith("f32") else A
    kind, register = (Float32, "f") if numbers is F else (Uint32, "r")
    lanes = [lane for lane in range(32) if mask >> lane & 1]

    @cute.kernel
    def device(out: cute.Tensor, values: cute.Tensor, masks: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        if (Uint32(mask) >> t) & 1 != 0:
            text = f"redux.sync.{words} $0, $1, $2;"
            constraints = f"={register},{register},r"
            number = inline_asm(
                kind, [values[t], masks[0]], text, constraints, has_side_effects=True
            )
            known = inline_asm(
                kind, [values[t], Uint32(mask)], text, constraints, has_side_effects=True
            )
            out[t, 0] = number
            out[t, 1] = known

    @cute.jit
    def run(out: cute.Tensor, values: cute.Tensor, masks: cute.Tensor):
        device(out, values, masks).launch(grid=1, block=32)

    out = np.zeros((32, 2), numbers.dtype)
    arrays = out, numbers, np.array([mask], np.uint32)
    cute.compile(run, *arrays, options="--target cpu")(*arrays)
    expected = np.zeros_like(out)
    expected[lanes] = combine(numbers[lanes])
    np.testing.assert_array_equal(out, expected)


def test_fences_of_tensor_memory():
    text = "tcgen05.fence::before_thread_sync; tcgen05.fence::after_thread_sync; mov.b32 $0, $1;"
    np.testing.assert_array_equal(computed(text, "=r,r", Uint32, A), A)


def test_sums_of_pairs_in_memory():
    @cute.kernel
    def device(out: cute.Tensor):
        text = "red.global.add.noftz.bf16x2 [$0], $1;"
        inline_asm(
            None, [out.iterator.toint(), Uint32(0x3F803F00)], text, "l,r", has_side_effects=True
        )

    @cute.jit
    def run(out: cute.Tensor):
        device(out).launch(grid=2, block=4)

    out = np.array([0x40000000], np.uint32)  # 0 and 2
    run(out)
    assert (out << 16).view(np.float32)[0] == 4 and (out & 0xFFFF0000).view(np.float32)[0] == 10
