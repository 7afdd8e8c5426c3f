// SPDX-License-Identifier: Apache-2.0
// Collects what happens on one SM for a timeline. Exists only where a trace was asked for: elsewhere the SM's
// pointer is null, and nothing is collected.
#pragma once
#include <algorithm>
#include <vector>

#include "arch/types.h"
#include "traces/timeline.h"

namespace gpuloom::arch {

class Recorder {
 public:
  Recorder(const traces::TraceRequest& request, unsigned sm, unsigned warps)
      : request_(request), pending_(warps) {
    out_.sm = sm;
  }
  // A launch begins; its cycles count from `start`.
  void start(Cycle start) {
    start_ = start;
    out_.records.clear();
    out_.dropped = 0;
    for (Pending& p : pending_) p = Pending{};
  }

  void span(traces::RecordKind kind, unsigned unit, Cycle begin, Cycle end, uint8_t reason, uint32_t a,
            uint64_t b = 0) {
    keep({begin, end, kind, reason, static_cast<uint16_t>(unit), a, b});
  }

  // An instruction issues; its result is there after `latency`, or when released() is called for
  // `scoreboard`.
  void issue(unsigned warp, Cycle now, uint32_t operation, unsigned latency, uint8_t scoreboard) {
    if (now - start_ >= request_.issues_to) return;
    const size_t before = out_.records.size();
    keep({now, now + std::max(1u, latency), traces::RecordKind::kIssue, 0, static_cast<uint16_t>(warp),
          operation, 0});
    if (scoreboard < kScoreboards && out_.records.size() != before)
      pending_[warp].record[scoreboard].push_back(static_cast<uint32_t>(before));
  }
  // Results of a scoreboard come in the order of issue.
  void released(unsigned warp, unsigned scoreboard, Cycle now) {
    if (request_.issues_to == 0 || scoreboard >= kScoreboards) return;
    std::vector<uint32_t>& waiting = pending_[warp].record[scoreboard];
    if (waiting.empty()) return;
    traces::Record& r = out_.records[waiting.front()];
    r.end = std::max(r.begin + 1, now - start_);
    waiting.erase(waiting.begin());
  }

  const traces::SmTimeline& timeline() const { return out_; }

 private:
  static constexpr unsigned kScoreboards = 6;
  struct Pending {
    std::vector<uint32_t> record[kScoreboards];  // issues without a result, by scoreboard
  };

  void keep(traces::Record r) {
    if (!request_.records) return;
    r.begin -= start_;
    r.end -= start_;
    if (r.end < request_.begin || r.begin >= request_.end) return;
    if (out_.records.size() >= request_.records_per_sm) {
      ++out_.dropped;
      return;
    }
    out_.records.push_back(r);
  }

  const traces::TraceRequest& request_;
  Cycle start_ = 0;
  traces::SmTimeline out_;
  std::vector<Pending> pending_;
};

}  // namespace gpuloom::arch
