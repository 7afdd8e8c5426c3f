// SPDX-License-Identifier: Apache-2.0
// A guarded definition keeps the old value of the lanes that it leaves out. Where there is no old value
// (if-converted code makes and uses its values under one guard) the register need not live before it.
#include <algorithm>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

namespace {

class FirstDefinitions {
 public:
  explicit FirstDefinitions(Graph& g) : g_(g), count_(g.registers.size()), unguarded_(count_, 0) {}

  void run() {
    for (const std::vector<Node>& nodes : g_.blocks) {
      for (const Node& n : nodes) {
        for (const uint32_t v : n.defs) unguarded_[v] |= n.guarded ? 0 : 1;
      }
    }
    find_asked();
    find_wanted();
    std::vector<RowSet> in(g_.blocks.size(), RowSet(count_));
    for (bool again = true; again;) {
      again = false;
      for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
        const RowSet out = walk(b, in[b], false);
        for (const uint32_t s : g_.flow.successors[b]) again |= in[s].merge(out);
      }
    }
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) walk(b, in[b], true);
  }

 private:
  static bool keeps(const Node& n, uint32_t v) {
    return n.guarded && std::find(n.defs.begin(), n.defs.end(), v) != n.defs.end();
  }

  // The registers that a guarded operation asks for, other than those that its own block defines in front of
  // it: few, so that what may hold a value is looked for among these alone.
  void find_asked() {
    asked_.assign(count_, 0);
    std::vector<uint32_t> defined_in(count_, UINT32_MAX);
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      for (const Node& n : g_.blocks[b]) {
        for (const auto* list : {&n.uses, &n.defs}) {
          for (const uint32_t v : *list) asked_[v] |= n.guarded && defined_in[v] != b ? 1 : 0;
        }
        for (const uint32_t v : n.defs) defined_in[v] = b;
      }
    }
  }

  // Registers with guarded definitions alone: which blocks' ends they are wanted at, if old values do not
  // count.
  void find_wanted() {
    wanted_.assign(g_.blocks.size(), RowSet(count_));
    std::vector<RowSet> in(g_.blocks.size(), RowSet(count_));
    for (bool again = true; again;) {
      again = false;
      for (size_t b = g_.blocks.size(); b-- > 0;) {
        for (const uint32_t s : g_.flow.successors[b]) wanted_[b].merge(in[s]);
        RowSet now = wanted_[b];
        for (size_t k = g_.blocks[b].size(); k-- > 0;) {
          const Node& n = g_.blocks[b][k];
          for (const uint32_t v : n.defs) now.remove(v);
          for (const uint32_t v : n.uses) {
            if (asked_[v] != 0 && !keeps(n, v)) now.add(v);
          }
        }
        again |= in[b].merge(now);
      }
    }
  }

  // Registers that may hold a value at the block's end. With `cut`, guarded definitions of others lose their
  // use of the old value.
  RowSet walk(uint32_t b, RowSet now, bool cut) {
    for (Node& n : g_.blocks[b]) {
      if (cut && n.guarded) {
        n.uses.erase(std::remove_if(n.uses.begin(), n.uses.end(), [&](uint32_t v) { return !now.has(v); }),
                     n.uses.end());
        n.fresh = std::none_of(n.defs.begin(), n.defs.end(), [&](uint32_t v) { return now.has(v); });
      }
      for (const uint32_t v : n.defs) now.add(v);
    }
    RowSet out(count_);
    now.for_each([&](uint32_t v) {
      if (asked_[v] == 0) return;
      if (unguarded_[v] != 0 || wanted_[b].has(v)) out.add(v);
    });
    return out;
  }

  Graph& g_;
  size_t count_;
  std::vector<uint8_t> unguarded_;  // some definition has no guard
  std::vector<uint8_t> asked_;
  std::vector<RowSet> wanted_;
};

}  // namespace

void find_first_definitions(Graph& g) { FirstDefinitions(g).run(); }

}  // namespace gpuloom::ptx
