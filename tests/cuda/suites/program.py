# SPDX-License-Identifier: Apache-2.0
"""One program of a suite: how it is compiled, run, and what its end means."""
import dataclasses
import os
import pathlib
import re
import subprocess
import threading
import time
from typing import Callable

COMPILE_SECONDS = 1800
MAKE_SECONDS = 3600
KEPT_OF_OUTPUT = 1 << 18  # characters of an output that are compared
UNSUPPORTED = 4  # exit code of gpuloom (base/error.h)
# What a program prints when its own check fails. `0 failed`, `no errors` and the like do not count.
SAYS_FAILURE = re.compile(r"\bFAIL(?:ED|URE)?\b(?!\s*[:=]?\s*0\b)|\b(?:Test|Verification|Validation|Result)\w*\s*[:=]?\s*fail"
                          r"|Incorrect result|result\w* (?:is|are) (?:wrong|incorrect)|mismatch(?:es)? (?:at|found)", re.IGNORECASE)
NOT_A_FAILURE = re.compile(r"as expected|\b(?:0|no|without)\s+(?:\w+\s+)?fail|fail\w*\s*[:=]\s*0\b", re.IGNORECASE)
MISSES_FILE = re.compile(r"(?:can ?not|can't|could not|couldn't|unable to|failed to|error) (?:open|load|find|read|opening|recognize format)|bad file|file.*not (?:found|opened)"
                         r"|no such file", re.IGNORECASE)
FAULT = re.compile(r"^gpuloom: .*: kernel '.*'?: thread \(")
LEAVES_MEMORY = re.compile(r"past the end|bytes of constants|bytes before")
SAID_BY_DEVICE = re.compile(r"^gpuloom:|Assertion .* failed|failed the assertion")  # a sample may assert on purpose
# Lines about how long something took: another number each time.
SAYS_TIME = re.compile(r"\btime|\b(?:[mun]?s|[mun]?secs?|milliseconds?|microseconds?|seconds?|GB/s|MB/s|[GMT]?FLOPS?(?:/s)?|bandwidth|throughput|speed-?up|elapsed|fps|MHz|"
                       r"performance|average|clocks?|cycles)\b", re.IGNORECASE)
SAYS_SUCCESS = re.compile(r"\bPASS(?:ED)?\b|\bSUCCESS|\bOK\b|correct|verified", re.IGNORECASE)


@dataclasses.dataclass
class Program:
    name: str
    folder: pathlib.Path  # where it is compiled
    sources: list[str] = dataclasses.field(default_factory=list)  # relative to the folder
    flags: list[str] = dataclasses.field(default_factory=list)
    run_folder: str = ""  # where it is run, relative to the folder
    arguments: list[str] = dataclasses.field(default_factory=list)
    make_before: list[list[str]] = dataclasses.field(default_factory=list)  # commands that make files it reads
    inputs: dict[str, dict] = dataclasses.field(default_factory=dict)  # files made where it runs: from another one (`from`), with texts replaced (`replace`)
    needs: str = "90"  # its compute capability
    skip: str = ""  # why it is not for this machine; "": it is
    data_elsewhere: bool = False  # the repository only names its input files
    success: str = ""  # what its output has to match; "": nothing
    proof: str = ""  # what its output has where its own check holds; "": what such programs say (SAYS_SUCCESS)
    counted: str = ""  # what of its output a table shows beside the result; "": nothing
    binary: str = ""  # its file, which it may share with others; "": its name
    makefile: Callable | None = None  # (folder, nvcc, flags): the text of a makefile that makes the binary; None: one call of nvcc does


@dataclasses.dataclass
class Outcome:
    name: str
    result: str  # pass, same, ran, no kernel (it launches none), slow, fail, fault (of a kernel), crash, refused, differs, broken, waived, no data, build, skipped
    cause: str = ""
    seconds: float = 0.0
    warp_instructions: int = 0


BUILDS, BUILDS_LOCK = {}, threading.Lock()  # a lock for each binary, which programs may share


def last_line(text, pattern=r"\S"):
    lines = [line.strip() for line in text.splitlines() if re.search(pattern, line)]
    return lines[-1] if lines else ""


def compiled(program, nvcc, flags, build):
    """The binary, or the Outcome of a build that fails."""
    make_inputs(program)
    name = program.binary or program.name
    binary = build / name
    with BUILDS_LOCK:
        lock = BUILDS.setdefault(binary, threading.Lock())
    with lock:
        return binary if binary.exists() else built(program, nvcc, flags, build, binary)


def make_inputs(program):
    for name, made in program.inputs.items():
        folder = program.folder / program.run_folder
        text = (folder / made["from"]).read_text()
        for old, new in made["replace"].items():
            if old not in text:
                raise ValueError(f"{program.name}: {made['from']} lacks '{old}'")
            text = text.replace(old, new)
        (folder / name).write_text(text)


