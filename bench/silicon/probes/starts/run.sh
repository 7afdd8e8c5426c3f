#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an H100 or H200, CUDA 13 and Nsight Compute: starts of kernels plainly, and with caches flushed by the profiler.
set -eu
cd "$(dirname "$0")"
nvcc -arch=sm_90a -O3 -o starts starts.cu
{ ./starts warm; ncu --clock-control none --metrics sm__cycles_active.avg --log-file counters.csv ./starts flushed | tail -n +2; } | gzip -9 > h200.csv.gz
