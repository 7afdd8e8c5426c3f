// SPDX-License-Identifier: Apache-2.0
// The comparisons of vset, vset2 and vset4.
#pragma once
#include "ptx/isa/table/form.h"

namespace gpuloom::ptx {

enum class VideoCompare : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
constexpr const char* kVideoComparisons = ".eq .ne .lt .le .gt .ge";

inline VideoCompare video_compare(const FormUse& use) {
  const std::string_view cmp = use.mod(".cmp");
  if (cmp == ".eq") return VideoCompare::kEq;
  if (cmp == ".ne") return VideoCompare::kNe;
  if (cmp == ".lt") return VideoCompare::kLt;
  if (cmp == ".le") return VideoCompare::kLe;
  return cmp == ".gt" ? VideoCompare::kGt : VideoCompare::kGe;
}

constexpr bool video_holds(VideoCompare cmp, int64_t a, int64_t b) {
  switch (cmp) {
    case VideoCompare::kEq:
      return a == b;
    case VideoCompare::kNe:
      return a != b;
    case VideoCompare::kLt:
      return a < b;
    case VideoCompare::kLe:
      return a <= b;
    case VideoCompare::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

}  // namespace gpuloom::ptx
