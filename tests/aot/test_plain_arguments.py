"""Arguments of the plain C ABI that are more than a number: tuples, dataclasses, tensors with strides of 32 bits."""

import dataclasses

import aot_kernels
import numpy as np
import pytest
from test_plain_c import COMPILERS

import fairlead
from fairlead import cute


@dataclasses.dataclass(frozen=True)
class Config:
    scale: fairlead.Float64
    bias: cute.Tensor
    steps: tuple
    name: str = "static"


@cute.kernel
def device_places(out: cute.Tensor, shape, config: Config, flag: fairlead.Boolean):
    out[0] = fairlead.Float64(shape[1])
    out[1] = fairlead.Float64(shape[2][0])
    out[2] = fairlead.Float64(shape[0] + shape[2][1])  # static ones
    out[3] = config.scale
    out[4] = fairlead.Float64(config.bias[1])
    out[5] = fairlead.Float64(config.steps[0])
    out[6] = fairlead.Float64(flag)


@cute.jit
def places(
    out: cute.Tensor, shape: cute.Shape, config: Config, flag: fairlead.Boolean = True, stream=None
):
    device_places(out, shape, config, flag).launch(grid=1, block=1, stream=stream)


def compiled_places(target="cpu"):
    config = Config(
        fairlead.Float64, aot_kernels.vector(cute.sym_int()), (fairlead.Int16, 3), "static"
    )
    shape = (4, cute.sym_int(), (fairlead.Int64, 5))
    return cute.compile(
        places,
        aot_kernels.vector(7, fairlead.Float64),
        shape,
        config,
        fairlead.Boolean,
        cute.runtime.make_fake_stream(),
        options=f"--target {target}",
    )


PLACES = """
#include <stdio.h>
#include "places.h"
int main(void) {
  double out[7] = {0, 0, 0, 0, 0, 0, 0};
  float bias[2] = {1.0f, 2.5f};
  places_Tensor_out_t t;
  places_IntTuple_shape_t shape;
  places_Tensor_config_bias_t b;
  places_Struct_config_t config;
  places_Kernel_Module_t m;
  int i;
  t.data = out;
  b.data = bias;
  b.dynamic_shapes[0] = 2;
  shape.m1 = 7;
  shape.m2_0 = 1LL << 40;
  config.scale = 0.125;
  config.bias = &b;
  config.steps_0 = -3;
  if (places_Kernel_Module_Load(&m)) return 1;
  if (cute_dsl_places_wrapper(&m, &t, &shape, &config, 1, NULL)) { puts(FairleadCLastError()); return 2; }
  for (i = 0; i < 7; ++i) printf("%g ", out[i]);
  puts("");
  b.dynamic_shapes[0] = -1;
  printf("%d ", cute_dsl_places_wrapper(&m, &t, &shape, &config, 1, NULL));
  puts(FairleadCLastError());
  places_Kernel_Module_Unload(&m);
  return 0;
}
"""
WANTED = "7 1.09951e+12 9 0.125 2.5 -3 1 \n"


@pytest.mark.parametrize(("compiler", "suffix", "standard"), COMPILERS)
def test_structures(tools, compiler, suffix, standard):
    compiled_places().export_to_c(file_path=tools.folder, file_name="places")
    flags = [standard] + (["-Wno-long-long"] if standard == "-std=c++98" else [])
    main = tools.object(PLACES, *flags, compiler=compiler, suffix=suffix)
    lines = tools.run(tools.static(main, tools.folder / "places.o")).stdout.splitlines(True)
    assert lines[0] == WANTED
    assert lines[1].startswith("1 Invalid config.bias.shape[0] on argument #4"), lines


def test_their_header(tools):
    compiled_places().export_to_c(file_path=tools.folder, file_name="places")
    text = (tools.folder / "places.h").read_text()
    for part in (
        "int32_t m1; /* shape[1]: int32 */\n  int64_t m2_0; /* shape[2][0]: int64 */\n} places_IntTuple_shape_t;",
        "  double scale; /* config.scale: float64 */\n"
        "  places_Tensor_config_bias_t *bias; "
        "/* config.bias: see places_Tensor_config_bias_t; only read during the call */\n"
        "  int16_t steps_0; /* config.steps[0]: int16 */\n} places_Struct_config_t;",
        "const places_IntTuple_shape_t *shape,\n    const places_Struct_config_t *config,\n    uint8_t flag,\n"
        "    struct CUstream_st *stream)",
        "void *const args[6]",
    ):
        assert part in text, text


