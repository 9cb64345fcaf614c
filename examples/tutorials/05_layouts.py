# %% [markdown]
# # 5. Layouts, with pictures
#
# A **layout** maps coordinates to positions in memory. Everything about tiles, copies and tensor cores in the next
# tutorials is arithmetic on layouts. You will
#
# - read and write layouts, `(4,8):(8,1)`,
# - cut tensors into tiles and deal tiles to threads, and
# - see why shared memory is swizzled.
#
# All of it works outside of kernels too: a layout of numbers is an ordinary object. `--plots FOLDER` writes the
# pictures as SVG files; a notebook shows a layout as its picture.

# %%
import os

from tutorial import Tutorial

from fairlead import cute, pictures

tutorial = Tutorial("05_layouts")


def show(name: str, picture: pictures.Picture) -> None:
    print(picture, "\n")
    if tutorial.plots:
        os.makedirs(tutorial.plots, exist_ok=True)
        picture.save(os.path.join(tutorial.plots, f"05_{name}.svg"))


# %% [markdown]
# ## Shape and stride
#
# A layout has a shape and, for each mode of it, a stride. The index of a coordinate is the sum of
# `coordinate * stride`. Row-major and column-major are two strides of one shape:

# %%
row_major = cute.make_layout((4, 8), stride=(8, 1))
column_major = cute.make_layout((4, 8), stride=(1, 4))
print(row_major, "puts (2, 3) at", row_major((2, 3)))
print(column_major, "puts (2, 3) at", column_major((2, 3)))
assert row_major((2, 3)) == 2 * 8 + 3
assert column_major((2, 3)) == 2 + 3 * 4
show("row_major", pictures.layout(row_major))
show("column_major", pictures.layout(column_major))

# %% [markdown]
# Without `stride=`, a layout is column-major: the first mode is the contiguous one. That is the rule everywhere in the
# language, and the reason for `stride_order=(1, 0)` in stand-ins for NumPy's matrices.
#
# A layout also takes one number, a *linear coordinate*, which counts down the columns. `cute.size` is the number of
# coordinates, and `cute.cosize` the number of positions up to the last one that is used.

# %%
padded = cute.make_layout((4, 8), stride=(9, 1))
print(padded, "has", cute.size(padded), "coordinates in", cute.cosize(padded), "positions")
assert row_major(1) == row_major((1, 0)) == 8
assert (cute.size(padded), cute.cosize(padded)) == (32, 3 * 9 + 7 + 1)

# %% [markdown]
# ## Nested modes
#
# A mode may itself have a shape and strides. `(4,(2,4)):(2,(1,8))` is 4 x 8: its columns come in pairs that are
# neighbours, and the pairs are 8 apart. Thick rules separate the parts.

# %%
nested = cute.make_layout((4, (2, 4)), stride=(2, (1, 8)))
show("nested", pictures.layout(nested))
assert nested((0, 1)) == 1 and nested((1, 0)) == 2 and nested((0, 2)) == 8

# %% [markdown]
# ## Tiles
#
# `cute.zipped_divide(layout, tiler)` cuts a layout into tiles: the first mode of the result walks inside a tile, the
# second from tile to tile. On tensors, `cute.local_tile(t, tiler, coord)` is one of these tiles, which is how a block
# finds its part.

# %%
tiles = cute.zipped_divide(cute.make_layout((8, 8), stride=(8, 1)), (4, 4))
print("tiles:", tiles)
assert cute.size(tiles, mode=[0]) == 16 and cute.size(tiles, mode=[1]) == 4

# %% [markdown]
# ## Threads and values
#
# Who works on which element? A **thread-value layout** maps (thread, value) to a place of the tile. `make_layout_tv`
# makes one from the arrangement of the threads and that of the values of each: here 4 x 8 threads with 2 x 2 values
# each make a tile of 8 x 16.

# %%
tile, tv = cute.make_layout_tv(
    cute.make_layout((4, 8), stride=(8, 1)), cute.make_layout((2, 2), stride=(2, 1))
)
print("tile", tile, "by", tv)
show("threads", pictures.thread_values(tv, tile, thread=9))

# %% [markdown]
# The part of thread 9 of a row-major tile of memory, and the 128-byte lines that the first access of a warp touches:

# %%
memory = cute.make_layout((8, 16), stride=(16, 1))
show("partition", pictures.partition(memory, tv, thread=9))
show("coalescing", pictures.coalescing(memory, cute.Float32, tv))

# %% [markdown]
# The 32 threads use a quarter of each line with one value; the other values of the same threads use the rest, so
# that nothing is wasted as long as the lines stay in the cache.
#
# ## Banks and swizzles
#
# Shared memory has 32 banks of 4 bytes. Threads of a warp that want different words of one bank wait for each other. A
# tile of 32 x 32 Float32 is fine by rows, but by columns all 32 threads of a warp want the same bank:

# %%
matrix = cute.make_layout((32, 32), stride=(32, 1))
columns = cute.make_layout((32, 32), stride=(1, 32))  # (thread, value) -> counted down the columns
picture = pictures.banks(matrix, cute.Float32, columns)
show("conflicts", picture)
assert all(access.conflicts == 31 for access in picture.accesses)

# %% [markdown]
# A **swizzle** permutes the columns within each row, by xor with bits of the row, so that a column is spread over all
# banks. `make_swizzle(5, 0, 5)` xors the 5 bits of the column with the 5 bits of the row:

# %%
swizzled = cute.make_composed_layout(cute.make_swizzle(5, 0, 5), 0, matrix)
picture = pictures.banks(swizzled, cute.Float32, columns)
show("swizzled", picture)
assert all(access.conflicts == 0 for access in picture.accesses)

# %% [markdown]
# The picture shows each bank once in every column and every row. The kernel does not change: it indexes the tensor as
# before, and the layout does the rest.
#
# ## Tensor cores
#
# The instructions of tensor cores want each element in a certain thread. That, too, is a layout: here where a warp
# holds the 16 x 8 results of one instruction.

# %%
atom = cute.make_mma_atom(cute.nvgpu.warp.MmaF16BF16Op(cute.Float16, cute.Float32, (16, 8, 16)))
show("mma", pictures.mma(atom, "C"))

# %% [markdown]
# **Try it**: which swizzle makes a tile of 64 x 32 Float16, rows contiguous, free of conflicts when 8 threads read
# 16 bytes of 8 rows? (`pictures.banks` says; the next tutorial uses it.)
#
# Next: [a tiled copy](06_tiled_copy.py).
