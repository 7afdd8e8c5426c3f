// SPDX-License-Identifier: Apache-2.0
#include "base/config/nearest_sizes.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace gpuloom {
namespace {

// In the largest unit in which it is short and exact, as configurations take it.
std::string as_written(uint64_t bytes) {
  constexpr std::array<std::pair<uint64_t, const char*>, 3> kUnits = {
      {{1ull << 30, "GiB"}, {1ull << 20, "MiB"}, {1ull << 10, "KiB"}}};
  for (const auto& [unit, name] : kUnits)
    if (bytes >= unit && bytes * 100000 % unit == 0)
      return format_number(static_cast<double>(bytes) / static_cast<double>(unit)) + name;
  return std::to_string(bytes) + "B";
}

}  // namespace

std::string nearest_sizes(uint64_t size, uint64_t step) {
  const uint64_t below = size / step * step;
  const std::string above = as_written(below + step);
  return below == 0 ? "the nearest that fits is " + above
                    : "the nearest that fit are " + as_written(below) + " and " + above;
}

}  // namespace gpuloom
