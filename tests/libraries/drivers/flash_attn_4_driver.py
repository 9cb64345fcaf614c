"""flash-attn-4: attention for Hopper and Blackwell on small shapes."""

from collections.abc import Callable

from attention import attention, forward_kernels
from compare import with_blackwell
from flash_attn.cute import flash_attn_func, flash_attn_varlen_func

HOPPER = forward_kernels(flash_attn_func, flash_attn_varlen_func) | {
    "backward": lambda: attention(flash_attn_func, 128, 128, (2, 2), 64, derivatives=True),
    "backward, causal": lambda: attention(
        flash_attn_func, 128, 128, (2, 1), 128, derivatives=True, causal=True
    ),
}


def _for_blackwell(kernel: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        with_blackwell()
        kernel()

    return run


BLACKWELL = {f"{name}, sm_100": _for_blackwell(kernel) for name, kernel in HOPPER.items()}
KERNELS = HOPPER | BLACKWELL

ARCHITECTURES = dict.fromkeys(BLACKWELL, "sm_100a")
