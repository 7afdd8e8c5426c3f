#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the probes and writes their answers: run.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")"
for name in chains bandwidth overlap mixes; do
  nvcc -std=c++17 -arch=sm_90a -O3 -o "/tmp/$name" "$name.cu"
  timeout 60 "/tmp/$name" | gzip -n > "$1/h200_$name.csv.gz"
done
