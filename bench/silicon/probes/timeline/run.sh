#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the probes, runs each eight times and writes its answers (what, n, the middle of the runs in us, least, most): run.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")"
for name in chains bandwidth overlap mixes staging; do
  nvcc -std=c++17 -arch=sm_90a -O3 -o "/tmp/$name" "$name.cu"
  for round in 1 2 3 4 5 6 7 8; do timeout 60 "/tmp/$name" > "/tmp/$name.$round.csv"; done
  python3 middle.py "/tmp/$name".?.csv | gzip -n > "$1/h200_$name.csv.gz"
done
