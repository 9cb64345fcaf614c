"""Unsigned numbers of 64 bits in the plain C ABI, including those above the range of int64_t."""

import numpy as np

from fairlead import cute

PROGRAM = """
#include <stdio.h>
#include "store.h"
int main(void) {
  uint64_t numbers[] = {0, 5, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX}, out[1];
  int i;
  store_Tensor_out_t target;
  store_Kernel_Module_t module;
  target.data = out;
  if (store_Kernel_Module_Load(&module) != 0) return 1;
  for (i = 0; i < 5; ++i) {
    out[0] = 99;
    if (cute_dsl_store_wrapper(&module, numbers[i], &target)) { puts(FairleadCLastError()); return 2; }
    printf("%llu\\n", (unsigned long long)out[0]);
  }
  return 0;
}
"""
NUMBERS = [0, 5, 2**63 - 1, 2**63, 2**64 - 1]


def compiled_store():
    @cute.jit
    def store(x: cute.Uint64, out: cute.Tensor):
        out[0] = x

    fake = cute.runtime.make_fake_compact_tensor(cute.Uint64, (1,))
    return cute.compile(store, cute.Uint64(1), fake, options="--target cpu")


def test_called_from_c(tools):
    compiled_store().export_to_c(file_path=tools.folder, file_name="store", function_prefix="store")
    main = tools.object(PROGRAM, "-std=c99", compiler="gcc", suffix=".c")
    program = tools.static(main, tools.folder / "store.o")
    assert tools.run(program).stdout == "".join(f"{number}\n" for number in NUMBERS)


def test_called_from_python(tools):
    compiled_store().export_to_c(file_path=tools.folder, file_name="store", function_prefix="store")
    compiled_store().export_to_c(tools.folder / "open.o", function_name="store")
    for file in ("store.o", "open.o"):
        module = cute.runtime.load_module(tools.folder / file)
        for number in NUMBERS:
            out = np.zeros(1, np.uint64)
            module.store(number, out)
            assert out[0] == number
