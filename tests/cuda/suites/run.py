#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds programs of a public suite with nvcc, runs them under `gpuloom exec` and prints what became of each.

run.py cuda-samples|hecbench|polybench|rodinia [NAME...] --source CHECKOUT --work FOLDER [--seed 1 --count 100]
The tables of RESULTS.md come from this. Exit status 1 when a program fails, crashes or is refused.
"""
import argparse
import collections
import concurrent.futures
import importlib
import json
import pathlib
import random
import sys

import program as programs_of
import source_tree

SUITES = {"cuda-samples": "cuda_samples", "cutlass": "cutlass", "ggml": "ggml", "hecbench": "hecbench", "polybench": "polybench", "rodinia": "rodinia"}
GOOD = ("pass", "same", "ran")
NO_VERDICT = ("skipped", "build", "waived", "no data", "no kernel", "broken")  # nothing to run, or nothing to compare with


def chosen(suite, root, a):
    everything = list(suite.programs(root))
    if a.names:
        return [p for p in everything if p.name in a.names]
    if a.count:
        known = set()
        if a.without:
            seed, count = map(int, a.without.split(":"))
            known = {p.name for p in random.Random(seed).sample(everything, len(everything))[:count]}
        everything = [p for p in random.Random(a.seed).sample(everything, len(everything)) if p.name not in known]
        if not a.verdicts:
            everything = everything[:a.count]
    return everything[a.start:a.stop]


def outcome_of(p, a):
    if p.skip:
        return programs_of.Outcome(p.name, "skipped", p.skip)
    flags = a.flags.split() or ["-gencode", f"arch=compute_{p.needs},code=compute_{p.needs}"]
    if "-rdc=true" in p.flags and not a.flags:
        flags = ["-arch=sm_90"]
    binary = programs_of.compiled(p, a.nvcc, flags, a.work / ("build-" + a.suite + "".join(a.flags.split()).replace("/", "_")))
    if isinstance(binary, programs_of.Outcome):
        return binary
    gpu = a.known.get(p.name)
    if a.gpu and not gpu:
        gpu = programs_of.on_gpu(p, binary, a.gpu, a.limit)
        if a.record:
            with a.record.open("a") as lines:
                lines.write(json.dumps(gpu) + "\n")
    if a.only_gpu:
        return programs_of.Outcome(p.name, "recorded" if gpu["runs"][-1]["code"] == 0 else "broken")
    return programs_of.ran(p, binary, a.gpuloom, a.exec.split(), a.limit, gpu)


def batches(programs, a, counts):
    """All programs at once; with --verdicts the first ones, then as many more as those have left without a verdict."""
    if not a.verdicts:
        yield programs
        return
    begin = 0
    while begin < len(programs):
        missing = a.count - (counts.total() - sum(counts[what] for what in NO_VERDICT))
        if missing <= 0:
            return
        yield programs[begin:begin + missing]
        begin += missing


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--source", help="a checkout, a bare git folder or an address; the suite's own address by default")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="sources and binaries go here")
    parser.add_argument("--gpuloom", default=str(here.parent.parent.parent / "build/release/gpuloom"))
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--flags", default="", help="options of nvcc in place of PTX for compute_90, as in --flags='-arch=sm_90 -G'")
    parser.add_argument("--exec", default="", help="options of gpuloom exec")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, help="so many, chosen by the seed")
    parser.add_argument("--without", metavar="SEED:COUNT", help="leave out so many that another seed chooses first")
    parser.add_argument("--verdicts", action="store_true", help="others in the seed's order take the place of those that cannot be built or lack data, until --count have a verdict")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--stop", type=int)
    parser.add_argument("--limit", type=int, default=60, help="seconds a program")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--gpu", default="", help="folder of NVIDIA's libcudart: programs run on this machine's GPU as well, and their outputs are compared")
    parser.add_argument("--record", type=pathlib.Path, help="a file that gets what programs print on the GPU")
    parser.add_argument("--against", type=pathlib.Path, help="such a file: outputs are compared with it, where there is no GPU")
    parser.add_argument("--only-gpu", action="store_true", help="no simulation: --record alone")
    parser.add_argument("--results", type=pathlib.Path, help="a file that gets a JSON line a program")
    a = parser.parse_args()
    a.work = a.work.resolve()
    recorded = a.against.read_text().splitlines() if a.against else []
    a.known = {gpu["name"]: gpu for gpu in map(json.loads, recorded)}
    suite = importlib.import_module(SUITES[a.suite])
    root, commit = source_tree.unpacked(a.source or suite.ADDRESS, a.work / a.suite)
    print(f"{a.suite} {commit[:12]}", flush=True)
    counts = collections.Counter()
    programs = chosen(suite, root.resolve(), a)
    threads = concurrent.futures.ThreadPoolExecutor(a.jobs)
    for batch in batches(programs, a, counts):
        for ended in concurrent.futures.as_completed([threads.submit(outcome_of, p, a) for p in batch]):
            o = ended.result()
            counts[o.result] += 1
            print(f"{o.result:8} {o.name:32} {o.seconds:7.1f} s  {o.cause}", flush=True)
            if a.results:
                with a.results.open("a") as lines:
                    lines.write(json.dumps(vars(o)) + "\n")
    print(", ".join(f"{n} {what}" for what, n in counts.most_common()))
    return 0 if all(what in GOOD + NO_VERDICT + ("slow",) for what in counts) else 1


sys.exit(main())
