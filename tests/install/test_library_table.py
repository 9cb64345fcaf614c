"""The table of results with published libraries (tests/libraries), and its part of docs/migrate.md."""

import copy
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "libraries"
sys.path.insert(0, str(FOLDER))

import names  # noqa: E402
import table  # noqa: E402


def test_page_shows_the_table():
    page = table.DOCS.read_text(encoding="utf-8")
    assert table.with_table(page, table.read()) == page, "python tests/libraries/table.py --docs"


def test_what_is_lost_is_named():
    before = {
        "modules": 3,
        "failing": {"a.old": "TypeError: x"},
        "missing": {"cutlass.a": 1},
        "kernels": {"softmax": table.AGREES, "GEMM": "ValueError: y"},
        "machine_code": {"softmax": "sm_90a", "GEMM": "RuntimeError: y"},
    }
    assert table.losses(before, copy.deepcopy(before)) == []
    now = {
        "modules": 3,
        "failing": {"a.old": "TypeError: z", "a.new": "ImportError: z"},
        "missing": {"cutlass.a": 2, "cutlass.b": 1},
        "kernels": {"softmax": "differs", "GEMM": table.AGREES},
        "machine_code": {"softmax": "RuntimeError: z", "GEMM": "sm_90a"},
    }
    assert table.losses(before, now) == [
        "a.new does not import: ImportError: z",
        "cutlass.a is missing (modules that use it: 2)",
        "cutlass.b is missing (modules that use it: 1)",
        "kernel softmax: differs",
        "machine code of kernel softmax: RuntimeError: z",
    ]


def test_names_that_a_module_uses(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(
        "import cutlass.cute as cute\n"
        "from cutlass import Float32 as F, nothing_here\n"
        "from other import thing\n"
        "cute.arch.thread_idx(); F.width; thing.x; nothing_here.y\n"
    )
    assert names.used_names(module) == {
        *("cutlass.cute", "cutlass.cute.arch.thread_idx"),
        *("cutlass.Float32", "cutlass.Float32.width"),
        *("cutlass.nothing_here", "cutlass.nothing_here.y"),
    }


def test_missing_names_and_stand_ins(tmp_path):
    import fairlead.compat
    from fairlead.compat import _later_gpus

    module = tmp_path / "module.py"
    module.write_text("import cutlass\ncutlass.Float32; cutlass.nothing_here.y; cutlass.own.x\n")
    assert names.missing_names(module, ("cutlass.own",)) == ["cutlass.nothing_here.y"]
    assert fairlead.compat
    assert _later_gpus.is_stand_in(_later_gpus.stand_in("Later"))
