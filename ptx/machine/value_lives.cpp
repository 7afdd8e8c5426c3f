// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/value_lives.h"

#include <algorithm>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/calls.h"
#include "ptx/machine/latency.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

// Memory operations for which the registers of an earlier one are kept, as far as the budget allows: 3 to 6
// give the same share of kernels within 15 % of ptxas, give or take 1 %, on the suite and
// bench/silicon/lowering.
constexpr size_t kKeptFor = 4;

class LivesFinder {
 public:
  LivesFinder(const Graph& g, const VirtualLiveness& live, bool at_once, bool waits)
      : g_(g), live_(live), at_once_(at_once), waits_(waits) {
    const size_t n = g.registers.size();
    out_.of.resize(n);
    out_.unread.resize(n);
    for (auto* flags : {&out_.in_called, &out_.across_call, &out_.loaded}) flags->assign(n, 0);
  }

  ValueLives run() {
    const VirtualLiveness& live = live_;
    std::vector<uint32_t> until(g_.registers.size(), 0);  // 0: not alive
    std::vector<uint32_t> begins{2};                      // by block
    for (const std::vector<Node>& nodes : g_.blocks)
      begins.push_back(begins.back() + 2 * static_cast<uint32_t>(nodes.size()) + 2);
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      const std::vector<Node>& nodes = g_.blocks[b];
      const uint32_t begin = begins[b], end = begins[b + 1];
      live.out[b].for_each([&](uint32_t v) { until[v] = end; });
      if (!nodes.empty() && calls(nodes.back())) live_across(nodes.back(), live.out[b], begins);
      note_function(nodes, g_.liveness.function_of[b]);
      const std::vector<uint32_t> released = released_after(nodes);
      for (size_t k = nodes.size(); k-- > 0;) {
        const uint32_t at = begin + 2 * static_cast<uint32_t>(k);
        for (const uint32_t v : nodes[k].scratch) out_.of[v].at.push_back({at + 1, at + 2});
        for (const uint32_t v : nodes[k].defs) {
          out_.of[v].at.push_back({at + 1, std::max(until[v], at + 2)});
          if (traits(nodes[k].op).read_path == ReadPath::kLoad) out_.loaded[v] = 1;
          until[v] = nodes[k].guarded && !nodes[k].fresh ? at + 1 : 0;
        }
        const auto read = begin + 2 * released[k] + 1;
        for (const uint32_t v : nodes[k].uses) {
          until[v] = std::max(until[v], waits_ ? read : at + 1);
          if (!waits_ && read > at + 1) out_.unread[v].push_back({at + 1, read});
        }
      }
      live.in[b].for_each([&](uint32_t v) {
        if (until[v] != 0) out_.of[v].at.push_back({begin, until[v]});
        until[v] = 0;
      });
    }
    for (Life& life : out_.of) {
      life.at = joined(std::move(life.at));
      life.during = joined(std::move(life.during));
    }
    return std::move(out_);
  }

 private:
  // Sorted, and none touches another.
  static std::vector<Range> joined(std::vector<Range> list) {
    std::sort(list.begin(), list.end(), [](const Range& a, const Range& b) { return a.from < b.from; });
    std::vector<Range> out;
    for (const Range& r : list) {
      if (!out.empty() && r.from <= out.back().to) {
        out.back().to = std::max(out.back().to, r.to);
      } else {
        out.push_back(r);
      }
    }
    return out;
  }

  // By operation: the one behind which the registers that it reads may be written again. Memory operations
  // read theirs late, so ptxas takes others for the next ones (SASS of lat_global and transpose_naive: six
  // pairs in turn for one chain of addresses).
  std::vector<uint32_t> released_after(const std::vector<Node>& nodes) const {
    std::vector<uint32_t> list(nodes.size());
    std::vector<uint32_t> later;  // memory operations, last first
    for (uint32_t k = static_cast<uint32_t>(nodes.size()); k-- > 0;) {
      list[k] = k;
      const bool late = nodes[k].memory && g_.model->latency[static_cast<size_t>(nodes[k].op)].variable;
      if (at_once_ || !late) continue;
      if (later.size() >= kKeptFor) {
        list[k] = later[later.size() - kKeptFor];
      } else if (!later.empty()) {
        list[k] = static_cast<uint32_t>(nodes.size() - 1);
      }
      later.push_back(k);
    }
    return list;
  }

  // What lives across a call takes a register that the callee keeps, or one that it does not touch.
  void live_across(const Node& call, const RowSet& after, const std::vector<uint32_t>& begins) {
    out_.calls |= call.clobbers;
    const std::vector<uint32_t> callees = call.clobbers ? std::vector<uint32_t>{} : callees_of(g_, call);
    after.for_each([&](uint32_t v) {
      const VirtualRegister& r = g_.registers[v];
      if (r.words == 0 || r.uniform) return;
      if (std::find(call.defs.begin(), call.defs.end(), v) != call.defs.end()) return;
      if (call.clobbers) out_.across_call[v] = 1;
      for (const uint32_t f : callees)
        out_.of[v].during.push_back({begins[g_.flow.first_block[f]], begins[g_.flow.first_block[f + 1]]});
    });
  }

  void note_function(const std::vector<Node>& nodes, uint32_t f) {
    if (f == 0 || g_.conventional[f] == 0) return;
    for (const Node& n : nodes) {
      for (const uint32_t v : n.defs) out_.in_called[v] = 1;
    }
  }

  const Graph& g_;
  const VirtualLiveness& live_;
  bool at_once_, waits_;
  ValueLives out_;
};

}  // namespace

ValueLives lives_of(const Graph& g, const VirtualLiveness& live, bool at_once, bool waits) {
  return LivesFinder(g, live, at_once, waits).run();
}

}  // namespace gpuloom::ptx
