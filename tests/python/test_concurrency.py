# SPDX-License-Identifier: Apache-2.0
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gpuloom
from conftest import SAXPY, SPIN


def cycles(config="test/tiny"):
    return gpuloom.run(SAXPY, 4, 64, [np.ones(256, np.float32), np.ones(256, np.float32), 2.0, 256],
                       config=config).cycles


def test_runs_from_several_threads_give_what_one_gives():
    alone = cycles()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: cycles(), range(8))) == [alone] * 8


def test_several_processes_at_once_give_what_one_gives():
    alone = cycles()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(cycles, ["test/tiny"] * 4) == [alone] * 4


@pytest.mark.parametrize("functional", [False, True])
def test_other_threads_go_on_while_a_kernel_runs(functional):
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    gpuloom.run(SPIN, 1, 32, [np.zeros(32, np.uint32), 10_000_000 if functional else 100_000], config="test/tiny",
                functional=functional)
    took = time.monotonic() - began
    done.set()
    thread.join()
    assert took < 0.1 or sum(began < t < began + took for t in ticks) > took / 0.1


@pytest.mark.parametrize("functional", [False, True])
def test_a_progress_function_ends_a_run_with_what_was_measured(functional):
    seen = []

    def progress(cycle, blocks_done, blocks_total, instructions):
        seen.append((cycle, instructions))
        return len(seen) < 3

    r = gpuloom.run(SPIN, 2, 32, [np.zeros(32, np.uint32), 2_000_000_000], config="test/tiny", progress=progress,
                    functional=functional)
    assert not r.complete and len(seen) == 3 and seen[0][1] < seen[2][1]
    assert r.value("sim__ptx_inst_executed.sum") >= seen[2][1]
    if not functional:
        assert r.cycles >= seen[2][0] > 0
        assert r.value("smsp__inst_executed.sum") > 0 and sum(r.stalls().values()) > 0
    assert cycles() > 0  # and the next run is none the worse


def test_what_a_progress_function_raises_comes_out():
    def progress(*_):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        gpuloom.run(SPIN, 1, 32, [np.zeros(32, np.uint32), 2_000_000_000], config="test/tiny", progress=progress)


def test_ctrl_c_raises_interrupted_with_the_partial_result():
    program = ("import sys, gpuloom, numpy as np\n"
               "def progress(*_):\n"
               "    print('running', flush=True)\n"
               "try:\n"
               "    gpuloom.run(sys.argv[1], 1, 32, [np.zeros(32, np.uint32), 2000000000], config='test/tiny',"
               " progress=progress)\n"
               "except gpuloom.Interrupted as e:\n"
               "    print('partial', e.result.complete, e.result.cycles > 0)\n")
    # A shell's background jobs ignore SIGINT, and so would the child.
    child = subprocess.Popen([sys.executable, "-c", program, SPIN], stdout=subprocess.PIPE, text=True,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert child.stdout.readline() == "running\n"
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 0 and out.splitlines()[-1] == "partial False True"


def resident_kib():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


def test_two_hundred_runs_do_not_grow():
    for _ in range(20):
        cycles("h200")
    before = resident_kib()
    for _ in range(200):
        cycles("h200")
    grown = resident_kib() - before
    print(f"grown by {grown} KiB over 200 runs, pid {os.getpid()}")
    assert grown < 8 * 1024  # a few MiB come with the first hundred runs; then it stands still
