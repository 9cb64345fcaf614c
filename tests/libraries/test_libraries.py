"""Published libraries of kernels, unmodified, over fairlead.compat on the CPU: the table's results must stay."""

import pytest
import table


@pytest.mark.timeout(2 * table.LIMIT)
@pytest.mark.parametrize("package", table.packages())
def test_nothing_is_lost(package):
    recorded = table.read()["packages"]
    assert package in recorded, f"{package} has no row: python tests/libraries/table.py"
    lost = table.losses(recorded[package], table.measure(package))
    assert not lost, "\n".join([f"{package} could more before:", *lost])
