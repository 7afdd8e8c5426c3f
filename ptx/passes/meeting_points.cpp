// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/meeting_points.h"

#include <algorithm>

#include "ptx/passes/post_dominators.h"

namespace gpuloom::ptx {

namespace {

// Whether lanes come to `meet` by more than one way out of block b; with one alone nobody needs to wait
// there.
bool several_ways(const Flow& flow, uint32_t b, uint32_t meet) {
  std::vector<uint32_t> found{meet};
  std::vector<uint8_t> seen(flow.successors.size(), 0);
  seen[meet] = 1;
  for (size_t k = 0; k < found.size(); ++k) {
    for (const uint32_t before : flow.predecessors[found[k]]) {
      if (seen[before] != 0) continue;
      seen[before] = 1;
      found.push_back(before);
    }
  }
  const auto& ways = flow.successors[b];
  return std::count_if(ways.begin(), ways.end(), [&](uint32_t s) { return seen[s] != 0; }) > 1;
}

struct Loop {
  uint32_t header, latch;
};

// Loops with one jump back, as code order shows them: nvcc lays them out in one piece, header first. Inner
// ones first.
std::vector<Loop> find_loops(const Flow& flow) {
  std::vector<Loop> loops;
  for (uint32_t header = 0; header < flow.blocks.size(); ++header) {
    const auto& from = flow.predecessors[header];
    const auto back = [&](uint32_t b) { return b >= header; };
    if (std::count_if(from.begin(), from.end(), back) != 1) continue;
    loops.push_back({header, *std::find_if(from.begin(), from.end(), back)});
  }
  std::sort(loops.begin(), loops.end(),
            [](const Loop& a, const Loop& b) { return a.latch - a.header < b.latch - b.header; });
  return loops;
}

// The loop's blocks, numbered from 0, without the ways out of it and the way back.
Flow body_of(const Flow& flow, const Loop& loop) {
  Flow body;
  const uint32_t count = loop.latch - loop.header + 1;
  body.successors.resize(count);
  body.predecessors.resize(count);
  for (uint32_t b = 0; b < count; ++b) {
    for (const uint32_t s : flow.successors[loop.header + b]) {
      if (s <= loop.header || s > loop.latch) continue;
      body.successors[b].push_back(s - loop.header);
      body.predecessors[s - loop.header].push_back(b);
    }
  }
  return body;
}

// Whether a block can be left for somewhere outside the loop.
bool has_other_exits(const Flow& flow, const Loop& loop) {
  for (uint32_t b = loop.header; b < loop.latch; ++b) {
    for (const uint32_t s : flow.successors[b])
      if (s < loop.header || s > loop.latch) return true;
  }
  return false;
}

}  // namespace

std::vector<std::vector<uint32_t>> meeting_points(const Flow& flow,
                                                  const std::vector<uint32_t>& post_dominators) {
  std::vector<std::vector<uint32_t>> out(flow.blocks.size());
  for (const Loop& loop : find_loops(flow)) {
    if (!has_other_exits(flow, loop)) continue;
    const Flow body = body_of(flow, loop);
    const std::vector<uint32_t> meets =
        ptx::post_dominators(body, 0, static_cast<uint32_t>(body.successors.size()));
    for (uint32_t b = 0; b < meets.size(); ++b) {
      const uint32_t block = loop.header + b, last = post_dominators[block];
      const bool leaves = last != UINT32_MAX && (last < loop.header || last > loop.latch);
      if (meets[b] == UINT32_MAX || !leaves || !several_ways(body, b, meets[b])) continue;
      const uint32_t meet = loop.header + meets[b];
      if (std::find(out[block].begin(), out[block].end(), meet) == out[block].end())
        out[block].push_back(meet);
    }
  }
  for (uint32_t b = 0; b < out.size(); ++b) {
    if (post_dominators[b] != UINT32_MAX && several_ways(flow, b, post_dominators[b]))
      out[b].push_back(post_dominators[b]);
  }
  return out;
}

}  // namespace gpuloom::ptx
