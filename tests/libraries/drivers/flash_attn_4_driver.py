"""flash-attn-4: attention for Hopper on small shapes."""

from attention import attention, forward_kernels
from flash_attn.cute import flash_attn_func, flash_attn_varlen_func

KERNELS = forward_kernels(flash_attn_func, flash_attn_varlen_func) | {
    "backward": lambda: attention(flash_attn_func, 128, 128, (2, 2), 64, derivatives=True),
    "backward, causal": lambda: attention(
        flash_attn_func, 128, 128, (2, 1), 128, derivatives=True, causal=True
    ),
}
