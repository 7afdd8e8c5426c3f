#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an H100 or H200, CUDA 13 and Nsight Compute. h200.csv.gz is made of its output: a line a launch, with its counters.
set -eu
cd "$(dirname "$0")"
nvcc -arch=sm_90a -O3 -o merge merge.cu
ncu --clock-control none --csv --kernel-name share --metrics lts__t_sectors_srcunit_tex.sum,lts__t_requests_srcunit_tex.sum ./merge > counters.txt 2>&1
