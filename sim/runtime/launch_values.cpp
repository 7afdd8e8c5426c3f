// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/launch_values.h"

#include <algorithm>
#include <charconv>

#include "base/config/config.h"
#include "base/config/units.h"
#include "base/text.h"

namespace gpuloom::sim {
namespace {

// "16x16"
std::vector<int64_t> times_separated(const ConfigView& view, std::string_view key) {
  std::vector<int64_t> numbers;
  for (const std::string& word : split(view.text(key), 'x')) {
    int64_t n = 0;
    if (!parse_integer(word, n) || n < 0 || n > UINT32_MAX) {
      view.problem(key, "'" + view.text(key) + "' is not a size", "16, [16, 16] or 16x16");
      return {1};
    }
    numbers.push_back(n);
  }
  return numbers;
}

}  // namespace

ptx::Dim3 launch_extents(const ConfigView& view, std::string_view key, uint32_t min) {
  ptx::Dim3 d;
  const ConfigNode* node = view.node()->find(key);
  std::vector<int64_t> n;
  if (node != nullptr && node->is_scalar() && node->scalar.find('x') != std::string::npos) {
    n = times_separated(view, key);
  } else if (node == nullptr || node->is_scalar()) {
    d.x = view.count(key, min);
    return d;
  } else {
    n = view.integers(key, min, UINT32_MAX);
  }
  if (n.empty() || n.size() > 3)
    view.problem(key, "expected one to three sizes, got " + std::to_string(n.size()));
  uint32_t* const extents[3] = {&d.x, &d.y, &d.z};
  for (size_t i = 0; i < std::min<size_t>(n.size(), 3); ++i) *extents[i] = static_cast<uint32_t>(n[i]);
  return d;
}

bool is_integer_text(const std::string& text) {
  int64_t ignored = 0;
  return parse_integer(text, ignored);
}

std::vector<uint8_t> argument_bytes(const ConfigView& view) {
  const std::string text = view.text("bytes");
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    uint8_t byte = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (error != std::errc() || end != text.data() + i + 2) break;
    bytes.push_back(byte);
  }
  if (bytes.size() * 2 != text.size()) view.problem("bytes", "expected pairs of hexadecimal digits");
  return bytes;
}

}  // namespace gpuloom::sim
