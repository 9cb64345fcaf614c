"""Tensors whose elements their framework counts otherwise: pairs of 4-bit elements, bytes as narrow floats."""

import pytest

torch = pytest.importorskip("torch")

from support import packed_tensors as packed  # noqa: E402

from fairlead import cute  # noqa: E402

pytestmark = pytest.mark.skipif(
    not hasattr(torch, "float4_e2m1fn_x2"), reason="this torch has no float4_e2m1fn_x2"
)


def fake(columns=64, **options):
    shape = (cute.sym_int(), columns)
    return cute.runtime.make_fake_compact_tensor(
        cute.Float4E2M1FN, shape, stride_order=(1, 0), **options
    )


def test_fake_tensors_count_elements():
    function = cute.compile(packed.swap_halves, fake(assumed_align=1), fake())
    assert "Tensor([n0, 64], float4_e2m1fn)" in repr(function)
    packed.check_swap(function, "cpu", 64)


def test_from_dlpack_counts_elements():
    a, _ = packed.pairs(4, 16, "cpu", 0)
    assert cute.runtime.from_dlpack(a).shape == (4, 16)
    assert cute.runtime.from_dlpack(a).stride == (16, 1)
    column_major = cute.runtime.from_dlpack(a.t())
    assert (column_major.shape, column_major.stride) == ((16, 4), (1, 16))
    dynamic = [
        cute.runtime.from_dlpack(a)
        .mark_compact_shape_dynamic(mode=0)
        .mark_compact_shape_dynamic(mode=1, divisibility=2)
        for _ in range(2)
    ]
    function = cute.compile(packed.swap_halves, *dynamic)
    for columns in (2, 16, 130):
        packed.check_swap(function, "cpu", columns)


def test_dynamic_layouts_are_of_whole_bytes():
    a, _ = packed.pairs(4, 16, "cpu", 0)
    tensor = cute.runtime.from_dlpack(a).mark_layout_dynamic()
    assert repr(tensor).endswith("(?,?{div=2}):(?{i64 div=2},1)>")
    examples = [cute.runtime.from_dlpack(a).mark_layout_dynamic() for _ in range(2)]
    packed.check_swap(cute.compile(packed.swap_halves, *examples), "cpu", 22)
    # Called directly, and with every other row.
    packed.check_swap(packed.swap_halves, "cpu", 34)
    source, data = packed.pairs(8, 16, "cpu", 3)
    target, out = packed.pairs(4, 16, "cpu", 4)
    packed.swap_halves(source[::2], target)
    assert torch.equal(out, (data[::2] << 4) | (data[::2] >> 4))


def test_static_tensors_check_elements():
    a, _ = packed.pairs(4, 16, "cpu", 0)
    function = cute.compile(packed.swap_halves, *(cute.runtime.from_dlpack(a) for _ in range(2)))
    function(a, a.clone())
    wide, _ = packed.pairs(4, 18, "cpu", 0)
    with pytest.raises(ValueError, match=r"a\.shape\[1\] on argument #0 .*expected 16, but got 18"):
        function(wide, a)
    with pytest.raises(TypeError, match="expected float4_e2m1fn, but got uint8"):
        function(a.view(torch.uint8), a)


def test_threads_do_not_write_elements_one_by_one():
    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        b[0] = a[0]

    @cute.jit
    def function(a: cute.Tensor, b: cute.Tensor):
        device(a, b).launch(grid=(1,), block=(1,))

    with pytest.raises(TypeError, match="have 4 bits and are packed in memory.* recast"):
        cute.compile(function, fake(), fake())


def test_bytes_as_narrow_floats():
    function, codes, out = packed.check_bytes_as_floats("cpu")
    function(codes.view(torch.float8_e4m3fn), out)
    with pytest.raises(TypeError, match="expected float8_e4m3fn, but got uint8"):
        function(codes, out)