def built(program, nvcc, flags, build, binary):
    build.mkdir(parents=True, exist_ok=True)
    if program.makefile:
        makefile = build / f"{binary.name}.mk"
        makefile.write_text(program.makefile(program.folder, nvcc, flags))
        commands, folder, seconds = [["make", "-s", "-k", f"-j{os.cpu_count()}", "-f", str(makefile), binary.name]], build, MAKE_SECONDS
    else:
        commands = program.make_before + [[nvcc, "-cudart", "shared", "-w", *program.flags, *flags, "-o", str(binary), *program.sources]]
        folder, seconds = program.folder, COMPILE_SECONDS
    for command in commands:
        command = [part.replace("{nvcc}", nvcc) for part in command]
        try:
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, errors="replace")
        except subprocess.TimeoutExpired:
            return Outcome(program.name, "build", f"it takes more than {seconds} s")
        if run.returncode != 0:
            said = run.stderr + run.stdout
            first = next((line.strip() for line in said.splitlines() if re.search(r"error|undefined|cannot", line)), last_line(said))
            return Outcome(program.name, "build", first[:160])
    return binary


def instructions(stderr):
    """Warp instructions of the summary that `gpuloom exec` prints."""
    return sum(int((m.group(1) or m.group(2)).replace(",", "")) for m in
               re.finditer(r"^ +\d+ +\d+ +[\d.]+ +[\d.]+ +[\d.]+ +([\d,]+)  \S|after ([\d,]+) of its warp instructions", stderr, re.MULTILINE))


def judged(program, run, seconds):
    """What the end of a run means."""
    out, err = run.stdout, run.stderr
    said = [line for line in err.splitlines() if line.startswith("gpuloom: ") and "simulated time" not in line]
    o = Outcome(program.name, "pass", "", seconds, instructions(err))
    missing = next((line.strip() for line in (out + "\n" + err).splitlines() if MISSES_FILE.search(line)), "")
    failure = next((line.strip() for line in (out + "\n" + err).splitlines()
                    if SAYS_FAILURE.search(line) and not NOT_A_FAILURE.search(line) and not SAID_BY_DEVICE.search(line)), "")
    if run.returncode == 5 and "--max-seconds" in err:
        o.result, o.cause = "slow", f"{o.warp_instructions / max(seconds, 1e-9) / 1e6:.1f} M warp instructions/s when it was stopped"
    elif run.returncode not in (0, 5) and not said and (missing or program.data_elsewhere):
        o.result, o.cause = "no data", missing or "its data is not in the repository"
    elif run.returncode < 0:
        o.result, o.cause = "crash", f"signal {-run.returncode}; {said[0] if said else last_line(err)}"
    elif any("not modelled" in s for s in said):
        o.result, o.cause = "refused", next(s for s in said if "not modelled" in s)[len("gpuloom: "):]
    elif any(FAULT.search(s) and not SAID_BY_DEVICE.search(s[len("gpuloom:"):]) for s in said):
        o.result, o.cause = "fault", next(s for s in said if FAULT.search(s))[len("gpuloom: "):]
    elif said and (run.returncode != 0 or failure):
        o.result = "refused" if run.returncode == UNSUPPORTED or any("not supported" in s for s in said) else "fail"
        o.cause = said[0][len("gpuloom: "):]
    elif failure:
        o.result, o.cause = "fail", failure
    elif run.returncode == 2:
        o.result, o.cause = "waived", last_line(out + err)
    elif run.returncode != 0:
        o.result, o.cause = "fail", f"exit {run.returncode}: {last_line(err) or last_line(out)}"
    elif program.proof:
        counted = re.search(program.counted, out) if program.counted else None
        o.result, o.cause = ("pass", counted.group(1) if counted else "") if re.search(program.proof, out) else ("fail", last_line(out))
    elif not re.search(r"^gpuloom: [1-9].* launch", err, re.MULTILINE) and not any(FAULT.search(s) for s in said):
        o.result, o.cause = "no kernel", last_line(out) or last_line(err, "^(?!gpuloom)")
    elif program.success and not re.search(program.success, out) and not SAYS_SUCCESS.search(out):
        o.result, o.cause = "fail", "its output lacks what it should have: " + last_line(out)
    elif not SAYS_SUCCESS.search(out):
        o.result, o.cause = "ran", "it has no check of its own"
    return o


