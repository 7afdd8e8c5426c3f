// SPDX-License-Identifier: Apache-2.0
// The questions of this folder, asked as those of rules/ are: a program of its own, for it is linked with the device runtime (-rdc=true).
#include "tests/cuda/rules/main.cu"