def test_element_types_of_another_width():
    with pytest.raises(ValueError, match="one of 32 bits, but got Float16"):
        cute.runtime.from_dlpack(torch.zeros(8)).element_type = cute.Float16
    tensor = cute.runtime.from_dlpack(torch.zeros(8, dtype=torch.uint8))
    with pytest.raises(ValueError, match="one of 8 or 4 bits, but got Float6E3M2FN"):
        tensor.element_type = cute.Float6E3M2FN
    with pytest.raises(TypeError, match="a numeric class"):
        tensor.element_type = "Float8E4M3FN"
    tensor.element_type = cute.Int8
    tensor.element_type = cute.Boolean
    assert tensor.element_type is cute.Boolean and tensor.dtype is cute.Boolean


def test_bytes_become_a_pointer_to_wider_elements():
    @cute.jit
    def store(p: cute.Pointer):
        cute.make_tensor(p, cute.make_layout(2))[1] = 1 << 40

    @cute.jit
    def read(t: cute.Tensor):
        t[1] = 0

    memory = torch.zeros(16, dtype=torch.uint8)
    tensor = cute.runtime.from_dlpack(memory, assumed_align=8)
    tensor.element_type = cute.Int64
    assert tensor.iterator.dtype is cute.Int64 and tensor.shape == (16,)
    store(tensor.iterator)
    assert memory.view(torch.int64).tolist() == [0, 1 << 40]
    with pytest.raises(ValueError, match="8 or 4 bits, but got Int64.*\n.*pass its `iterator`"):
        read(tensor)
    tensor.element_type = cute.Uint8
    read(tensor)


@pytest.mark.parametrize("stored, dtype", [("float16", "Float16"), ("uint8", "Float8E4M3FN")])
def test_calls_take_retyped_tensors_without_calling_python(stored, dtype, monkeypatch):
    @cute.jit
    def copy(a: cute.Tensor, b: cute.Tensor):
        for i in range(8):
            b[i] = a[i]

    def retyped(tensor):
        argument = cute.runtime.from_dlpack(tensor)
        argument.element_type = getattr(cute, dtype)
        return argument

    source = torch.arange(8, dtype=torch.uint8).to(getattr(torch, stored))
    target = torch.zeros_like(source)
    arguments = retyped(source), retyped(target)
    function = cute.compile(copy, *arguments)
    monkeypatch.delattr(torch.Tensor, "__dlpack__")
    function(*arguments)
    assert torch.equal(source, target)


def test_an_integer_of_four_bits_in_a_byte_is_passed():
    @cute.jit
    def extents(a: cute.Tensor, out: cute.Tensor):
        assert a.element_type is cute.Int4
        out[0] = cute.size(a)

    argument = cute.runtime.from_dlpack(torch.zeros(8, dtype=torch.int8))
    argument.element_type = cute.Int4
    out = torch.zeros(1, dtype=torch.int32)
    extents(argument, out)
    assert out[0] == 8


def test_leading_mode():
    def leading(shape, strides):
        return cute.runtime.from_dlpack(torch.empty_strided(shape, strides)).leading_dim

    assert leading((4, 8), (8, 1)) == 1 and leading((4, 8), (1, 4)) == 0
    assert leading((4, 1), (1, 1)) == 0 and leading((4, 8), (16, 2)) is None
    assert leading((1, 1), (1, 1)) is None


def test_compact_modes_of_one_element_do_not_move():
    tensor = cute.runtime.from_dlpack(torch.zeros(4, 1, 8)).mark_compact_shape_dynamic(mode=0)
    assert tensor.stride == (8, 0, 1)
    tensor.mark_compact_shape_dynamic(mode=1)
    assert "(?,?,8):(?" in repr(tensor)

    @cute.jit
    def fill(a: cute.Tensor):
        a[0, 0, 3] = 7.0

    function = cute.compile(
        fill, cute.runtime.from_dlpack(torch.zeros(4, 1, 8)).mark_compact_shape_dynamic(mode=0)
    )
    a = torch.zeros(5, 1, 8)
    function(a)
    assert a[0, 0, 3] == 7 and a.sum() == 7
