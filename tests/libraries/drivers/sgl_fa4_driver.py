"""sgl-fa4: attention for Hopper on small shapes.

Its backward kernels without a mask need heads of 128. For heads of 64, its kernel that prepares them writes blocks of
96 rows into blocks of 80, and so 16 numbers past the end of the sums; its tiles for dQ are none of Hopper's MMA.
"""

from attention import attention, forward_kernels
from sgl_fa4.cute import flash_attn_func, flash_attn_varlen_func

KERNELS = forward_kernels(flash_attn_func, flash_attn_varlen_func) | {
    "backward": lambda: attention(flash_attn_func, 160, 128, (1, 1), 128, derivatives=True),
    "backward, causal": lambda: attention(
        flash_attn_func, 128, 128, (2, 1), 128, derivatives=True, causal=True
    ),
}
