#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps that are disturbed: each must end with the table that an undisturbed one gives, byte for byte.

usage: sweep_test.py GPULOOM local|dask|slurm      exit status 77: the software is not here, and nothing was tested

Everything that a test starts (schedulers, workers, Slurm's daemons, munge) lives in a temporary folder and on ports of its own,
and ends with the test.
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry stride(.param .u64 data, .param .u32 step, .param .u32 rounds)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<10>;
  .reg .pred %p;
  .shared .align 4 .b8 tile[4096];
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [step];
  ld.param.u32 %r2, [rounds];
  mov.u32 %r3, %tid.x;
  mul.lo.u32 %r4, %r3, %r1;
  and.b32 %r4, %r4, 1023;
  shl.b32 %r4, %r4, 2;
  mov.u32 %r5, tile;
  add.u32 %r5, %r5, %r4;
  mov.u32 %r6, 0;
loop:
  st.shared.u32 [%r5], %r6;
  ld.shared.u32 %r7, [%r5];
  add.u32 %r6, %r7, 1;
  setp.lt.u32 %p, %r6, %r2;
  @%p bra loop;
  mov.u32 %r8, %ctaid.x;
  mov.u32 %r9, %ntid.x;
  mad.lo.u32 %r8, %r8, %r9, %r3;
  mul.wide.u32 %rd2, %r8, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
}
"""
SWEEP = """name: strides
config: test/tiny
launch:
  ptx: stride.ptx
  buffers:
    out: {type: u32, count: 4096, output: true}
  kernel: stride
  grid: 8
  block: 128
  args: [out, 1, ROUNDS]
axes:
  banks: {key: sm.shared.banks, values: [16, 32]}
  step: {launch: args.1, values: [1, 2, 4, 8, 16]}
  shape: {launch: [grid, block], values: [[4, 64], [8, 128], [2, 256]]}
