#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes cases.json: each width and space with 1, 2, 4, 8 and 32 places, all lanes and random ones."""
import json
from pathlib import Path

WIDTHS = {"shared_1": 0, "shared_4": 1, "shared_8": 2, "shared_16": 4, "global_4": 1, "global_8": 2, "global_16": 4}
cases = []
for kernel, words in WIDTHS.items():
    for places in (1, 2, 4, 8, 32):
        for mask in ("all", "some"):
            masks = {"type": "u32", "count": 64, "init": "raw", "seed": 9} if mask == "some" else {"type": "s32", "count": 64, "init": {"file": "all.npy"}}
            out = {"type": "u8" if words == 0 else "u32", "count": 64 * 32 * max(words, 1), "init": "zero", "output": True}
            cases.append({"name": f"{kernel}_{places}_{mask}", "module": "winner", "kernel": kernel, "grid": [64, 1, 1], "block": [32, 1, 1], "cluster": [0, 0, 0],
                          "dynamic_shared": 0, "repeat": 1, "buffers": {"offsets": {"type": "u32", "count": 2048, "init": "raw", "seed": 7}, "masks": masks, "out": out},
                          "args": [{"buffer": "offsets"}, {"buffer": "masks"}, {"buffer": "out"}, {"type": "s32", "value": places}]})
Path(__file__).with_name("cases.json").write_text("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n")