def test_packed_by_the_loader(tools):
    """Each structure is one address of a packed call."""
    compiled_places().export_to_c(file_path=tools.folder, file_name="places")
    main = tools.object(
        PLACES[: PLACES.index("  places_Kernel_Module_t m;")].replace(
            '#include "places.h"', '#include "places.h"\n#include "CuteDSLRuntime.h"'
        )
        + """
  CuteDSLRT_Module_t *m = NULL;
  CuteDSLRT_Function_t *f = NULL;
  struct CUstream_st *stream = NULL;
  uint8_t flag = 1;
  int32_t result = -1;
  void *args[6];
  int i;
  t.data = out;
  b.data = bias;
  b.dynamic_shapes[0] = 2;
  shape.m1 = 7;
  shape.m2_0 = 1LL << 40;
  config.scale = 0.125;
  config.bias = &b;
  config.steps_0 = -3;
  args[0] = &t; args[1] = &shape; args[2] = &config; args[3] = &flag; args[4] = &stream; args[5] = &result;
  if (CuteDSLRT_Module_Load(&m, "places.o") || CuteDSLRT_Module_Get_Function(&f, m, "places") ||
      CuteDSLRT_Function_Run(f, args, 6)) { puts(CuteDSLRT_Get_Last_Error()); return 1; }
  for (i = 0; i < 7; ++i) printf("%g ", out[i]);
  puts("");
  if (CuteDSLRT_Function_Run(f, args, 7) != CuteDSLRT_Error_InvalidValue) return 2;
  puts(CuteDSLRT_Get_Last_Error());
  return CuteDSLRT_Module_Destroy(m);
}
"""
    )
    lines = tools.run(tools.shared(main, library="cute_dsl_runtime -lcuda_dialect_runtime".split()))
    assert lines.stdout == WANTED + (
        "`places` takes 6 addresses, of its arguments and of the result, but got 7\n"
    )


@pytest.mark.parametrize("abi", ["plain", "open"])
def test_loaded_in_python(tools, abi):
    """Structures, keywords and defaults as the original function takes them."""
    path = tools.folder / "places.o"
    if abi == "plain":
        compiled_places().export_to_c(file_path=tools.folder, file_name="places")
    else:
        compiled_places().export_to_c(path, function_name="places")
    function = cute.runtime.load_module(path).places
    bias = np.array([1, 2.5], np.float32)
    for call in (
        lambda out: function(out, (4, 7, (1 << 40, 5)), Config(0.125, bias, (-3, 3)), stream=None),
        lambda out: function(out, config=Config(0.125, bias, (-3, 3)), shape=(4, 7, (1 << 40, 5))),
    ):
        out = np.zeros(7)
        call(out)
        np.testing.assert_array_equal(out, [7, 1 << 40, 9, 0.125, 2.5, -3, 1])
    with pytest.raises(ValueError, match=r"shape\[0\]"):
        function(np.zeros(7), (3, 7, (1, 5)), Config(0.125, bias, (-3, 3)))


@cute.kernel
def device_double(x: cute.Tensor):
    i, j = cute.arch.block_idx()[0], cute.arch.thread_idx()[0]
    if j < x.shape[1]:
        x[i, j] = x[i, j] * 2.0


@cute.jit
def double(x: cute.Tensor):
    device_double(x).launch(grid=x.shape[0], block=64)


def example(spelling):
    shape = (cute.sym_int(), cute.sym_int())
    if spelling == "from_dlpack":
        x = np.zeros((4, 6), np.float32)
        return cute.runtime.from_dlpack(x, use_32bit_stride=True).mark_layout_dynamic()
    if spelling == "make_fake_tensor":
        stride = (cute.sym_int64(), 1)
        return cute.runtime.make_fake_tensor(
            fairlead.Float32, shape, stride, use_32bit_strides=True
        )
    narrow = {} if spelling == "wide" else {spelling: True}
    return cute.runtime.make_fake_compact_tensor(
        fairlead.Float32, shape, stride_order=(1, 0), **narrow
    )


