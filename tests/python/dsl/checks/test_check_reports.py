"""Findings as JSON and SARIF, and FAIRLEAD_CHECK_REPORT."""

import json

import pytest
from support.check_support import raced, zeros
from test_check_race import total

import fairlead
from fairlead import checks


def test_json():
    findings = raced(total, zeros(1024), zeros(1), False)
    (made,) = json.loads(checks.to_json(findings))
    assert made["kind"] == "race" and made["count"] == 28
    assert [access["line"] for access in made["accesses"]] == [
        access.line for access in findings[0].accesses
    ]


def test_sarif():
    findings = raced(total, zeros(1024), zeros(1), False)
    log = json.loads(checks.to_sarif(findings))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0" and run["tool"]["driver"]["rules"] == [{"id": "race"}]
    (result,) = run["results"]
    places = result["locations"] + result["relatedLocations"]
    lines = [place["physicalLocation"]["region"]["startLine"] for place in places]
    assert lines == [access.line for access in findings[0].accesses]


@pytest.mark.parametrize("name", ["found.json", "found.sarif"])
def test_a_file_of_reports(tmp_path, monkeypatch, name):
    monkeypatch.setenv("FAIRLEAD_CHECK_REPORT", str(tmp_path / name))
    raced(total, zeros(1024), zeros(1), False)
    made = json.loads((tmp_path / name).read_text())
    assert made if name == "found.json" else made["runs"][0]["results"]


def test_the_report_of_a_race():
    with pytest.raises(fairlead.CheckError) as caught, checks.on("race"):
        total(zeros(1024), zeros(1), False)
    first, *rest = str(caught.value).splitlines()
    assert first.startswith("race: shared memory, offset 4 of the 32 bytes that ")
    assert any(
        "sums[cute.arch.warp_idx()] = value  thread (32, 0, 0) of block (0, 0, 0)" in line
        for line in rest
    )
    assert rest[-1].startswith("  28 pairs like this in 4 blocks. No barrier orders them")
