// SPDX-License-Identifier: Apache-2.0
// The questions of this folder want two GPUs: gpuloom exec -c h200 -c h200 peers [--show] [NAME...].
#include "tests/cuda/rules/main.cu"
