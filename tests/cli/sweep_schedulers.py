# SPDX-License-Identifier: Apache-2.0
"""Sweeps on Dask and on Slurm, whose schedulers, workers and daemons live in the test's folder, on ports of their own."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

from sweep_setup import POINTS, Skipped, kill, wait_for


def free_ports(count):
    """All are taken before one is given back: they differ."""
    with contextlib.ExitStack() as sockets:
        taken = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for s in taken:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in taken]


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
    port, = free_ports(1)
    address = f"tcp://127.0.0.1:{port}"
    log = test.folder / "dask.log"
    worker = [python, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
              "--local-directory", str(test.folder)]
    with contextlib.ExitStack() as running:
        running.enter_context(daemon([python, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port",
                                      str(port), "--no-dashboard"], log, cwd=test.folder))
        running.enter_context(daemon(worker, log, cwd=test.folder))
        for _ in range(10):  # on a busy machine this test may not get its turn before all points are done
            shutil.rmtree(test.folder / "dask", ignore_errors=True)
            first = running.enter_context(daemon(worker, log, cwd=test.folder))
            driver = test.start("run", "sweep.yaml", "-d", "dask", "--backend", "dask", "--scheduler", address, "--python",
                                python, "-q", "--progress", "none")
            try:
                wait_for("results from Dask", lambda driver=driver: test.done("dask") >= 15 or driver.poll() is not None)
                os.killpg(first.pid, signal.SIGKILL)
                at = test.done("dask")
                assert at >= 15, f"{at} results when a worker was killed\n{shown(log)}"
                assert driver.wait(timeout=900) == 0, f"exit code {driver.returncode}\n{shown(log)}"
            finally:
                kill([driver.pid])
            if at < POINTS:
                break
        assert at < POINTS, f"{at} results each time that a worker was killed"
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


def run_sweep(test):
    """Runs the sweep in Slurm. Slurm 23.11.4 (Ubuntu 24.04) holds the tasks of an array back where it keeps no accounts."""
    command = [test.program, "sweep", "run", "sweep.yaml", "-d", "slurm", "--backend", "slurm", "--progress", "none"]
    with subprocess.Popen(command, cwd=test.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as sweep:
        until = time.monotonic() + 900
        while True:
            try:
                out, err = sweep.communicate(timeout=5)
                return subprocess.CompletedProcess(command, sweep.returncode, out, err)
            except subprocess.TimeoutExpired:
                reasons = subprocess.run(["squeue", "--noheader", "--format=%r"], capture_output=True, text=True, check=False).stdout
                held = "InvalidAccount" in reasons
                if not held and time.monotonic() < until:
                    continue
                sweep.kill()
                if held:
                    raise Skipped("this Slurm holds the tasks of its own array back (InvalidAccount) where it keeps no accounts") from None
                raise


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
    control, slurmd = free_ports(2)
    conf.write_text(SLURM_CONF.format(host=host, folder=folder, control=control, daemon=slurmd,
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
            wait_for("munge", (folder / "munge.socket").exists)
            running.enter_context(daemon(["slurmctld", "-D", "-c", "-f", str(conf)], folder / "slurmctld.out"))
            running.enter_context(daemon(["slurmd", "-D", "-c", "-f", str(conf)], folder / "slurmd.out"))
            wait_for("an idle node", node_idle)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{said()}") from error
        done = run_sweep(test)
        assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}\n{said()}"
        assert f"of {POINTS} tasks submitted" in done.stderr, done.stderr
        wait_for("the job's end", node_idle)  # so that no step is left without its daemon
    print("  Slurm: munged, slurmctld and slurmd started, one array of 60 tasks, stopped")
    assert test.table("slurm") == expected
