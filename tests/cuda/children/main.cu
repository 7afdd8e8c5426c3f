// SPDX-License-Identifier: Apache-2.0
// The questions of this folder, asked as those of rules/ are. Timed launches refuse dynamic parallelism.
#include "tests/cuda/rules/main.cu"
