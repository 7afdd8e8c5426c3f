#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command of README.md that begins with build/release/gpuloom works as written, with its files in a folder of the test.

usage: readme_test.py GPULOOM SOURCE_FOLDER
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def commands(readme):
    for block in re.findall(r"```sh\n(.*?)```", readme, re.S):
        for line in block.splitlines():
            if line.startswith("build/release/gpuloom"):
                yield shlex.split(line, comments=True)[1:]


def main():
    program, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    found = list(commands((root / "README.md").read_text(encoding="utf-8")))
    assert len(found) >= 8, f"README.md has {len(found)} commands"
    with tempfile.TemporaryDirectory(prefix="gpuloom-readme-") as folder:
        for words in found:
            mine = [re.sub(r"(^|=)build/", rf"\1{folder}/", w) for w in words]
            done = subprocess.run([program, *mine], cwd=root, capture_output=True, text=True, check=False, timeout=300)
            assert done.returncode == 0, f"gpuloom {' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
            assert (done.stdout + done.stderr).strip(), f"gpuloom {' '.join(words)} printed nothing"
    print(f"README test passed: {len(found)} commands")


if __name__ == "__main__":
    main()
