#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps that are disturbed: each must end with the table that an undisturbed one gives, byte for byte.

usage: sweep_test.py GPULOOM local|dask|slurm      exit status 77: the software is not here, and nothing was tested

Everything that a test starts (schedulers, workers, Slurm's daemons, munge) lives in a temporary folder and on ports of its own,
and ends with the test.
"""
import contextlib
import pathlib
import re
import shutil
import sqlite3
import sys
import tempfile

from sweep_schedulers import dask, slurm
from sweep_setup import POINTS, SWEEP, Skipped, Test, alive, children, kill, wait_for


def killed_driver(test):
    """Kills a sweep in its middle, and returns how many points it has done. On a busy machine this test may not get its turn in time."""
    for _ in range(10):
        shutil.rmtree(test.folder / "killed", ignore_errors=True)
        driver = test.start("run", "sweep.yaml", "-d", "killed", "-j", "2", "-q", "--progress", "none")
        wait_for("some results", lambda driver=driver: test.done("killed") >= 10 or driver.poll() is not None)
        workers = children(driver.pid)
        simulations = [p for w in workers for p in children(w)]
        kill([driver.pid])
        driver.wait()
        wait_for("the workers' end", lambda workers=workers, simulations=simulations: not any(alive(p) for p in workers + simulations))
        first = test.done("killed")
        assert first >= 10, f"the sweep ended with {driver.returncode} after {first} points"
        if first + 30 <= POINTS:
            return first
    raise AssertionError(f"{first} results: each time the kill came too late")


def local(test):
    expected = test.undisturbed()
    # The driver dies: what it started dies with it, and what was done stays.
    first = killed_driver(test)
    # Twice the workers die; the driver starts their points again and the run ends well.
    driver = test.start("resume", "killed", "-j", "2", "-q", "--progress", "none")
    killed = 0
    for goal in (first + 10, first + 20):
        wait_for("more results", lambda goal=goal: test.done("killed") >= goal or driver.poll() is not None)
        workers = children(driver.pid)
        killed += len(workers)
        kill(workers)
    assert driver.wait() == 0, f"resume ended with {driver.returncode}"
    print(f"  driver killed after {first} points, {killed} workers killed, resumed")
    assert killed >= 1
    assert test.table("killed") == expected
    # Nothing is left to do, and what is there is kept.
    stamps = {p.name: p.stat().st_mtime_ns for p in (test.folder / "killed" / "results").iterdir()}
    test.run("resume", "killed")
    assert stamps == {p.name: p.stat().st_mtime_ns for p in (test.folder / "killed" / "results").iterdir()}
    grows(test, stamps)
    rebuilt(test)
    database(test)
    failures(test)
    refusals(test)


def grows(test, stamps):
    """A value and an axis more: only what is new runs."""
    test.write(400, SWEEP.replace("[1, 2, 4, 8, 16]", "[1, 2, 3, 4, 8, 16]") + "mode: timed\n")
    said = test.run("run", "sweep.yaml", "-d", "killed", "-j", "2")
    assert "72 of 72 points done (60 before)" in said, said
    grown = SWEEP.replace("repeats:", "  carveout: {launch: carveout, values: [50]}\nrepeats:")
    test.write(400, grown.replace("carveout: {launch: carveout, values: [50]}", "l2: {key: l2.size, values: [256KiB, 512KiB]}"))
    said = test.run("run", "sweep.yaml", "-d", "killed", "-j", "2")
    assert "120 of 120 points done (60 before)" in said, said
    now = {p.name: p.stat().st_mtime_ns for p in (test.folder / "killed" / "results").iterdir()}
    assert all(now[name] == stamp for name, stamp in stamps.items()), "a result was written again"
    test.write(400)


def rebuilt(test):
    """Points of another build of the simulator are neither taken for done nor run by this one."""
    test.write(400, SWEEP.replace("[1, 2, 4, 8, 16]", "[1]").replace("repeats: 2", "repeats: 1"))
    test.run("plan", "sweep.yaml", "-d", "rebuilt")
    digest = re.search(r"sources ([0-9a-f]{16})\)", test.run("status", "rebuilt")).group(1)
    plan, points = test.folder / "rebuilt" / "sweep.json", list((test.folder / "rebuilt" / "points").glob("*.json"))
    for path in (plan, points[0]):
        path.write_text(path.read_text().replace(digest, "0123456789abcdef"))
    said = test.run("resume", "rebuilt", code=3)
    assert "planned for another build of gpuloom" in said and "gpuloom sweep run sweep.yaml -d rebuilt" in said, said
    said = test.run("point", "rebuilt", points[0].stem, code=3)
    assert "planned for another build" in said and test.done("rebuilt") == 0, said
    points[0].unlink()
    assert "6 of 6 points done (0 before)" in test.run("run", "sweep.yaml", "-d", "rebuilt", "-j", "2", "--retry-failed")
    test.write(400)


def database(test):
    said = test.run("collect", "undisturbed", "--sqlite", "a.db", "--plot", "heatmap step banks sm__cycles_elapsed.max", "--plot",
                    "pareto sm__cycles_elapsed.max -smsp__inst_executed.sum")
    with contextlib.closing(sqlite3.connect(test.folder / "a.db")) as db:
        rows, cycles = db.execute('SELECT count(*), sum("sm__cycles_elapsed.max") FROM results WHERE state = "done"').fetchone()
        unit = db.execute('SELECT unit FROM metrics WHERE name = "sm__cycles_elapsed.max"').fetchone()[0]
    assert rows == POINTS and cycles > 0 and unit == "cycle", (rows, cycles, unit)
    heat = (test.folder / "undisturbed/plots/heatmap_step_banks_sm__cycles_elapsed.max.svg").read_text()
    assert heat.count("<rect") >= 11 and "is least" in said, said
    assert "on the front" in said and (test.folder / "undisturbed/plots").glob("pareto*.svg")


def failures(test):
    """Points that fail say how, keep their log, fail the run, and are not run again unasked."""
    test.write(400, SWEEP.replace("count: 4096", "count: 512").replace("repeats: 2", "repeats: 1"))
    said = test.run("run", "sweep.yaml", "-d", "fails", "-j", "2", code=5)
    assert "20 of 30 points done (0 before), 10 failed, 0 left" in said, said
    assert "shape=[8, 128]) failed: exit code 5" in said and "past the end of 'out'" in said, said
    said = test.run("status", "fails")
    assert said.count("exit code 5") == 10 and "20 of 30 points done, 0 running, 10 failed, 0 left" in said, said
    assert "(20 before), 10 failed" in test.run("resume", "fails", code=5)
    assert test.run("collect", "fails").count(",failed,5,") == 10
    test.write(40000000, SWEEP.replace("values: [1, 2, 4, 8, 16]", "values: [1]").replace("[16, 32]}", "[32]}"))
    said = test.run("run", "sweep.yaml", "-d", "slow", "-j", "6", "--timeout", "0.5", code=5)
    assert said.count("failed: timeout after") == 6, said
    test.write(400)


def refusals(test):
    """Each mistake gives one error at its place."""
    for change, code, expected in (
            (("sm.shared.banks", "sm.shared.bnks"), 3,
             "sweep.yaml:12:16: axis 'banks': the configuration has no key 'sm.shared.bnks' to override (did you mean 'sm.shared.banks'?)"),
            (("launch: args.1", "launch: argz.1"), 3, "sweep.yaml:13:18: the launch has no 'argz.1' (did you mean 'args'?)"),
            (("launch: args.1", "launch: blok"), 3,
             "sweep.yaml:13:18: axis 'step': unknown key 'blok' in the launch (did you mean 'block'?)"),
            (("values: [16, 32]", "values: []"), 3, "sweep.yaml:12:41: axis 'banks' is empty: it has no values"),
            (("launch: args.1", "launch: block"), 3,
             "sweep.yaml:14:26: axes 'step' and 'shape' conflict: both set 'block' (the other is at sweep.yaml:13:18)"),
            (("values: [16, 32]", "values: [16, 33]"), 3,
             "sweep.yaml:12:46: axis 'banks', value 33: sm.shared.banks: must be a power of two (the nearest are 32 and 64)"),
            (("values: [16, 32]", "values: [16, 16]"), 3, "sweep.yaml:12:46: axis 'banks' has the value 16 twice (first at sweep.yaml:12:42)"),
            (("[4, 64]", "[4]"), 3, "sweep.yaml:14:43: axis 'shape' sets 2 keys, so each value is a list of 2, not a list of 1"),
            (("repeats: 2", "repeats: 0"), 3, "sweep.yaml:15:10: repeats: expected a whole number from 1 to 999999, got '0'"),
            (("repeats: 2", "exclude: [{stepp: 1}]"), 3, "sweep.yaml:15:12: exclude: unknown axis 'stepp' (did you mean 'step'?)"),
            (("repeats: 2", "exclude: [{step: 3}]"), 3, "sweep.yaml:15:18: exclude: axis 'step' has no value 3 (expected 1, 2, 4, 8 or 16)"),
            (("repeats: 2", "exclude: [{banks: [16, 32]}]"), 3, "sweep.yaml:1:7: nothing is left to run"),
            (("test/tiny", "test/tinny"), 3, "sweep.yaml:2:9: unknown configuration 'test/tinny' (did you mean 'test/tiny'?)"),
            (("name: strides", "name: other"), 3, "sweep.yaml:1:7: 'undisturbed' is the directory of another sweep, 'strides' (from sweep.yaml)")):
        test.write(400, SWEEP.replace(*change))
        said = test.run("plan", "sweep.yaml", "-d", "undisturbed", code=code)
        assert said.startswith("gpuloom: " + expected) and said.count("\n") == 1, f"{change}: {said}"
    test.write(400)
    assert "'none' is not a sweep directory" in test.run("status", "none", code=3)
    assert "has no point 'abc'" in test.run("point", "undisturbed", "abc", code=2)
    assert "needs the address of a scheduler" in test.run("run", "sweep.yaml", "-d", "new", "-q", "--backend", "dask", code=2)


def main():
    program, which = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
    with tempfile.TemporaryDirectory(prefix="gpuloom-sweep-") as folder:
        try:
            {"local": local, "dask": dask, "slurm": slurm}[which](Test(program, pathlib.Path(folder)))
        except Skipped as reason:
            print(f"sweep test SKIPPED ({which}): {reason}")
            return 77
    print(f"sweep test passed ({which})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
