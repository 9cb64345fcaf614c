"""Copies of tensors that may be aligned, at addresses that are and at addresses that are not."""

import pytest

torch = pytest.importorskip("torch")
from support import wide_copy_programs as programs  # noqa: E402


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("case", programs.CASES)
def test_values(case, guarded):
    programs.check_case(
        programs.compile_add(guarded),
        case,
        lambda flat: torch.from_numpy(flat.copy()).cuda(),
        lambda flat: flat.cpu().numpy(),
        guarded,
    )
