"""Names of newer published libraries: bulk copies by pointers, C values of an object's parts."""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

PTXAS = os.environ.get("FAIRLEAD_PTXAS") or shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"


def run(tmp_path, text):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(text))
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_bulk_copies_by_pointers(tmp_path):
    ptx = run(tmp_path, """
        import fairlead.compat
        import cutlass
        import cutlass.cute as cute
        from cutlass._mlir.dialects import llvm
        from cutlass.experimental import primitives as prims

        @cute.kernel
        def store(out: cute.Tensor):
            tile = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(128), 128)
            thread, _, _ = cute.arch.thread_idx()
            tile[thread] = thread * 0.5
            cute.arch.fence_proxy("async.shared", space="cta")
            cute.arch.sync_threads()
            if thread == 0:
                there = llvm.PointerType.get(cutlass.AddressSpace.gmem.value)
                there = llvm.addrspacecast(there, out.iterator.to_llvm_ptr())
                here = tile.iterator.to_llvm_ptr(loc=None, ip=None)
                prims.cp_async_bulk_global_shared_cta(there, here, 512)
                prims.cp_reduce_async_bulk_global_shared_cta(
                    there, here, cutlass.Int32(thread + 512), op=prims.CpReduceOp.ADD,
                    type=prims.CpReduceType.F32, noftz=False,
                )
                prims.cp_reduce_async_bulk_global_shared_cta(
                    there, here, 512, op=prims.CpReduceOp("add"), type=prims.CpReduceType.F16, noftz=True
                )
                cute.arch.cp_async_bulk_commit_group()
                cute.arch.cp_async_bulk_wait_group(0, read=True)

        @cute.jit
        def host(out: cute.Tensor):
            store(out).launch(grid=[1, 1, 1], block=[128, 1, 1])

        out = cute.runtime.make_fake_compact_tensor(cutlass.Float32, (128,), assumed_align=16)
        print(cute.compile(host, out, options="--target cuda:sm_90a").__ptx__)
    """)  # fmt: skip
    for words in ("cp.async", "cp.reduce.async"):
        assert f"{words}.bulk.global.shared::cta.bulk_group" in ptx
    assert ".bulk_group.add.f32 [" in ptx and ".bulk_group.add.noftz.f16 [" in ptx
    if not os.path.exists(PTXAS):
        pytest.skip("no ptxas here")
    path = tmp_path / "kernel.ptx"
    path.write_text(ptx)
    done = subprocess.run(
        [PTXAS, "-arch=sm_90a", path, "-o", tmp_path / "kernel.cubin"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_c_values_of_parts(tmp_path):
    """A tuple with methods made from those of its fields."""
    out = run(tmp_path, """
        from typing import NamedTuple
        import numpy as np
        import fairlead.compat
        import cutlass
        import cutlass.cute as cute
        from cutlass.base_dsl.typing import JitArgument, get_c_pointers, get_mlir_types
        from cutlass.cute.runtime import from_dlpack

        class Given(JitArgument):
            def __init__(self, data, number):
                self.fields = data, number

            def __c_pointers__(self):
                return [p for each in self.fields for p in get_c_pointers(each)]

            def __get_mlir_types__(self):
                return [t for each in self.fields for t in get_mlir_types(each)]

            def __extract_mlir_values__(self):
                return [v for each in self.fields for v in cutlass.extract_mlir_values(each)]

            def __new_from_mlir_values__(self, values):
                return Given(*values)

        @cute.kernel
        def fill(given):
            data, number = given.fields
            thread, _, _ = cute.arch.thread_idx()
            data[thread] = number + thread

        @cute.jit
        def host(given):
            fill(given).launch(grid=[1, 1, 1], block=[4, 1, 1])

        data = np.zeros(4, np.int32)
        f = cute.compile(host, Given(from_dlpack(data), cutlass.Int32(7)), options="--target cpu")
        f(Given(from_dlpack(data), cutlass.Int32(9)))
        print(data.tolist())
    """)  # fmt: skip
    assert out.strip() == "[9, 10, 11, 12]"
