# SPDX-License-Identifier: Apache-2.0
"""What tests of sweeps have in common: a kernel, a sweep of it over sixty points, and processes to start and kill."""
import contextlib
import os
import pathlib
import signal
import subprocess
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


def wait_for(what, condition, seconds=600.0):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(0.01)


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
