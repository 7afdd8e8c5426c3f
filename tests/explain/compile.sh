#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the kernels of a set anew (nvcc 13): tests/explain/compile.sh SET [NAME...]; SET: kernels, unseen, unseen2, ...
set -euo pipefail
cd "$(dirname "$0")/${1:?which set}"
shift
nvcc=${NVCC:-/usr/local/cuda/bin/nvcc}
names=("$@")
((${#names[@]})) || names=(*.cu)
for name in "${names[@]%.cu}"; do
  "$nvcc" -ptx -lineinfo -arch=sm_90 -o "$name.ptx" "$name.cu"
  sed -i "s|\"[^\"]*/\($name\.cu\)\"|\"\1\"|" "$name.ptx"  # no paths of this machine
done
