#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an H100 or H200, CUDA 13 and Nsight Compute: cold kernels plainly, and with caches flushed by the profiler.
set -eu
cd "$(dirname "$0")"
nvcc -arch=sm_90a -O3 -o cold cold.cu
PLAIN=1 ./cold | gzip -9 > h200_plain.csv.gz
ncu --clock-control none --csv --page raw --print-units base --metrics sm__cycles_active.max,sm__cycles_elapsed.max --log-file counters.csv ./cold | gzip -9 > h200_flushed.csv.gz
