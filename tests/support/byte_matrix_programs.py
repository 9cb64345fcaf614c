"""ldmatrix of elements that are bytes in registers: a warp's registers as arrays."""

import numpy as np

from fairlead import Int8, cute, utils
from fairlead.cute.nvgpu import warp


class ByteMatrices:
    """Each lane's bytes of ldmatrix: `registers` (32, n) of `rows` (m, 16), whose bytes it has in shared memory."""

    def __init__(self, op, transposed, matrices):
        self.op = op
        self.rows = (16 if transposed else 8) * matrices
        # Of lane 4 i + c, as PTX says it: rows 4 c to 4 c + 3 of columns i and i + 8, or columns 4 c to 4 c + 3 of
        # row i.
        if transposed:
            strides = (4, self.rows), (1, 8 * self.rows, 16)
            self.values = (4, 2, matrices)
        else:
            strides = (4 * self.rows, 1), (self.rows, 8)
            self.values = (4, matrices)
        self.elements = cute.make_layout(((4, 8), self.values), stride=strides)

    @cute.jit
    def __call__(self, rows: cute.Tensor, registers: cute.Tensor):
        self.load(rows, registers).launch(grid=(1, 1, 1), block=(32, 1, 1))

    @cute.kernel
    def load(self, rows: cute.Tensor, registers: cute.Tensor):
        lane, _, _ = cute.arch.thread_idx()
        shape = (self.rows, 16)
        shared = utils.SmemAllocator().allocate_tensor(
            Int8, cute.make_ordered_layout(shape, (1, 0)), 128
        )
        for place in range(lane, 16 * self.rows, 32):
            shared[place // 16, place % 16] = rows[place // 16, place % 16]
        cute.arch.sync_threads()
        atom = cute.make_copy_atom(self.op, Int8)
        copy = cute.make_tiled_copy(atom, self.elements, shape)
        source = copy.get_slice(lane).partition_S(shared)
        fragment = cute.make_rmem_tensor(copy.get_slice(lane).partition_D(shared).shape, Int8)
        cute.copy(copy, source, fragment)
        for value in range(cute.size(fragment)):
            registers[lane, value] = fragment[value]


def elements_of(rows, bits):
    """Return the first 16 elements of `bits` bits of each row of bytes, the lowest bits first."""
    every_bit = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")[:, : 16 * bits]
    return np.packbits(every_bit.reshape(len(rows), 16, bits), axis=2, bitorder="little")[
        ..., 0
    ].astype(np.int8)


def registers_of(elements, transposed):
    """Return the bytes of each lane's registers, by PTX's tables of fragments."""
    per_matrix = 16 if transposed else 8
    lanes = np.arange(32)
    parts = []
    for first in range(0, len(elements), per_matrix):
        for half in range(2 if transposed else 1):
            for byte in range(4):
                along, line = 4 * (lanes % 4) + byte, lanes // 4
                row, column = (along, line + 8 * half) if transposed else (line, along)
                parts.append(elements[first + row, column])
    return np.stack(parts, axis=1)


#: Operations by the form of the instruction.
FORMS = {
    f"m16n16.x{matrices}.trans.shared.{source}": (
        warp.LdMatrix16x16x8bOp(num_matrices=matrices, unpack_bits=bits), True, matrices, bits or 8
    )
    for matrices in (1, 2)
    for bits, source in ((None, "b8"), (6, "b8x16.b6x16_p32"), (4, "b8x16.b4x16_p64"))
} | {
    f"m8n16.x{matrices}.shared.{source}": (
        warp.LdMatrix8x16x8bOp(num_matrices=matrices, unpack_bits=bits), False, matrices, bits
    )
    for matrices in (1, 2, 4)
    for bits, source in ((6, "b8x16.b6x16_p32"), (4, "b8x16.b4x16_p64"))
}  # fmt: skip


def arrays_of(name):
    """Return the rows of a form, whose padding is not 0, an array for the registers, and what it should hold."""
    _, transposed, matrices, bits = FORMS[name]
    shape = ((16 if transposed else 8) * matrices, 16)
    rows = np.random.default_rng(len(name)).integers(-128, 128, shape, np.int8)
    expected = registers_of(elements_of(rows, bits), transposed)
    return rows, np.zeros_like(expected), expected
