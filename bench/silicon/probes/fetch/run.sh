#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an H100 or H200 and CUDA 13: straight code, jumps and regions by size.
set -eu
cd "$(dirname "$0")"
for what in KIB={24,32,36,40,48,64,96,120} LINES={1,4,16} REGION={7,30}; do
  nvcc -std=c++17 -arch=sm_90a -O3 "-D$what" -o "fetch_$what" fetch.cu
  "./fetch_$what"
done | gzip -9 > h200.csv.gz
