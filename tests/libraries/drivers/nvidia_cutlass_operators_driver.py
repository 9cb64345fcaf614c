"""nvidia-cutlass-operators: products for sm_80 and sm_90 on small shapes."""

import torch
from compare import agree, with_capability

BF16 = torch.bfloat16


def _gemm(capability: tuple[int, int], target: str, name: str) -> None:
    with_capability(*capability)
    import cutlass.operators as ops

    torch.manual_seed(0)
    a = torch.randn(1, 256, 128, dtype=BF16, device="cuda")
    b = torch.randn(1, 128, 256, dtype=BF16, device="cuda")
    out = torch.empty(1, 256, 256, dtype=BF16, device="cuda")
    arguments = ops.GemmArguments(a, b, out, accumulator_type=torch.float32)
    operators = ops.get_operators(
        arguments, lambda about: name in about.operator_name.lower(), target_sm=target
    )
    assert operators, f"no operator of {name}"
    operators[0].run(arguments)
    agree(out, a.double() @ b.double())


KERNELS = {
    "GEMM for sm_90": lambda: _gemm((9, 0), "90a", "sm90"),
    "GEMM for sm_80": lambda: _gemm((8, 0), "80", "sm80"),
}
