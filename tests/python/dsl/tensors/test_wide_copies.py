"""Copies of tensors that may be aligned: accesses of 16 bytes where the addresses allow them."""

import re

import pytest
from support import wide_copy_programs as programs


def lines(ptx, instruction):
    return len(re.findall(rf"\b{re.escape(instruction)}\b", ptx))


@pytest.mark.parametrize("guarded", [True, False])
def test_both_forms_are_in_the_kernel(guarded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # --keep-ptx writes a file
    ptx = programs.compile_add(guarded, "--target cuda:sm_90 --keep-ptx").__ptx__
    # 4 rows of 4 elements each: of two sources, and of one destination
    assert lines(ptx, "ld.global.v4.b32") == 8
    assert lines(ptx, "st.global.v4.b32") == 4
    assert lines(ptx, "ld.global.b32") == 32
    assert lines(ptx, "st.global.b32") == 16


@pytest.mark.parametrize("case", programs.CASES)
def test_values_on_the_cpu(case):
    for guarded in (True, False):
        function = programs.compile_add(guarded, "--target cpu,cuda:sm_90")
        programs.check_case(function, case, lambda flat: flat.copy(), lambda flat: flat, guarded)
