// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/counter_sampler.h"

namespace gpuloom::arch {
namespace {

constexpr Cycle kSampleEvery = 256;  // cycles: finer than any wave of blocks, and files stay small

struct Quantity {
  const char *name, *unit;
  bool level;  // a level, not a sum over time
};
constexpr Quantity kQuantities[] = {
    {"warp instructions", "inst", false}, {"resident blocks", "block", true},
    {"L2 sectors", "sector", false},      {"L2 sectors missed", "sector", false},
    {"DRAM read", "byte", false},         {"DRAM written", "byte", false},
};

}  // namespace

CounterSampler::CounterSampler(const Gpu& gpu, const traces::TraceRequest& request)
    : gpu_(gpu), request_(request) {
  std::vector<std::string> names;
  for (const Quantity& q : kQuantities) {
    tracks_.push_back({q.name, q.unit, {}});
    names.push_back(q.name);
  }
  if (!request.vcd.empty()) vcd_ = std::make_unique<sim::VcdTrace>(request.vcd, names);
}

std::vector<uint64_t> CounterSampler::totals() const {
  std::vector<uint64_t> t(std::size(kQuantities), 0);
  for (const Sm* sm : gpu_.sms) {
    t[0] += sm->warp_instructions();
    t[1] += sm->blocks();
  }
  for (const auto& slice : gpu_.slices) {
    t[2] += slice->stats.sectors.value();
    t[3] += slice->stats.miss.value();
  }
  for (const auto& channel : gpu_.channels) {
    t[4] += channel->stats.bytes_read.value();
    t[5] += channel->stats.bytes_write.value();
  }
  return t;
}

void CounterSampler::start(Cycle now) {
  start_ = sampled_ = now;
  last_ = totals();
  for (traces::CounterTrack& track : tracks_) track.samples.clear();
}

void CounterSampler::window_ends(Cycle now) {
  if (now < sampled_ + kSampleEvery) return;
  const uint64_t cycle = now - start_;
  if (cycle < request_.begin || cycle >= request_.end) return;
  sampled_ = now;
  std::vector<uint64_t> current = totals();
  for (size_t i = 0; i < current.size(); ++i) {
    const uint64_t value = kQuantities[i].level || current[i] < last_[i] ? current[i] : current[i] - last_[i];
    tracks_[i].samples.emplace_back(cycle, static_cast<double>(value));
    if (vcd_) vcd_->set(i, value);
  }
  last_ = std::move(current);
}

}  // namespace gpuloom::arch
