// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/tensor_map.h"

#include <algorithm>
#include <iterator>

namespace gpuloom::sim {
namespace {

// In the order of ptx::TensorElement.
constexpr std::string_view kElementNames[ptx::kTensorElements] = {
    "u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"};

[[noreturn]] void refuse_map(const FilePosition& where, const std::string& what) {
  throw Error(ErrorKind::kInput, "a tensor map cannot have " + what, where);
}

void shape(const TensorMapSpec& spec, const FilePosition& where, ptx::TensorMap& map) {
  const size_t rank = spec.dims.size();
  if (rank < 1 || rank > 5) refuse_map(where, std::to_string(rank) + " dimensions (1 to 5)");
  map.rank = static_cast<uint8_t>(rank);
  for (size_t d = 0; d < rank; ++d) {
    if (spec.dims[d] == 0 || spec.dims[d] > uint64_t{1} << 32)
      refuse_map(where, "an extent of " + std::to_string(spec.dims[d]) + " (1 to 2^32)");
    map.last[d] = static_cast<uint32_t>(spec.dims[d] - 1);
  }
  if (!spec.strides.empty() && spec.strides.size() + 1 != rank && rank > 1)
    refuse_map(where,
               std::to_string(spec.strides.size()) + " strides for " + std::to_string(rank) + " dimensions");
  uint64_t packed = ptx::bytes_of(spec.element);
  for (size_t d = 1; d < rank; ++d) {
    packed *= spec.dims[d - 1];
    map.stride[d - 1] = spec.strides.empty() ? packed : spec.strides[d - 1];
  }
  if (!spec.element_strides.empty() && spec.element_strides.size() != rank)
    refuse_map(where, std::to_string(spec.element_strides.size()) + " element strides for " +
                          std::to_string(rank) + " dimensions");
  for (size_t d = 0; d < spec.element_strides.size(); ++d)
    map.element_stride[d] = static_cast<uint8_t>(std::min(spec.element_strides[d], 255u));
}

void pixel_box(const TensorMapSpec& spec, const FilePosition& where, ptx::TensorMap& map) {
  const size_t corners = spec.dims.size() < 2 ? 0 : spec.dims.size() - 2;
  if (spec.lower.size() != corners || spec.upper.size() != corners)
    refuse_map(where, "corners of other than " + std::to_string(corners) + " dimensions");
  map.mode = ptx::TensorMode::kIm2col;
  map.channels = static_cast<uint16_t>(std::min(spec.channels, 65535u));
  map.pixels = static_cast<uint16_t>(std::min(spec.pixels, 65535u));
  for (size_t d = 0; d < corners && d < 3; ++d) {
    for (const int corner : {spec.lower[d], spec.upper[d]})
      if (corner != static_cast<int16_t>(corner)) refuse_map(where, "a corner at " + std::to_string(corner));
    map.lower[d] = static_cast<int16_t>(spec.lower[d]);
    map.upper[d] = static_cast<int16_t>(spec.upper[d]);
  }
}

}  // namespace

ptx::TensorMap encode_tensor_map(const TensorMapSpec& spec, const FilePosition& where) {
  ptx::TensorMap map;
  map.address = spec.address;
  map.element = spec.element;
  map.swizzle = spec.swizzle;
  map.fill = spec.fill;
  map.l2_promotion = static_cast<uint8_t>(std::min(spec.l2_promotion_bytes / 64, 255u));
  map.interleave = spec.interleave;
  shape(spec, where, map);
  if (spec.im2col) {
    pixel_box(spec, where, map);
  } else {
    if (spec.box.size() != spec.dims.size())
      refuse_map(where, "a box of " + std::to_string(spec.box.size()) + " dimensions for a tensor of " +
                            std::to_string(spec.dims.size()));
    for (size_t d = 0; d < spec.box.size(); ++d)
      map.box[d] = static_cast<uint16_t>(std::min(spec.box[d], 65535u));
  }
  if (const std::string wrong = ptx::tensor_map_problem(map); !wrong.empty()) refuse_map(where, wrong);
  return map;
}

bool tensor_element_named(std::string_view name, ptx::TensorElement& out) {
  const auto* const at = std::find(std::begin(kElementNames), std::end(kElementNames), name);
  if (at == std::end(kElementNames)) return false;
  out = static_cast<ptx::TensorElement>(at - std::begin(kElementNames));
  return true;
}

std::vector<std::string> tensor_element_names() {
  return {std::begin(kElementNames), std::end(kElementNames)};
}

}  // namespace gpuloom::sim
