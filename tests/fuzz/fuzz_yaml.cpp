// SPDX-License-Identifier: Apache-2.0
// Any bytes as a configuration: read, or refused with gpuloom::Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/config/config.h"
#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto config =
        gpuloom::Config::parse(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.yaml");
  } catch (const gpuloom::Error&) {
  }
  return 0;
}
