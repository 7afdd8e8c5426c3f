#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an H200, CUDA 13 and Nsight Compute.
set -eu
cd "$(dirname "$0")"
nvcc -std=c++17 -arch=sm_90a -O3 -o aside aside.cu
./aside | gzip -9 > h200.csv.gz
# h200_counters.csv.gz is this, a line a kernel
ncu --clock-control none --csv --metrics dram__bytes_read.sum,dram__bytes_write.sum,dram__sectors_write.sum,lts__t_sectors.sum,lts__t_requests.sum,lts__t_sectors_srcunit_ltcfabric.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,sm__cycles_elapsed.max ./aside 1 > counters.csv
