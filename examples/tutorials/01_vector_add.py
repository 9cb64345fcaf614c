# %% [markdown]
# # 1. Vector addition
#
# A first kernel: `c[i] = a[i] + b[i]`. You will
#
# - write a kernel and the host function that launches it,
# - compile it for the CPU and for a GPU,
# - call it with arrays of NumPy, PyTorch and JAX, and
# - see what happens when a call does not fit.
#
# Run it with `python 01_vector_add.py`; `--device cuda` runs it on a GPU. The same program in C++ is
# [01_vector_add.cpp](01_vector_add.cpp).

# %%
import numpy as np
from tutorial import Tutorial

from fairlead import cute

tutorial = Tutorial("01_vector_add")

# %% [markdown]
# ## The kernel
#
# A kernel is what **one thread** does, as in CUDA. `cute.arch.thread_idx()` and `cute.arch.block_idx()` are tuples
# `(x, y, z)`, CUDA's `threadIdx` and `blockIdx`. The last block may reach beyond the end of the vectors, so the
# access is guarded by `if i < n`.

# %%
THREADS = 256


@cute.kernel
def add_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * THREADS + thread
    if i < c.shape[0]:
        c[i] = a[i] + b[i]


# %% [markdown]
# ## The host function
#
# A kernel is launched by a host function, which is decorated with `@cute.jit`. It runs when you call it, before the
# kernel: here it computes how many blocks there are.


# %%
@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    blocks = cute.ceil_div(c.shape[0], THREADS)
    add_kernel(a, b, c).launch(grid=(blocks, 1, 1), block=(THREADS, 1, 1))


# %% [markdown]
# ## Compile
#
# `cute.compile` takes one stand-in for each argument. A stand-in has fixed properties (the element type, the number of
# dimensions) and variable ones (the length). One symbol `n` in all three means that the lengths are equal,
# which every call checks.

# %%
n = cute.sym_int()
vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
compiled = cute.compile(add, vector, vector, vector, options=tutorial.target)
print(compiled.signature)

# %% [markdown]
# The signature shows the parameters of a call: `add(a: Tensor([n0], float32), b: Tensor([n0], float32), ...)`.
#
# ## Call it
#
# The compiled function takes any array that speaks DLPack. It writes into `c`; it returns nothing.

# %%
a = np.arange(1000, dtype=np.float32)
b = np.full(1000, 0.5, np.float32)
x, y, z = (tutorial.array(values) for values in (a, b, np.empty_like(a)))
compiled(x, y, z)
np.testing.assert_array_equal(tutorial.numpy(z), a + b)
print("NumPy" if tutorial.device == "cpu" else "PyTorch on the GPU", tutorial.numpy(z)[:4])

# %% [markdown]
# PyTorch tensors and JAX arrays go the same way. (JAX arrays cannot be written to, so the result is NumPy's here.)

# %%
try:
    import torch

    out = torch.empty(1000, device=tutorial.device)
    compiled(torch.from_numpy(a).to(tutorial.device), torch.from_numpy(b).to(tutorial.device), out)
    print("PyTorch", out[:4].cpu().numpy())
except ImportError:
    print("PyTorch is not installed: left out")

if tutorial.device == "cpu":
    try:
        import jax.numpy as jnp

        result = np.empty_like(a)
        compiled(jnp.asarray(a), jnp.asarray(b), result)
        np.testing.assert_array_equal(result, a + b)
        print("JAX", result[:4])
    except ImportError:
        print("JAX is not installed: left out")

# %% [markdown]
# ## A call that does not fit
#
# The checks are code that was generated for this function. A vector of another length is a `ValueError` that names
# the argument, and the process goes on.

# %%
try:
    compiled(x, y, z[:10])
except ValueError as error:
    print(f"ValueError: {error}")
else:
    raise SystemExit("a vector of another length was taken")

# %% [markdown]
# ## How fast is it?
#
# Each element is read twice and written once: 12 bytes. What counts for such a kernel is bytes per second, and the
# limit is the memory (or the cache, for small vectors). Expect it to be as fast as NumPy's own `np.add` from some ten
# thousand elements on; below that, the call itself counts, which takes a few hundred nanoseconds.

# %%
lengths = tutorial.sizes([2**i for i in range(10, 25, 2)], quick=[2**10, 2**14])
ours, numpys = [], []
for length in lengths:
    a, b = np.random.rand(2, length).astype(np.float32)
    c = np.empty_like(a)
    x, y, z = map(tutorial.array, (a, b, c))
    gigabytes = 12 * length / 1e9
    ours.append(gigabytes / tutorial.microseconds(lambda: compiled(x, y, z)) * 1e6)
    numpys.append(gigabytes / tutorial.microseconds(lambda: np.add(a, b, out=c)) * 1e6)
tutorial.plot(lengths, {"fairlead": ours, "np.add": numpys}, "elements", "GB/s")

# %% [markdown]
# **Try it**: let each thread add four elements. (`for k in range(4)` in the kernel, and a quarter of the blocks.)
#
# Next: [a reduction with shared memory](02_reduction.py), where threads work together.
