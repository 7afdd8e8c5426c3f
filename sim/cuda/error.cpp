// SPDX-License-Identifier: Apache-2.0
// Names and texts of CUresult.
#include <unordered_map>

#include "sim/cuda/driver.h"

namespace gpuloom::driver {
namespace {

const char* name_of(int result) {
  static const std::unordered_map<int, const char*> names = {
#define GPULOOM_RESULT(name, value) {value, "CUDA_" #name},
#include "sim/cuda/result.inc"
#undef GPULOOM_RESULT
  };
  const auto known = names.find(result);
  return known == names.end() ? nullptr : known->second;
}

}  // namespace

GPULOOM_CUDA int cuGetErrorName(int result, const char** text) {
  if (text == nullptr) return kInvalidValue;
  *text = name_of(result);
  return *text != nullptr ? kSuccess : kInvalidValue;
}

GPULOOM_CUDA int cuGetErrorString(int result, const char** text) {
  if (text == nullptr) return kInvalidValue;
  *text = name_of(result) != nullptr ? host::status_text(result) : nullptr;
  return *text != nullptr ? kSuccess : kInvalidValue;
}

}  // namespace gpuloom::driver
