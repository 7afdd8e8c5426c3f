#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an H100 or H200, CUDA 13 and Nsight Compute: blocks of short kernels plainly, and with caches flushed by the profiler.
set -eu
cd "$(dirname "$0")"
nvcc -arch=sm_90a -O3 -o blocks blocks.cu
./blocks | gzip -9 > h200.csv.gz
nvcc -arch=sm_90a -O3 -o places places.cu
./places | gzip -9 > h200_places.csv.gz
ncu --clock-control none --kernel-name 'regex:nothing|strided|local_array' --log-file counters.csv --metrics sm__cycles_active.avg ./blocks | gzip -9 > h200_cold.csv.gz
