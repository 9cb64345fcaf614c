"""`import fairlead.compat` changes nothing for native functions: functions of `cutlass.cute` have a dialect.

In processes of their own, because the import stays.
"""

import subprocess
import sys
import textwrap


def output_of(program, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program))
    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


NATIVE = """
import numpy as np
import fairlead
from fairlead import Float32, Int32, cute, pipeline, utils
from fairlead.cute import nvgpu
from fairlead.cute.runtime import from_dlpack, make_fake_compact_tensor

vector = make_fake_compact_tensor(Float32, (8,))
op = nvgpu.warp.MmaF16BF16Op(cute.Float16, Float32, (16, 8, 16))

def kernel_of(body):
    device = cute.kernel(body)

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    return host

def index_outside(a):
    r = cute.make_rmem_tensor((4,), Float32)
    r[7] = a[0]

def returns(a):
    return a[0] + 1.0

@cute.kernel
def one(a: cute.Tensor):
    a[0] = 1.0

@cute.jit
def without_grid(a: cute.Tensor):
    one(a).launch(block=1)

@cute.jit
def less_shared_memory(a: cute.Tensor):
    shared(a).launch(grid=1, block=1, smem=4)

@cute.kernel
def shared(a: cute.Tensor):
    utils.SmemAllocator().allocate_array(Float32, 16)

@cute.jit
def published_option(a: cute.Tensor):
    one(a).launch(grid=1, block=1, hint_smem_base_uniform=True)

@cute.jit
def needs_number(n: Int32):
    pass

def with_loc(call):
    @cute.jit
    def host(a: cute.Tensor):
        call(a)
    return host

mistakes = {
    "index": kernel_of(index_outside),
    "result": kernel_of(returns),
    "grid": without_grid,
    "smem": less_shared_memory,
    "option": published_option,
    "loc of a function": with_loc(lambda a: cute.make_layout(4, loc=None)),
    "loc of an instruction": with_loc(lambda a: cute.arch.thread_idx(loc=None)),
    "loc of math": with_loc(lambda a: cute.math.exp2(a[0], ip=None)),
    "loc of a method": with_loc(lambda a: a.load(loc=None)),
    "loc of a number": with_loc(lambda a: a[0].to(Int32, ip=None)),
    "loc of a pointer": with_loc(lambda a: a.iterator.toint(loc=None)),
    "loc of an atom": with_loc(lambda a: cute.make_tiled_mma(op).get_slice(0, loc=None)),
    "loc of an object": with_loc(lambda a: utils.SmemAllocator().allocate(4, loc=None)),
    "type of a layout": with_loc(lambda a: cute.make_layout(4).type),
    "address": with_loc(lambda a: a.iterator.to_llvm_ptr()),
}

def errors():
    said = {}
    for name, function in mistakes.items():
        try:
            cute.compile(function, vector, options="--target cpu --no-cache")
            said[name] = None
        except Exception as error:
            said[name] = f"{type(error).__name__}: {error}"
    try:
        cute.compile(needs_number, None, options="--target cpu")
        said["None"] = None
    except Exception as error:
        said["None"] = f"{type(error).__name__}: {error}"
    return said

def texts():
    lines = []

    @cute.jit
    def host(a: cute.Tensor, n: Int32):
        mma = cute.make_tiled_mma(op, (2, 1, 1), permutation_mnk=(32, 8, 16))
        copy = cute.make_copy_atom(nvgpu.CopyUniversalOp(), Float32)
        values = cute.make_rmem_tensor((3, 4), Float32).load()
        swizzled = cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, cute.make_layout((8, 64)))
        for value in (a, a.type, a.layout, a.iterator, n, values, values > 0, swizzled, copy, mma, mma.op,
                      mma.permutation_mnk, mma.get_slice(0), copy.op, cute.AddressSpace.smem, (n, 4),
                      cute.ReductionOp.ADD, cute.size((n, n))):
            lines.append(f"{value} {value!r} {type(value)}")

    cute.compile(host, vector, 8, options="--target cpu --no-cache")
    lines += [str(op), repr(op), f"{cute.AddressSpace.gmem}", str(nvgpu.cpasync.CopyG2SOp())]
    return lines

def prints():
    @cute.jit
    def host(a: cute.Tensor, n: Int32):
        cute.print_tensor(cute.make_identity_tensor((2, 3)), verbose=True)
        big = cute.make_rmem_tensor((6, 7), Int32)
        big.fill(2)
        cute.printf("{} {}", n, big.load())
        cute.print_tensor(big.load())

    import ctypes
    cute.compile(host, vector, 8, options="--target cpu --no-cache")(np.zeros(8, np.float32), 8)
    ctypes.CDLL(None).fflush(None)

def spaces():
    import sys, types
    found = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "fairlead" or name.startswith("fairlead.compat"):
            continue
        found[name] = dict(vars(module))
        for member in list(vars(module).values()):
            if isinstance(member, type) and member.__module__.startswith("fairlead"):
                found[member] = dict(vars(member))
    return found
"""


