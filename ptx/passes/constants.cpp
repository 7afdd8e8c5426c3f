// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "ptx/passes/draft.h"

namespace gpuloom::ptx {

namespace {
constexpr uint32_t kLanes = 32;
constexpr uint32_t kRowAlign = 64;  // a vector register of the host

uint32_t aligned(uint32_t value, uint32_t to) { return (value + to - 1) / to * to; }
}  // namespace

Place ConstantPool::row(unsigned bytes, uint64_t value) {
  if (bytes == 0) value = value != 0 ? 0xffffffffu : 0;
  if (bytes != 0 && bytes < 8) value &= (uint64_t{1} << (8 * bytes)) - 1;
  const auto [it, is_new] = known_.try_emplace({bytes, value}, 0);
  if (!is_new) return Place::constant_row(it->second);
  const uint32_t at = aligned(static_cast<uint32_t>(rows_->size()), kRowAlign);
  it->second = at;
  value_[at] = value;
  rows_->resize(at + aligned(bytes == 0 ? 4 : bytes * kLanes, kRowAlign));
  uint8_t* out = rows_->data() + at;
  if (bytes == 0) {
    std::memcpy(out, &value, 4);
    return Place::constant_row(at);
  }
  const uint64_t high = 0;  // a negative constant too has zeros above its 64 bits (H200: st.b128 of -2)
  for (uint32_t lane = 0; lane < kLanes; ++lane, out += bytes) {
    std::memcpy(out, &value, bytes < 8 ? bytes : 8);
    if (bytes == 16) std::memcpy(out + 8, &high, 8);
  }
  return Place::constant_row(at);
}

bool ConstantPool::value_of(Place place, uint64_t& value) const {
  if (!place.present() || !place.constant()) return false;
  const auto it = value_.find(static_cast<uint32_t>(~place.at));
  if (it == value_.end()) return false;
  value = it->second;
  return true;
}

uint32_t FunctionDraft::take_row(unsigned bytes_a_lane, unsigned elements) {
  const uint32_t at = aligned(frame_bytes, kRowAlign);
  frame_bytes = at + aligned(bytes_a_lane * kLanes, kRowAlign) * elements;
  return at;
}

}  // namespace gpuloom::ptx
