// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/late_accesses.h"

#include <algorithm>
#include <bit>

#include "ptx/exec/cta.h"

namespace gpuloom::ptx {
namespace {

constexpr unsigned kPieceShift = 5;

bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

bool lane_touches(const DeferredAtomic& d, uint64_t address, uint64_t bytes) {
  for (uint32_t l = d.lanes; l != 0; l &= l - 1)
    if (overlap(address, bytes, d.address[std::countr_zero(l)], d.size)) return true;
  return false;
}

}  // namespace

void LateAccesses::Extent::include(uint64_t address, uint64_t bytes) {
  low = std::min(low, address);
  high = std::max(high, address + bytes);
  const uint64_t first = address >> kPieceShift, last = (address + bytes - 1) >> kPieceShift;
  if (last - first >= 64) {
    pieces = ~uint64_t{0};
    return;
  }
  for (uint64_t piece = first; piece <= last; ++piece) pieces |= uint64_t{1} << (piece % 64);
}

LateAccesses::Extent LateAccesses::extent_of(const uint64_t* address, uint32_t lanes, uint64_t bytes) {
  Extent e;
  for (; lanes != 0; lanes &= lanes - 1) e.include(address[std::countr_zero(lanes)], bytes);
  return e;
}

// Of warps that have ended only the address is left here; another in its place is taken for it, which costs
// time alone.
bool LateAccesses::ordered(const Record& record, const Warp& by) {
  if (record.warp == &by) return true;
  return record.block == by.cta && (record.fenced || record.phases != by.cta->phase_changes);
}

void LateAccesses::fenced(const Warp& by) {
  for (Record& r : records_) r.fenced |= r.warp == &by;
}

void LateAccesses::add(const DeferredAtomic& access, const Warp& by) {
  const Extent e = extent_of(access.address, access.lanes, access.size);
  records_.push_back({&access, e, &by, by.cta, by.cta->phase_changes, false});
  low_ = std::min(low_, e.low);
  high_ = std::max(high_, e.high);
}

void LateAccesses::remove(const DeferredAtomic& access) {
  const auto is = [&](const Record& r) { return r.access == &access; };
  const auto found = std::find_if(records_.begin(), records_.end(), is);
  if (found == records_.end()) return;
  *found = records_.back();
  records_.pop_back();
  if (!records_.empty()) return;
  low_ = UINT64_MAX;
  high_ = 0;
}

bool LateAccesses::touch(const Warp& by, uint64_t address, uint64_t bytes) const {
  if (bytes == 0 || address >= high_ || address + bytes <= low_) return false;
  Extent e;
  e.include(address, bytes);
  return std::any_of(records_.begin(), records_.end(), [&](const Record& r) {
    return e.meets(r.extent) && ordered(r, by) && lane_touches(*r.access, address, bytes);
  });
}

bool LateAccesses::touch(const Warp& by, const MemoryAccess& access, uint32_t lanes) const {
  const Extent e = extent_of(access.address, lanes, access.lane_bytes);
  if (e.low >= high_ || e.high <= low_) return false;
  return std::any_of(records_.begin(), records_.end(), [&](const Record& r) {
    if (!e.meets(r.extent) || !ordered(r, by)) return false;
    for (uint32_t l = lanes; l != 0; l &= l - 1)
      if (lane_touches(*r.access, access.address[std::countr_zero(l)], access.lane_bytes)) return true;
    return false;
  });
}

}  // namespace gpuloom::ptx
