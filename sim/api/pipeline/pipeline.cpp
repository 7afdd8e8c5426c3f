// SPDX-License-Identifier: Apache-2.0
#include "sim/api/pipeline/pipeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "sim/api/trace_file.h"

namespace gpuloom::sim {
namespace {

using traces::kNoCycle;

constexpr double kLateShare = 0.05;  // of the fills: fewer are not worth a word

uint64_t late_by(const traces::Fill& f) {
  return f.wait_begin != kNoCycle && f.wait_begin < f.complete ? f.complete - f.wait_begin : 0;
}

// Sums of the fills of one place.
struct Sums {
  PipelineProducer producer;
  uint64_t fill = 0, late = 0, ready = 0, ready_fills = 0, use = 0, used = 0, between = 0, pairs = 0;
  std::map<std::pair<unsigned, uint64_t>, std::vector<const traces::Fill*>> blocks;  // by SM and block

  void add(unsigned sm, const traces::Fill& f) {
    PipelineProducer& p = producer;
    ++p.fills;
    p.bytes += f.bytes;
    fill += f.complete - f.issued;
    p.fill_most = std::max(p.fill_most, f.complete - f.issued);
    if (const uint64_t by = late_by(f); by != 0) {
      ++p.late_fills;
      late += by;
    } else if (f.first_use != kNoCycle) {
      ready += f.first_use - std::min(f.first_use, f.complete);
      ++ready_fills;
    }
    if (f.first_use != kNoCycle) {
      use += f.last_use - f.first_use;
      ++used;
    }
    blocks[{sm, f.block}].push_back(&f);
  }

  void add_block(const std::vector<const traces::Fill*>& fills) {
    std::set<uint32_t> buffers;
    uint64_t first = kNoCycle, last = 0;
    for (const traces::Fill* f : fills) {
      buffers.insert(f->buffer);
      first = std::min(first, f->complete);
      last = std::max(last, f->complete);
    }
    producer.buffers = std::max(producer.buffers, static_cast<unsigned>(buffers.size()));
    between += last - first;
    pairs += fills.size() - 1;
  }

  PipelineProducer take() {
    for (const auto& [block, fills] : blocks) add_block(fills);
    PipelineProducer& p = producer;
    const auto mean = [](uint64_t sum, uint64_t count) {
      return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
    };
    p.fill = mean(fill, p.fills);
    p.late = mean(late, p.late_fills);
    p.ready = mean(ready, ready_fills);
    p.use = mean(use, used);
    p.period = mean(between, pairs);
    p.step = std::max(0.0, p.period - mean(late, p.fills));
    if (pairs != 0 && p.step >= 1) p.buffers_needed = 1 + static_cast<unsigned>(std::ceil(p.fill / p.step));
    return p;
  }
};

std::string place_of(const Pipeline& p, uint32_t instruction) {
  return instruction < p.places.size() ? p.places[instruction] : std::string();
}

void add_producers(Pipeline& p) {
  std::map<std::string, Sums> by_place;
  for (const PipelineSm& sm : p.sms)
    for (const traces::Fill& f : sm.fills) {
      if (f.complete == kNoCycle) continue;  // of a launch that was stopped
      Sums& sums = by_place[place_of(p, f.copy_at)];
      if (sums.producer.fills == 0) {
        sums.producer.place = place_of(p, f.copy_at);
        sums.producer.kind = f.kind;
        sums.producer.barrier = f.barrier != kNoCycle;
      }
      if (sums.producer.wait_place.empty() && f.wait_begin != kNoCycle)
        sums.producer.wait_place = place_of(p, f.wait_at);
      if (sums.producer.use_place.empty() && f.first_use != kNoCycle)
        sums.producer.use_place = place_of(p, f.use_at);
      sums.add(sm.sm, f);
    }
  for (auto& [name, sums] : by_place) p.producers.push_back(sums.take());
  std::stable_sort(p.producers.begin(), p.producers.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
}

void add_free_waits(Pipeline& p) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> by_place;
  for (const PipelineSm& sm : p.sms)
    for (const traces::FreeWait& w : sm.free_waits) {
      auto& [count, cycles] = by_place[place_of(p, w.at)];
      ++count;
      cycles += w.end - w.begin;
    }
  for (const auto& [name, sums] : by_place)
    p.free_waits.push_back(
        {name, sums.first, static_cast<double>(sums.second) / static_cast<double>(sums.first)});
}

}  // namespace

Pipeline pipeline_of(const traces::Timeline& timeline) {
  Pipeline p;
  p.kernel = timeline.kernel;
  p.cycles = timeline.cycles;
  p.places = timeline.instructions;
  for (const traces::SmTimeline& sm : timeline.sms) {
    p.sms.push_back({sm.sm, sm.fills, sm.free_waits});
    if (std::string note = dropped_copies_note(sm.sm, sm.copies_dropped); !note.empty())
      p.notes.push_back(std::move(note));
  }
  add_producers(p);
  add_free_waits(p);
  return p;
}

std::string lateness(const PipelineProducer& p) {
  const std::string phases = with_thousands(p.fills) + (p.fills == 1 ? " fill" : " fills");
  if (p.late_fills == 0) return "in time in all of " + phases;
  return fmt::format("late by {:.0f} cycles in {:.0f} % of {}", p.late,
                     100.0 * static_cast<double>(p.late_fills) / static_cast<double>(p.fills), phases);
}

std::string advice(const PipelineProducer& p) {
  const double share = p.fills == 0 ? 0 : static_cast<double>(p.late_fills) / static_cast<double>(p.fills);
  if (share < kLateShare) return "hidden: more buffers would gain nothing";
  if (p.buffers_needed == 0) return "too few fills of a block to say how many buffers would hide it";
  if (p.buffers_needed > p.buffers)
    return fmt::format("{} buffers would hide it, if a fill still takes {:.0f} cycles then", p.buffers_needed,
                       p.fill);
  return "enough buffers: copies are issued too late, or come too slowly";
}

}  // namespace gpuloom::sim
