#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an H100 or H200 and CUDA 13: writes what the README of this folder names.
set -eu
cd "$(dirname "$0")"
nvcc -arch=sm_90a -O3 -o cluster_probe cluster_probe.cu
./cluster_probe dsmem | gzip -9 > h200_dsmem.csv.gz
./cluster_probe blocks | gzip -9 > h200_blocks.csv.gz
metrics=l1tex__data_pipe_lsu_wavefronts.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum,sm__cycles_active.max,smsp__inst_executed.sum
ncu --clock-control none --csv --page raw --print-units base --metrics $metrics ./cluster_probe counted > counted.csv
nvcc -arch=sm_90a -O3 -o hot_probe hot_probe.cu
./hot_probe time > hot.csv
metrics=lts__t_sectors_srcunit_tex.sum,lts__t_requests_srcunit_tex.sum,lts__t_sectors_srcunit_ltcfabric.sum
ncu --clock-control none --csv --page raw --print-units base --metrics $metrics ./hot_probe counted > hot_counted.csv
