"""The C++ example of products in tensor memory: ptxas assembles it."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from support import blackwell_tensors

_PROGRAM = "example_blackwell_gemm"


def test_pairs_assemble_without_spills(tmp_path):
    build = os.environ.get("FAIRLEAD_BUILD_DIR")
    programs = sorted(Path(build).rglob(_PROGRAM)) if build else []
    if not programs:
        pytest.skip(f"{_PROGRAM} is not built")
    path = tmp_path / "written.ptx"
    environment = {**os.environ, "BLACKWELL_GEMM_PTX": str(path)}
    subprocess.run([programs[0]], env=environment, capture_output=True, check=True)
    text = path.read_text()
    assert len(re.findall(r"tcgen05\.mma\.cta_group::2", text)) == 4  # one for each 16 of K = 64
    blackwell_tensors.assemble(text, tmp_path)
