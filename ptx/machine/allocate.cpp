// SPDX-License-Identifier: Apache-2.0
// Registers by linear scan (Poletto & Sarkar 1999) over intervals of the final order, wide values aligned. It
// is an estimate of what ptxas takes: holes in live ranges are not used, values are not split; registers
// beyond the limit count as spilled.
#include <algorithm>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kFile = 256;

struct Span {
  uint32_t from = UINT32_MAX, to = 0;
  void include(uint32_t at) {
    from = std::min(from, at);
    to = std::max(to, at);
  }
};

class File {
 public:
  explicit File(unsigned reserved) : free_at_(kFile, 0), reserved_(reserved) {}
  // The first run of `words` registers, aligned to the next power of two, that is free from `from` on; kFile
  // where none is.
  unsigned take(unsigned words, uint32_t from, uint32_t to) {
    const unsigned align = words > 2 ? 4 : words == 2 ? 2 : 1;
    for (unsigned r = (reserved_ + align - 1) / align * align; r + words <= kFile - 1; r += align) {
      bool free = true;
      for (unsigned k = 0; k < words; ++k) free = free && free_at_[r + k] <= from;
      if (!free) continue;
      for (unsigned k = 0; k < words; ++k) free_at_[r + k] = to;
      used_ = std::max(used_, r + words);
      return r;
    }
    return kFile;
  }
  unsigned used() const { return used_; }

 private:
  std::vector<uint32_t> free_at_;  // position from which it is free
  unsigned reserved_;
  unsigned used_ = 0;
};

}  // namespace

std::vector<RowSet> virtual_live_out(const Graph& g) {
  const size_t count = g.registers.size();
  std::vector<RowSet> in(g.blocks.size(), RowSet(count)), out(g.blocks.size(), RowSet(count));
  bool again = true;
  while (again) {
    again = false;
    for (size_t b = g.blocks.size(); b-- > 0;) {
      for (const uint32_t s : g.flow.successors[b]) out[b].merge(in[s]);
      RowSet live = out[b];
      for (size_t k = g.blocks[b].size(); k-- > 0;) {
        const Node& n = g.blocks[b][k];
        if (!n.guarded) {
          for (const uint32_t v : n.defs) live.remove(v);
        }
        for (const uint32_t v : n.uses) live.add(v);
      }
      again |= in[b].merge(live);
    }
  }
  return out;
}

uint32_t allocate_registers(Graph& g) {
  const std::vector<RowSet> live_out = virtual_live_out(g);
  std::vector<Span> spans(g.registers.size());
  std::vector<std::vector<uint32_t>> groups;  // virtual registers that one wide load fills together
  std::vector<uint32_t> group_of(g.registers.size(), UINT32_MAX);
  uint32_t at = 1;
  for (size_t b = 0; b < g.blocks.size(); ++b) {
    const uint32_t begin = at;
    for (const Node& n : g.blocks[b]) {
      for (const uint32_t v : n.uses) spans[v].include(at);
      for (const uint32_t v : n.defs) spans[v].include(at);
      if (n.memory && n.defs.size() > 1 && !n.stores) {
        bool fresh = true;
        for (const uint32_t v : n.defs) fresh = fresh && group_of[v] == UINT32_MAX && spans[v].from == at;
        if (fresh) {
          for (const uint32_t v : n.defs) group_of[v] = static_cast<uint32_t>(groups.size());
          groups.push_back(n.defs);
        }
      }
      ++at;
    }
    const uint32_t end = at++;
    live_out[b].for_each([&](uint32_t v) { spans[v].include(end); });
    for (const uint32_t s : g.flow.predecessors[b]) {
      live_out[s].for_each([&](uint32_t v) {
        // Live into this block if it is used before it is written, or lives on; the predecessor's set is
        // close enough.
        if (live_out[b].has(v)) spans[v].include(begin);
      });
    }
  }
  std::vector<uint32_t> order;
  for (uint32_t v = 0; v < spans.size(); ++v) {
    if (spans[v].from != UINT32_MAX) order.push_back(v);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return spans[a].from < spans[b].from; });
  File data(0), predicates(0), uniforms(4);  // UR0-3 are ptxas's own
  std::vector<uint8_t> done(spans.size(), 0);
  for (const uint32_t v : order) {
    if (done[v] != 0) continue;
    VirtualRegister& r = g.registers[v];
    File& file = r.words == 0 ? predicates : r.uniform ? uniforms : data;
    const std::vector<uint32_t> alone{v};
    const std::vector<uint32_t>& group = group_of[v] == UINT32_MAX ? alone : groups[group_of[v]];
    unsigned words = 0;
    uint32_t to = 0;
    for (const uint32_t m : group) {
      words += std::max<unsigned>(1, g.registers[m].words);
      to = std::max(to, spans[m].to);
    }
    unsigned first = file.take(words, spans[v].from, to);
    for (const uint32_t m : group) {
      done[m] = 1;
      g.registers[m].physical = static_cast<uint8_t>(std::min(first, kFile - 1));
      if (first < kFile) first += std::max<unsigned>(1, g.registers[m].words);
    }
  }
  return data.used();
}

}  // namespace gpuloom::ptx
