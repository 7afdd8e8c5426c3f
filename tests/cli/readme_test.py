#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command of README.md that begins with build/release/gpuloom or nvcc works as written, with its files in a folder of the test.
Without nvcc there are no programs for `gpuloom exec`: both are left out then. Blocks of `bash` fetch files of others and are not run here.

usage: readme_test.py GPULOOM SOURCE_FOLDER
"""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile


def commands(readme):
    for block in re.findall(r"```sh\n(.*?)```", readme, re.S):
        for line in block.splitlines():
            if line.startswith(("build/release/gpuloom", "nvcc ")):
                yield shlex.split(line, comments=True)


def main():
    program, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    found = list(commands((root / "README.md").read_text(encoding="utf-8")))
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if nvcc and subprocess.run([nvcc, "--version"], capture_output=True, check=False).returncode != 0:
        nvcc = None  # a script whose toolkit is not here
    assert len(found) >= 8, f"README.md has {len(found)} commands"
    with tempfile.TemporaryDirectory(prefix="gpuloom-readme-") as folder:
        for words in found:
            compiles = words[0] == "nvcc"
            if nvcc is None and (compiles or words[1] == "exec"):
                print(f"left out, since nvcc is not here: {' '.join(words)}")
                continue
            mine = [re.sub(r"(^|=)build/", rf"\1{folder}/", w) for w in words[1:]]
            done = subprocess.run([nvcc if compiles else program, *mine], cwd=root, capture_output=True, text=True, check=False, timeout=1800)
            assert done.returncode == 0, f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
            assert compiles or (done.stdout + done.stderr).strip(), f"{' '.join(words)} printed nothing"
    print(f"README test passed: {len(found)} commands")


if __name__ == "__main__":
    main()
