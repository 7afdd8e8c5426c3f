// SPDX-License-Identifier: Apache-2.0
#include "base/heap.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__linux__) && defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace gpuloom {

void prepare_heap() {
#if defined(__linux__) && defined(__GLIBC__)
  // Address space, not memory: more than the model of the largest GPU takes.
  constexpr int kStep = 256 << 20;
  constexpr uintptr_t kLargePage = 2 << 20;
  constexpr int kNeverMap = 1 << 30;  // what is smaller comes from the heap
  mallopt(M_MMAP_THRESHOLD, kNeverMap);
  mallopt(M_TRIM_THRESHOLD, kNeverMap);
  mallopt(M_TOP_PAD, kStep);
  // The first block that does not fit makes the heap take a step.
  void* first = std::malloc(kLargePage);
  if (first == nullptr) return;
  const auto end = reinterpret_cast<uintptr_t>(sbrk(0)) / kLargePage * kLargePage;
  const auto begin = (reinterpret_cast<uintptr_t>(first) + kLargePage - 1) / kLargePage * kLargePage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a hint
  std::free(first);
#endif
}

}  // namespace gpuloom