@pytest.mark.parametrize(
    "spelling",
    ["use_32bit_stride", "use_32bit_strides", "make_fake_tensor", "from_dlpack", "wide"],
)
def test_strides_of_32_bits(tools, spelling):
    bits = 64 if spelling == "wide" else 32
    cute.compile(double, example(spelling), options="--target cpu").export_to_c(
        file_path=tools.folder, file_name="double", function_prefix="twice"
    )
    text = (tools.folder / "double.h").read_text()
    assert (
        f"int32_t dynamic_shapes[2]; /* [0]: n0 of mode 0; [1]: n1 of mode 1 */\n  int{bits}_t"
        in text
    )
    main = tools.object(
        """
#include <stdio.h>
#include "double.h"
int main(void) {
  float x[2][8] = {{1, 2, 3}, {4, 5, 6}};
  twice_Tensor_x_t t;
  twice_Kernel_Module_t m;
  t.data = x;
  t.dynamic_shapes[0] = 2; t.dynamic_shapes[1] = STRIDE == 8 ? 3 : 8;
  t.dynamic_strides[0] = 8;
  if (twice_Kernel_Module_Load(&m) || cute_dsl_twice_wrapper(&m, &t)) { puts(FairleadCLastError()); return 1; }
  printf("%d: %g %g %g\\n", (int)sizeof(t.dynamic_strides[0]) * 8, x[0][2], x[1][0], x[1][2]);
  return 0;
}
""",
        f"-DSTRIDE={8 if spelling in ('make_fake_tensor', 'from_dlpack') else 0}",
    )
    program = tools.static(main, tools.folder / "double.o")
    assert tools.run(program).stdout == f"{bits}: 6 8 12\n"


def test_a_header_of_other_widths_does_not_link(tools):
    for name, spelling in (("wide", "wide"), ("narrow", "use_32bit_stride")):
        cute.compile(double, example(spelling), options="--target cpu").export_to_c(
            file_path=tools.folder, file_name=name, function_prefix="twice"
        )
    main = tools.object(
        '#include "wide.h"\nint main(void) { twice_Kernel_Module_t m; return twice_Kernel_Module_Load(&m); }\n'
    )
    assert tools.static(main, tools.folder / "wide.o")
    done = tools.static(main, tools.folder / "narrow.o", check=False)
    assert done.returncode != 0 and "undefined reference to `twice_header_" in done.stderr


@cute.jit
def keywords(a: cute.Tensor, register: fairlead.Int32, π: fairlead.Int32, auto: tuple):
    pass


@cute.jit
def names_of_the_header(
    module: cute.Tensor,
    int32_t: fairlead.Int32,
    uint8_t: fairlead.Int32,
    result: fairlead.Int32,
    args: fairlead.Int32,
    FairleadCRun_1: fairlead.Int32,
    stderr: fairlead.Int32,
):
    pass


@pytest.mark.parametrize(("compiler", "suffix", "standard"), COMPILERS)
def test_every_header_compiles(tools, compiler, suffix, standard):
    """All functions are in one file."""
    pair = (fairlead.Int32, fairlead.Int32)
    unlike = cute.compile(
        keywords,
        aot_kernels.vector(3),
        fairlead.Int32,
        fairlead.Int32,
        pair,
        options="--target cpu",
    )
    functions = {
        "add": aot_kernels.compiled_add_one(),
        "scale": aot_kernels.compiled_scale(),
        "wide": aot_kernels.compiled_scale(width=64),
        "printing": aot_kernels.compiled_print(),
        "places": compiled_places(),
        "unlike": unlike,
        "while": unlike,
        "int32_t": cute.compile(
            names_of_the_header,
            aot_kernels.vector(3),
            *[fairlead.Int32] * 6,
            options="--target cpu",
        ),
        "gpu": aot_kernels.compiled_scale("cuda:sm_90a"),
        "many": aot_kernels.compiled_add_one("cuda:sm_80,ptx:compute_90,cpu:any"),
        "narrow": cute.compile(double, example("use_32bit_stride"), options="--target cpu"),
    }
    for name, function in functions.items():
        function.export_to_c(file_path=tools.folder, file_name=name)
    lines = [f'#include "{name}.h"\n' for name in functions]
    for text in [*lines, "".join(lines * 2)]:
        tools.object(text + "int unused;\n", standard, compiler=compiler, suffix=suffix)
