// SPDX-License-Identifier: Apache-2.0
// What the programs of this folder share: they print PASS, or what is wrong, and end with 0 or 1.
#pragma once
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

inline int failures = 0;

#define CUDA(call)                                                                            \
  do {                                                                                        \
    const cudaError_t status_ = (call);                                                       \
    if (status_ != cudaSuccess) {                                                             \
      std::printf("%s:%d: %s is %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(status_)); \
      std::exit(1);                                                                           \
    }                                                                                         \
  } while (0)

// The call must answer exactly this; what it leaves as the last error is taken away.
#define EXPECT(wanted, call)                                                                         \
  do {                                                                                               \
    const cudaError_t status_ = (call);                                                              \
    if (status_ != (wanted)) {                                                                       \
      std::printf("%s:%d: %s is %s, not %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(status_), \
                  #wanted);                                                                          \
      ++failures;                                                                                    \
    }                                                                                                \
    static_cast<void>(cudaGetLastError());                                                           \
  } while (0)

#define CHECK(holds)                                                  \
  do {                                                                \
    if (!(holds)) {                                                   \
      std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #holds); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

inline int verdict() {
  std::printf("%s\n", failures == 0 ? "PASS" : "FAIL");
  return failures == 0 ? 0 : 1;
}
