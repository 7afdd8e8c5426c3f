# SPDX-License-Identifier: Apache-2.0
"""Brings a suite's sources into a work folder: from a checkout, a bare git folder, or an address to clone from.

Nothing of a suite is part of this repository. A file whose contents a partial clone does not have is left out.
"""
import pathlib
import shutil
import subprocess


def unpacked(source, folder):
    """The work folder with the files of `source`, the commit they are of."""
    folder = pathlib.Path(folder)
    marker = folder / ".commit"
    if marker.exists():
        return folder, marker.read_text().strip()
    folder.mkdir(parents=True, exist_ok=True)
    path = pathlib.Path(source)
    if not path.exists():
        subprocess.run(["git", "clone", "--depth", "1", source, str(folder / "clone")], check=True)
        path = folder / "clone" / ".git"
    if (path / ".git").exists():
        path = path / ".git"
    if (path / "HEAD").exists():
        commit = subprocess.run(["git", "--git-dir", str(path), "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        from_git(path, folder)
    else:
        commit = "unknown"
        shutil.copytree(path, folder, dirs_exist_ok=True)
    marker.write_text(commit + "\n")
    return folder, commit


def from_git(git, folder):
    listing = subprocess.run(["git", "--git-dir", str(git), "ls-tree", "-r", "-z", "HEAD"], capture_output=True, text=True, check=True).stdout
    with subprocess.Popen(["git", "--git-dir", str(git), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as reader:
        for entry in filter(None, listing.split("\0")):
            facts, path = entry.split("\t")
            mode, kind, name = facts.split()
            if kind != "blob":
                continue
            reader.stdin.write((name + "\n").encode())
            reader.stdin.flush()
            head = reader.stdout.readline().split()
            if head[-1] == b"missing":
                continue
            data = reader.stdout.read(int(head[2]))
            reader.stdout.read(1)
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if mode == "120000":
                target.symlink_to(data.decode())
            else:
                target.write_bytes(data)
        reader.stdin.close()
