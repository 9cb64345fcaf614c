# %% [markdown]
# # 11. Export, and load without Python
#
# A compiled function is written to a file, and called from a C program that has neither Python nor a compiler in it.
# You will
#
# - export a function with the **plain C** interface: a header and an object,
# - compile and run a C program with it, and
# - export the same function for the open ABI, and load that in Python.
#
# When to use each? Plain C for programs in C and C++ that know the function when they are compiled. The open ABI for
# everything that loads functions by name: PyTorch, JAX, other languages.

# %%
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap

import numpy as np
from tutorial import Tutorial

from fairlead import config, cute

tutorial = Tutorial("11_export")
folder = tempfile.mkdtemp(prefix="fairlead-tutorial-")


@cute.kernel
def scale_kernel(x: cute.Tensor, factor: cute.Float32, y: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * 256 + thread
    if i < x.shape[0]:
        y[i] = factor * x[i]


@cute.jit
def scale(x: cute.Tensor, factor: cute.Float32, y: cute.Tensor):
    scale_kernel(x, factor, y).launch(grid=cute.ceil_div(x.shape[0], 256), block=256)


n = cute.sym_int()
vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
compiled = cute.compile(scale, vector, cute.Float32, vector, options="--target cpu")

# %% [markdown]
# ## Plain C
#
# `export_to_c(file_path=, file_name=, function_prefix=)` writes `scale.h` and `scale.o`. The header declares a struct
# for each tensor, with the address and the variable extents, and a function that checks the arguments and runs.

# %%
compiled.export_to_c(file_path=folder, file_name="scale", function_prefix="scale")
with open(os.path.join(folder, "scale.h")) as file:
    header = file.read()
print(*(line for line in header.splitlines() if "cute_dsl_scale_wrapper(" in line), sep="\n")

with open(os.path.join(folder, "main.c"), "w") as file:
    file.write(
        textwrap.dedent(
            """\
            #include <stdio.h>
            #include "scale.h"

            int main(void) {
              float x[4] = {1, 2, 3, 4}, y[4] = {0};
              scale_Kernel_Module_t module;
              scale_Kernel_Module_Load(&module);
              scale_Tensor_x_t in = {x, {4}};
              scale_Tensor_y_t out = {y, {4}};
              if (cute_dsl_scale_wrapper(&module, &in, 2.5f, &out) != 0) {
                printf("%s\\n", FairleadCLastError());
                return 1;
              }
              printf("%g %g %g %g\\n", y[0], y[1], y[2], y[3]);

              out.dynamic_shapes[0] = 3; /* a length that does not fit */
              if (cute_dsl_scale_wrapper(&module, &in, 2.5f, &out) != 0)
                printf("%s\\n", FairleadCLastError());
              scale_Kernel_Module_Unload(&module);
              return 0;
            }
            """
        )
    )

# %% [markdown]
# Fairlead's runtime is a static library here, so the program is one file, which runs where neither Python nor Fairlead
# is installed:
#
# ```sh
# gcc main.c scale.o $(fairlead-config --libdir)/libcuda_dialect_runtime_static.a \
#     -lm -ldl -lrt -lpthread -lstdc++ -o main
# ```

# %%
compiler = shutil.which("gcc")
if compiler is None:
    print("gcc is not installed: the C program is left out")
    sys.exit(0)
static = os.path.join(config.lib_dir(), "libcuda_dialect_runtime_static.a")
libraries = ["-lm", "-ldl", "-lrt", "-lpthread", "-lstdc++"]
includes = f"-I{config.include_dir()}"
command = [compiler, "main.c", "scale.o", static, *libraries, includes, "-o", "main"]
subprocess.run(command, cwd=folder, check=True)
done = subprocess.run([os.path.join(folder, "main")], capture_output=True, text=True, check=True)
print(done.stdout)
assert (
    done.stdout.startswith("2.5 5 7.5 10\n") and "expected to match x.shape[0] = 4" in done.stdout
)

# %% [markdown]
# The second call was refused by the same checks that a call from Python has.
#
# ## The open ABI
#
# `export_library` writes a shared library whose functions any language finds by name. `load_module` is all that a
# Python program needs; it does not load the compiler.

# %%
library = os.path.join(folder, "libscale.so")
compiled.export_library(library)
module = cute.runtime.load_module(library)
print(module)
x = np.arange(4, dtype=np.float32)
y = np.empty_like(x)
module.scale(x, factor=2.5, y=y)
np.testing.assert_array_equal(y, 2.5 * x)
print(y)

# %% [markdown]
# ## What does a call cost?
#
# In microseconds, for four elements: loaded from the file, as compiled here, and NumPy for comparison. Expect less than
# one, checks of every argument included.

# %%
calls = {
    "loaded": lambda: module.scale(x, 2.5, y),
    "compiled": lambda: compiled(x, 2.5, y),
    "np.multiply": lambda: np.multiply(x, 2.5, out=y),
}
times = {name: [tutorial.microseconds(call)] for name, call in calls.items()}
tutorial.plot([4], times, "elements", "us")

# %% [markdown]
# From C++ with tensors of the open ABI: [call_exported.cpp](../cpp/call_exported.cpp). All about files:
# [export](../../docs/export.md).
#
# Next: [tune and profile](12_tune_and_profile.py).
