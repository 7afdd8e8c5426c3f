#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every configuration, launch file and sweep of the tree fits the schema that `gpuloom config schema` writes, and files with a mistake do
not. Skipped where Python has neither yaml nor jsonschema (pip install pyyaml jsonschema).

    schema_test.py GPULOOM ROOT
"""
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError:
    print("no yaml or jsonschema here")
    sys.exit(77)

GPULOOM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


def schema(of):
    text = subprocess.run([GPULOOM, "config", "schema", of], check=True, capture_output=True, text=True).stdout
    loaded = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(loaded)
    return jsonschema.Draft202012Validator(loaded)


CONFIG, LAUNCH, SWEEP = schema("config"), schema("launch"), schema("sweep")


def kind_of(document):
    if "axes" in document:
        return SWEEP
    return LAUNCH if "ptx" in document or "module" in document or "kernel" in document else CONFIG


def main():
    failures, counts = [], {"config": 0, "launch": 0, "sweep": 0}
    files = sorted(path for folder in ("configs", "sim/examples", "arch/policy", "tests/behaviour", "docs") if (ROOT / folder).exists()
                   for path in (ROOT / folder).rglob("*.yaml") if path.name not in ("keys.yaml", "effects.yaml", "silent.yaml", "shown.yaml", "shown_by.yaml", "device_attributes.yaml", "expected_errors.yaml", "explain.yaml")
                   and path.parent.name != "advice")  # advice: sim/api/explain/advice.cpp reads and checks it
    for path in files:
        document = yaml.safe_load(path.read_text())
        if not isinstance(document, dict):
            continue
        if path.parent == ROOT / "configs/lowering":  # a group of a configuration
            document = {"lowering": {key: value for key, value in document.items() if key not in ("extends", "name", "description")}}
        validator = kind_of(document)
        counts[{id(CONFIG): "config", id(LAUNCH): "launch", id(SWEEP): "sweep"}[id(validator)]] += 1
        failures += [f"{path.relative_to(ROOT)}: {'.'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(document)]
    suite = ROOT / "bench/silicon/cases.json"
    for case in json.loads(suite.read_text()) if suite.exists() else []:
        counts["launch"] += 1
        failures += [f"cases.json {case['name']}: {'.'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in LAUNCH.iter_errors(case)]

    wrong = [(CONFIG, {"l2": {"wayz": 16}}), (CONFIG, {"l2": {"ways": 0}}), (CONFIG, {"l2": {"size": "60"}}), (CONFIG, {"l2": {"replacement": "lruu"}}),
             (CONFIG, {"sm": {"operations": {"ffma": {"pipe": "fmaa"}}}}), (LAUNCH, {"ptx": "a.ptx", "kernal": "k"}),
             (LAUNCH, {"ptx": "a.ptx", "launches": [{"kernel": "k", "grid": 1, "block": 1, "carveout": 101}]}),
             (SWEEP, {"name": "s", "launch": "l.yaml", "axes": {"a": {"key": "l2.ways"}}}), (SWEEP, {"name": "s", "launch": "l.yaml", "axes": {}, "repeets": 1})]
    failures += [f"taken though it is wrong: {document}" for validator, document in wrong if validator.is_valid(document)]
    right = [(CONFIG, {"extends": "h200", "sm": {"scheduler": "./ccws.so", "ccws": {"victim_tags": 16}}}), (CONFIG, {"extends": "h200", "dram": {"latency": "90.5 ns"}})]
    failures += [f"refused though it is right: {document}" for validator, document in right if not validator.is_valid(document)]
    print("\n".join(failures) if failures else "all fit:", counts)
    return 1 if failures or min(counts.values()) == 0 else 0


sys.exit(main())
