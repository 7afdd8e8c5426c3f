#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an H100 or H200 and CUDA 13.
set -eu
cd "$(dirname "$0")"
nvcc -arch=sm_90a -O3 -o latency latency.cu
./latency | gzip -9 > h200_latency.csv.gz
nvcc -arch=sm_90a -O3 -o spread spread.cu
./spread | gzip -9 > h200_spread.csv.gz
nvcc -std=c++17 -arch=sm_90a -O3 -o kept kept.cu
for run in 1 2 3; do ./kept; done | gzip -9 > h200_kept.csv.gz