repeats: 2
"""
POINTS = 60


class Skipped(Exception):
    pass


def wait_for(what, condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(0.01)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Test:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        (folder / "stride.ptx").write_text(PTX)
        self.write(400)

    def write(self, rounds, text=SWEEP):
        (self.folder / "sweep.yaml").write_text(text.replace("ROUNDS", str(rounds)))

    def start(self, *arguments, **more):
        return subprocess.Popen([self.program, "sweep", *arguments], cwd=self.folder, **more)

    def run(self, *arguments, code=0):
        done = subprocess.run([self.program, "sweep", *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == code, f"{arguments}: exit code {done.returncode}, expected {code}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def done(self, directory):
        return len(list((self.folder / directory / "results").glob("*.json")))

    def table(self, directory):
        self.run("collect", directory, "-o", directory + ".csv")
        return (self.folder / (directory + ".csv")).read_bytes()

    def undisturbed(self):
        begin = time.monotonic()
        self.run("run", "sweep.yaml", "-d", "undisturbed", "-j", "2")
        print(f"  undisturbed: {POINTS} points on two processes in {time.monotonic() - begin:.1f} s")
        assert self.done("undisturbed") == POINTS
        table = self.table("undisturbed")
        assert len(table.splitlines()) == POINTS + 1 and table.count(b",done,") == POINTS
        return table


def children(pid):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


def alive(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def kill(pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def local(test):
    expected = test.undisturbed()
    # The driver dies: what it started dies with it, and what was done stays.
    driver = test.start("run", "sweep.yaml", "-d", "killed", "-j", "2", "-q", "--progress", "none")
    wait_for("some results", lambda: test.done("killed") >= 10)
    workers = children(driver.pid)
    simulations = [p for w in workers for p in children(w)]
    kill([driver.pid])
    driver.wait()
    wait_for("the workers' end", lambda: not any(alive(p) for p in workers + simulations), 10)
    first = test.done("killed")
    assert 10 <= first < POINTS, f"{first} results: the kill came too late"
    # Twice the workers die; the driver starts their points again and the run ends well.
    driver = test.start("resume", "killed", "-j", "2", "-q", "--progress", "none")
    killed = 0
    for goal in (first + 10, first + 20):
        wait_for("more results", lambda goal=goal: test.done("killed") >= goal)
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
             "sweep.yaml:12:16: axis 'banks': the configuration has no 'sm.shared.bnks' to override (did you mean 'sm.shared.banks'?)"),
            (("launch: args.1", "launch: argz.1"), 3, "sweep.yaml:13:18: the launch has no 'argz.1' (did you mean 'args'?)"),
            (("launch: args.1", "launch: blok"), 3,
             "sweep.yaml:13:18: axis 'step': unknown key 'blok' in the launch (did you mean 'block'?)"),
            (("values: [16, 32]", "values: []"), 3, "sweep.yaml:12:41: axis 'banks' is empty: it has no values"),
            (("launch: args.1", "launch: block"), 3,
             "sweep.yaml:14:26: axes 'step' and 'shape' conflict: both set 'block' (the other is at sweep.yaml:13:18)"),
            (("values: [16, 32]", "values: [16, 33]"), 3,
             "sweep.yaml:12:46: axis 'banks', value 33: sm.shared.banks: must be a power of two (32 or 64 would do)"),
            (("values: [16, 32]", "values: [16, 16]"), 3, "sweep.yaml:12:46: axis 'banks' has the value 16 twice (first at sweep.yaml:12:42)"),
            (("[4, 64]", "[4]"), 3, "sweep.yaml:14:43: axis 'shape' sets 2 keys, so each value is a list of 2, not a list of 1"),
            (("repeats: 2", "repeats: 0"), 3, "sweep.yaml:15:10: repeats: expected a whole number from 1 to 999999, got '0'"),
            (("repeats: 2", "exclude: [{stepp: 1}]"), 3, "sweep.yaml:15:12: exclude: there is no axis 'stepp' (did you mean 'step'?)"),
            (("repeats: 2", "exclude: [{step: 3}]"), 3, "sweep.yaml:15:18: exclude: axis 'step' has no value 3 (there are 1, 2, 4, 8 or 16)"),
            (("repeats: 2", "exclude: [{banks: [16, 32]}]"), 3, "sweep.yaml:1:7: nothing is left to run"),
            (("test/tiny", "test/tinny"), 3, "sweep.yaml:2:9: there is no configuration 'test/tinny' (did you mean 'test/tiny'?)"),
            (("name: strides", "name: other"), 3, "sweep.yaml:1:7: 'undisturbed' is the directory of another sweep, 'strides' (from sweep.yaml)")):
        test.write(400, SWEEP.replace(*change))
        said = test.run("plan", "sweep.yaml", "-d", "undisturbed", code=code)
        assert said.startswith("gpuloom: " + expected) and said.count("\n") == 1, f"{change}: {said}"
    test.write(400)
    assert "'none' is not a directory of a sweep" in test.run("status", "none", code=3)
    assert "has no point 'abc'" in test.run("point", "undisturbed", "abc", code=2)
    assert "needs the address of a scheduler" in test.run("run", "sweep.yaml", "-d", "new", "-q", "--backend", "dask", code=2)


@contextlib.contextmanager
def daemon(words, log, **more):
    """A process in a group of its own, all of which ends with the block."""
    with open(log, "ab") as out:
        process = subprocess.Popen(words, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True, **more)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def shown(path):
    return path.read_text(errors="replace") if path.exists() else ""


def dask(test):
    pythons = [p for p in (sys.executable, "/usr/bin/python3") if pathlib.Path(p).exists() and
               subprocess.run([p, "-c", "import distributed"], capture_output=True, check=False).returncode == 0]
    if not pythons:
        raise Skipped("no Python here has distributed (Debian: python3-distributed)")
    python = pythons[0]
    expected = test.undisturbed()
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    log = test.folder / "dask.log"
    worker = [python, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
              "--local-directory", str(test.folder)]
    with contextlib.ExitStack() as running:
        running.enter_context(daemon([python, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port",
                                      str(port), "--no-dashboard"], log, cwd=test.folder))
        first = running.enter_context(daemon(worker, log, cwd=test.folder))
        running.enter_context(daemon(worker, log, cwd=test.folder))
        driver = test.start("run", "sweep.yaml", "-d", "dask", "--backend", "dask", "--scheduler", address, "--python",
                            python, "-q", "--progress", "none")
        try:
            wait_for("results from Dask", lambda: test.done("dask") >= 15 or driver.poll() is not None, 120)
            os.killpg(first.pid, signal.SIGKILL)
            at = test.done("dask")
            assert 15 <= at < POINTS, f"{at} results when a worker was killed\n{shown(log)}"
            assert driver.wait(timeout=240) == 0, f"exit code {driver.returncode}\n{shown(log)}"
        finally:
            kill([driver.pid])
    print(f"  Dask: two workers, one killed after {at} points")
    assert test.table("dask") == expected
    gone = test.run("run", "sweep.yaml", "-d", "gone", "-q", "--backend", "dask", "--scheduler", f"tcp://127.0.0.1:{port}",
                    "--python", python, code=3)
    assert "the Dask client ended with exit code" in gone, gone


SLURM_CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={control}
SlurmdPort={daemon}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def slurm(test):
    missing = [p for p in ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo") if shutil.which(p) is None]
    if missing:
        raise Skipped(f"{', '.join(missing)} not installed (Debian: slurm-wlm, munge)")
    if os.geteuid() != 0:
        raise Skipped("Slurm's daemons need root to run jobs")
    expected = test.undisturbed()
    folder = test.folder / "daemons"
    for sub in ("state", "spool"):
        (folder / sub).mkdir(parents=True)
    folder.chmod(0o755)
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    conf = folder / "slurm.conf"
    host = socket.gethostname().split(".")[0]
    conf.write_text(SLURM_CONF.format(host=host, folder=folder, control=free_port(), daemon=free_port(),
                                      cpus=min(2, len(os.sched_getaffinity(0)))))
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
    os.environ["SLURM_CONF"] = str(conf)
    logs = [folder / "munge.out", folder / "slurmctld.log", folder / "slurmd.log"]

    def said():
        return "\n".join(f"--- {log.name}\n{shown(log)[-3000:]}" for log in logs)

    def node_idle():
        state = subprocess.run(["sinfo", "--noheader", "--format=%t"], capture_output=True, text=True, check=False)
        return state.stdout.strip() == "idle"

    with contextlib.ExitStack() as running:
        running.enter_context(daemon(["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}",
                                      f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log",
                                      f"--seed-file={folder}/munge.seed"], logs[0]))
        try:
            wait_for("munge", (folder / "munge.socket").exists, 20)
            running.enter_context(daemon(["slurmctld", "-D", "-c", "-f", str(conf)], folder / "slurmctld.out"))
            running.enter_context(daemon(["slurmd", "-D", "-c", "-f", str(conf)], folder / "slurmd.out"))
            wait_for("an idle node", node_idle, 60)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{said()}") from error
        done = subprocess.run([test.program, "sweep", "run", "sweep.yaml", "-d", "slurm", "--backend", "slurm", "--progress", "none"],
                              cwd=test.folder, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}\n{said()}"
        assert f"of {POINTS} tasks submitted" in done.stderr, done.stderr
        wait_for("the job's end", node_idle, 60)  # so that no step is left without its daemon
    print("  Slurm: munged, slurmctld and slurmd started, one array of 60 tasks, stopped")
    assert test.table("slurm") == expected


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