def on_gpu(program, binary, library_path, limit):
    """How the program ends on the machine's own GPU, twice: exit codes and outputs; an exit code of None: it does not end."""
    runs = []
    for _ in range(2):
        try:
            run = subprocess.run([str(binary), *program.arguments], cwd=program.folder / program.run_folder, capture_output=True, text=True, timeout=limit, errors="replace",
                                 stdin=subprocess.DEVNULL, env={**os.environ, "LD_LIBRARY_PATH": library_path})
        except subprocess.TimeoutExpired:
            runs.append({"code": None, "out": "", "said": ""})
            break
        runs.append({"code": run.returncode, "out": run.stdout[:KEPT_OF_OUTPUT], "said": last_line(run.stderr + run.stdout)})
        if run.returncode != 0:
            break
    return {"name": program.name, "arguments": program.arguments, "runs": runs}


def headings(lines):
    """For each line the last one above it that has a word: what a row of numbers is about."""
    heading, above = "", []
    for line in lines:
        above.append(heading)
        heading = line if re.search(r"[A-Za-z]{3}", line) else heading
    return above


def compared(one, heading):
    """Whether a line of an output says more than how long something took, and on what."""
    timed = SAYS_TIME.search(one) or (SAYS_TIME.search(heading) and re.fullmatch(r"[\s\d.eE+-]+", one))
    return bool(one.strip()) and not timed and not re.search(r"NVIDIA|capability|GPU Device", one)


def told_lines(text):
    """The lines that are compared, without the folder that a program may print."""
    lines = text.splitlines()
    return [re.sub(r"/\S*/", "", one).rstrip() for heading, one in zip(headings(lines), lines) if compared(one, heading)]


def different_line(simulated, first, second):
    """The first line of the simulated run that two runs on a GPU have otherwise; "": none. Lines of time are left out, and those that two runs do not share.
    Blocks print in an order that CUDA leaves open: the same lines in another one are the same."""
    if sorted(told_lines(simulated)) == sorted(told_lines(first)):
        return ""
    lines = [text.splitlines() for text in (simulated, first, second)]
    if len(lines[1]) != len(lines[2]):
        return ""
    if len(lines[0]) != len(lines[1]):
        return f"{len(lines[0])} lines, {len(lines[1])} on the GPU"
    for heading, got, one, two in zip(headings(lines[1]), *lines):
        folder = re.compile(r"/\S*/")  # a program may print where it is
        if one == two and folder.sub("", got) != folder.sub("", one) and compared(one, heading):
            return f"{got.strip()[:70]} / {one.strip()[:70]}"
    return ""


def beside_gpu(outcome, output, runs):
    """The outcome, once the same program has run on a GPU: whether it prints the same there, and whether it ends there at all."""
    last = runs[-1]
    if last["code"] != 0:
        if outcome.result not in ("pass", "ran", "slow", "refused", "no data"):
            outcome.result = "broken"
            outcome.cause = "on the GPU " + ("it does not end" if last["code"] is None else f"exit {last['code']}: {last['said']}")
    elif outcome.result in ("ran", "fail"):
        other = different_line(output[:KEPT_OF_OUTPUT], runs[0]["out"], last["out"])
        lines = runs[0]["out"].splitlines()
        says_something = any(compared(one, heading) for heading, one in zip(headings(lines), lines))
        outcome.result, outcome.cause = (("differs", other) if other else ("same", outcome.cause) if says_something
                                         else (outcome.result, "it prints times alone"))
    return outcome


def ran(program, binary, gpuloom, options, limit, gpu=None):
    """The outcome under gpuloom; `gpu`: what on_gpu said of the same program. One that leaves its allocations runs again with a GPU's bounds."""
    outcome = ran_once(program, binary, gpuloom, options, limit, gpu)
    if outcome.result != "fault" or "--bounds" in options or not LEAVES_MEMORY.search(outcome.cause):
        return outcome
    by_pages = ran_once(program, binary, gpuloom, [*options, "--bounds", "pages"], limit, gpu)
    by_pages.cause = "; ".join(filter(None, ["by --bounds pages", by_pages.cause, outcome.cause]))
    return by_pages


def ran_once(program, binary, gpuloom, options, limit, gpu):
    command = [gpuloom, "exec", *options, "--max-seconds", str(limit), str(binary), *program.arguments]
    begin = time.monotonic()
    try:
        run = subprocess.run(command, cwd=program.folder / program.run_folder, capture_output=True, text=True, timeout=limit * 2 + 30, errors="replace",
                             stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        err = (late.stderr or b"").decode(errors="replace")
        fault = last_line(err, FAULT)
        if fault:  # and a host that does not look
            return Outcome(program.name, "fault", fault[len("gpuloom: "):], time.monotonic() - begin)
        return Outcome(program.name, "slow", "it did not end: " + (last_line(err) or "no kernel has been stopped"),
                       time.monotonic() - begin)
    outcome = judged(program, run, time.monotonic() - begin)
    if not gpu or gpu["arguments"] != program.arguments:
        return outcome
    return beside_gpu(outcome, run.stdout, gpu["runs"])
