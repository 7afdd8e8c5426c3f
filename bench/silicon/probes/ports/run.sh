#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an H100 or H200 and CUDA 13.
set -eu
cd "$(dirname "$0")"
nvcc -arch=sm_90a -O3 -std=c++17 -o ports ports.cu
./ports | gzip -9 > h200.csv.gz
./ports sets 16 | gzip -9 > h200_sets.csv.gz
./ports beside 16 | gzip -9 > h200_beside.csv.gz
