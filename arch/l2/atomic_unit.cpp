// SPDX-License-Identifier: Apache-2.0
#include "arch/l2/atomic_unit.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "arch/policy/mix_address.h"

namespace gpuloom::arch {
namespace {

constexpr uint32_t kTurn = 32;  // a turn of atomic_interval, in the calendar's bytes

}  // namespace

AtomicUnit::AtomicUnit(const L2Config& config, double clock_hz)
    : config_(config),
      sum_interval_(config.atomic_sum * clock_hz / config.clock_hz),
      turns_(kTurn * config.clock_hz / clock_hz / config.atomic_interval) {}

AtomicUnit::Turns AtomicUnit::take(const sim::MemoryRequest& request, Cycle ready) {
  const unsigned turns = std::max<unsigned>(request.atomics, 1);
  const uint32_t each =
      request.full_sectors ? kTurn : static_cast<uint32_t>(std::lround(kTurn * config_.atomic_part));
  Cycle begin = ready;
  if (request.sums != 0) {
    begin = std::max(begin, latest_);
    each_sum(request, [&](const Sum& sum) { begin = std::max(begin, sum.free); });
  }
  Turns out{turns_.reserve(begin, turns * each), turns_.transfer((turns - 1) * each)};
  if (request.sums == 0) return out;
  const auto sums = static_cast<Cycle>(std::lround(sum_interval_ * request.sums));
  each_sum(request, [&](Sum& sum) { sum.free = out.first + sums; });
  latest_ = out.first;
  out.span = std::max(out.span, sums - std::min(sums, static_cast<Cycle>(std::lround(sum_interval_))));
  return out;
}

template <class Visit>
void AtomicUnit::each_sum(const sim::MemoryRequest& request, Visit visit) {
  for (uint32_t rest = request.sectors; rest != 0; rest &= rest - 1)
    visit(sum_of(request.line / kSectorBytes + static_cast<unsigned>(std::countr_zero(rest))));
}

AtomicUnit::Sum& AtomicUnit::sum_of(uint64_t sector) {
  Sum& sum = sums_[policy::mix_address(sector) % kSums];
  if (sum.sector != sector) sum = {sector, 0};
  return sum;
}

}  // namespace gpuloom::arch