def test_native_programs(tmp_path):
    """Errors, texts and what runs are the same before and after the import."""
    program = (
        NATIVE
        + """
before = errors(), texts()
assert all(before[0].values()), [name for name, text in before[0].items() if text is None]
prints()
print("-" * 10, flush=True)
import fairlead.compat
assert (errors(), texts()) == before, (errors(), texts(), before)
prints()
"""
    )
    printed, again = output_of(program, tmp_path).split("-" * 10 + "\n")
    assert printed == again and printed


def test_native_modules_and_classes(tmp_path):
    """None of Fairlead's own names is replaced: modules at most load names that they already have."""
    program = (
        NATIVE
        + """
def registry(before, now):
    # Classes that the compiler takes apart; modules which fairlead.compat loads have more of them.
    return isinstance(before, tuple) and isinstance(now, tuple) and set(before) <= set(now)

errors(), texts()
before = spaces()
import fairlead.compat
errors(), texts()
for owner, names in before.items():
    now = vars(sys.modules[owner]) if isinstance(owner, str) else vars(owner)
    changed = [name for name, value in names.items() if now.get(name) is not value and not registry(value, now[name])]
    added = [] if isinstance(owner, str) else [name for name in now if name not in names]
    assert not changed and not added, (owner, changed, added)
    if isinstance(owner, str):
        for name in now.keys() - names.keys():
            home = sys.modules[owner]
            assert f"{owner}.{name}" in sys.modules or name in dir(home), (owner, name)
"""
    )
    output_of("import sys\n" + program, tmp_path)


def test_functions_of_both_kinds_in_one_program(tmp_path):
    """A function's own dialect counts, whoever calls it; plain Python functions inherit it."""
    program = """
    import fairlead.compat
    import cutlass
    import cutlass.cute as published
    from fairlead import Float32, cute, utils

    vector = cute.runtime.make_fake_compact_tensor(Float32, (8,))

    def told(where, layout):
        try:
            print(where, layout.type)
        except AttributeError:
            print(where, "none")

    @cute.jit
    def native(a: cute.Tensor):
        told("native", a.layout)

    @published.jit
    def theirs(a: cute.Tensor):
        told("published", a.layout)
        native(a)
        told("published", a.layout)
        try:
            fails(a)
        except ValueError:
            told("published", a.layout)

    @cute.jit
    def fails(a: cute.Tensor):
        raise ValueError

    @cute.jit
    def both(a: cute.Tensor):
        told("native", a.layout)
        theirs(a)
        device(a).launch(grid=1, block=1)
        told("native", a.layout)

    @published.kernel
    def device(a: cute.Tensor):
        r = cute.make_rmem_tensor((4,), Float32)
        r[7] = a[0]
        return a[0]

    cute.compile(both, vector, options="--target cpu")
    told("outside", cute.make_layout(4))
    published.compile(lambda a: told("published", a.layout), vector, options="--target cpu")
    cute.compile(lambda a: told("native", a.layout), vector, options="--target cpu")
    """
    layout = '!cute.layout<"(8):(1)">'
    published, native = f"published {layout}", "native none"
    assert output_of(program, tmp_path).splitlines() == [
        *(native, published, native, published, published, native, "outside none"),
        *(published, native),
    ]
