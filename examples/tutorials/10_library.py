# %% [markdown]
# # 10. A library of kernels, and a wheel
#
# You want to give kernels to others, who have neither your sources nor the compiler. You will
#
# - export several functions for several kinds of processors,
# - bundle them into **one** shared library with a C header and a Python stub, and
# - pack it into a wheel with a small Python package.
#
# The result needs Fairlead's runtime at the user's machine, no compiler, and works with every version of Python and
# of PyTorch.

# %%
import os
import subprocess
import sys
import tempfile
import textwrap
import zipfile

import numpy as np
from tutorial import Tutorial

from fairlead import cute
from fairlead.bundles import bundle

tutorial = Tutorial("10_library")
folder = tempfile.mkdtemp(prefix="fairlead-tutorial-")


# %% [markdown]
# ## Two functions


# %%
@cute.kernel
def scale_kernel(x: cute.Tensor, factor: cute.Float32, y: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * 256 + thread
    if i < x.shape[0]:
        y[i] = factor * x[i]


@cute.jit
def scale(x: cute.Tensor, factor: cute.Float32, y: cute.Tensor):
    """y = factor * x"""
    scale_kernel(x, factor, y).launch(grid=cute.ceil_div(x.shape[0], 256), block=256)


@cute.jit
def twice(x: cute.Tensor, y: cute.Tensor):
    """y = 2 * x"""
    scale(x, 2.0, y)


# %% [markdown]
# ## Export
#
# Several targets go into one object: here code for every x86-64 processor; the best is chosen when it is
# loaded. Add `cuda:sm_80,cuda:sm_90a` for GPUs; none is needed to compile for them.

# %%
n = cute.sym_int()
vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
target = "--target cpu:any"
objects = []
for function, arguments in ((scale, (vector, cute.Float32, vector)), (twice, (vector, vector))):
    compiled = cute.compile(function, *arguments, options=target)
    objects.append(os.path.join(folder, f"{function.__name__}.o"))
    compiled.export_to_c(objects[-1])

# %% [markdown]
# ## Bundle
#
# `bundle` (or the command `fairlead bundle scale.o twice.o -o libvectors.so`) links them, and writes `vectors.h` for
# C and C++ and `vectors.pyi`, which tells editors the functions' parameters. Equal objects give equal bytes.

# %%
package = os.path.join(folder, "vectors")
os.makedirs(package)
library = bundle(objects, os.path.join(package, "libvectors.so"))
print(sorted(os.listdir(package)))

# %% [markdown]
# ## A Python package
#
# Four lines load the library and hand its functions out.

# %%
with open(os.path.join(package, "__init__.py"), "w") as file:
    file.write(
        textwrap.dedent(
            '''\
            """Vectors, scaled."""
            from pathlib import Path
            from fairlead.cute.runtime import load_module

            _module = load_module(Path(__file__).with_name("libvectors.so"))
            scale, twice = _module.scale, _module.twice
            '''
        )
    )
with open(os.path.join(folder, "pyproject.toml"), "w") as file:
    file.write(
        textwrap.dedent(
            """\
            [build-system]
            requires = ["setuptools>=68"]
            build-backend = "setuptools.build_meta"

            [project]
            name = "vectors"
            version = "1.0"
            dependencies = ["fairlead"]

            [tool.setuptools]
            packages = ["vectors"]
            package-data = { vectors = ["*.so", "*.h", "*.pyi"] }
            """
        )
    )

# %% [markdown]
# `python -m build --wheel` makes `vectors-1.0-py3-none-any.whl` of this folder. Rename its tag to the platform that you
# compiled for (`wheel tags --platform-tag linux_x86_64`), as the library is machine code. The tests of this tutorial
# build the wheel where setuptools is there, without network:

# %%
command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "."]
done = subprocess.run([*command, "-w", "dist"], cwd=folder, capture_output=True, text=True)
if done.returncode == 0:
    (wheel,) = os.listdir(os.path.join(folder, "dist"))
    with zipfile.ZipFile(os.path.join(folder, "dist", wheel)) as archive:
        names = [name for name in archive.namelist() if name.startswith("vectors/")]
    print(wheel, "holds", names)
    assert "vectors/libvectors.so" in names and "vectors/vectors.pyi" in names
else:
    print("no wheel: pip could not build one without network:", done.stderr.strip()[-200:])

# %% [markdown]
# ## Use it
#
# In another process, as a user would. The compiler is not loaded.

# %%
program = """
import sys
import numpy as np
import vectors

x = np.arange(5, dtype=np.float32)
y = np.empty_like(x)
vectors.scale(x, 3.0, y)
print(y)
assert vectors.twice.__doc__ == "y = 2 * x"
assert not any(name == "fairlead._compiler" for name in sys.modules)
try:
    vectors.scale(x, 3.0, y[:2])
except ValueError as error:
    print("ValueError:", error)
"""
path = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
done = subprocess.run(
    [sys.executable, "-c", program],
    env={**os.environ, "PYTHONPATH": path},
    capture_output=True,
    text=True,
)
print(done.stdout, done.stderr)
assert done.returncode == 0 and str(np.array([0, 3, 6, 9, 12], np.float32)) in done.stdout

# %% [markdown]
# ## How large is it?
#
# The library holds the code for each processor, the checks of the arguments and the signatures. There is no runtime in
# it; that is shared by all libraries of a process.

# %%
print(os.path.getsize(library.library), "bytes for two functions and three kinds of processors")

# %% [markdown]
# Libraries in C++ and CUDA, built by CMake: [examples/packaging](../packaging/README.md).
#
# Next: [export, and load without Python](11_export.py).
