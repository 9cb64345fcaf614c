"""fairlead draw."""


def test_a_layout_as_text(fairlead):
    done = fairlead("draw", "(2,(2,2)):(4,(1,2))")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "(2,(2,2)):(4,(1,2))\n0 1 2 3\n4 5 6 7\n"
    assert fairlead("draw", "(2,3)").stdout == "(2,3):(1,2)\n0 2 4\n1 3 5\n"


def test_banks_and_swizzles(fairlead, tmp_path):
    plain = fairlead("draw", "(2,32):(32,1)", "--banks", "float32").stdout.splitlines()
    assert plain[1].split() == plain[2].split() == [str(bank) for bank in range(32)]
    swizzled = fairlead("draw", "(2,32):(32,1)", "--swizzle", "5,0,5", "--banks", "Float32")
    rows = swizzled.stdout.splitlines()
    assert rows[2].split() == [str(bank ^ 1) for bank in range(32)]
    file = tmp_path / "layout.svg"
    done = fairlead("draw", "(4,8):(8,1)", "-o", file)
    assert done.stdout == f"{file}: (4,8):(8,1)\n" and file.read_text().startswith("<svg")


def test_what_is_no_layout(fairlead, tmp_path):
    for text in ("(4,8", "(4,8):(1,2,3)", "four", "(2,3,4)"):
        done = fairlead("draw", text)
        assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert "expected shape:stride such as (4,8):(8,1)" in fairlead("draw", "(4,8").stderr
    assert (
        "no numeric class is called `float33`" in fairlead("draw", "4", "--banks", "float33").stderr
    )
    assert "No such file" in fairlead("draw", "4", "-o", tmp_path / "no" / "x.svg").stderr
