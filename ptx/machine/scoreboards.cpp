// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/scoreboards.h"

#include <algorithm>
#include <array>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/latency.h"
#include "ptx/machine/node_questions.h"
#include "ptx/machine/outstanding.h"

namespace gpuloom::ptx {

namespace {

class ScoreboardAssigner {
 public:
  ScoreboardAssigner(const Graph& g, MachineProgram& m) : g_(g), m_(m) {}

  void run() {
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) assign_block(b);
  }

 private:
  bool variable(const Node& n) const { return has_variable_latency(*g_.model, n); }
  bool reads_late(const Node& n) const {
    if (!variable(n)) return false;
    return std::any_of(n.uses.begin(), n.uses.end(),
                       [&](uint32_t v) { return g_.registers[v].words != 0 && !g_.registers[v].uniform; });
  }

  // How long a scoreboard is held: for a read of registers some ten cycles, for a result that is made inside
  // the SM some thirty, for one of memory hundreds.
  enum class For : uint8_t { kShort, kLong };
  static For result_of(const Node& n) {
    const bool inside = n.space == Space::kShared || n.space == Space::kParam || is_constant_load(n.op) ||
                        is_shuffle(n.op) || is_mbarrier(n.op);
    return n.memory && !inside ? For::kLong : For::kShort;
  }

  // What is waited for at the scoreboards of a block, as it stands before an operation.
  struct Boards {
    std::array<uint32_t, kMostScoreboards> first_use{};  // of what each guards, as a node index
    std::array<For, kMostScoreboards> guards{};
    bool short_follow = false;  // an operation from here on needs one for a short time
    void give(uint8_t board, uint32_t use, For what) {
      first_use[board] = use;
      guards[board] = what;
    }
  };

  // Scoreboards are few: results that are used at the same place share one, else the one given out longest
  // ago is next.
  void assign_block(uint32_t b) {
    const std::vector<Node>& nodes = g_.blocks[b];
    Boards boards;
    Places uses, writes;
    find_places(nodes, uses, writes);
    const std::vector<Guarded> guarded = find_guarded(nodes, uses, writes);
    auto last_short = static_cast<uint32_t>(nodes.size());
    while (last_short > 0 && !needs_short(nodes[last_short - 1], guarded[last_short - 1])) --last_short;
    for (uint32_t k = 0; k < nodes.size(); ++k) {
      boards.short_follow = k < last_short;
      if (nodes[k].op == OpClass::fence_async) guard_fence(b, k, boards);
      if (!variable(nodes[k])) continue;
      MachineOp& op = m_.ops[m_.blocks[b].first + k];
      if (guarded[k].use != UINT32_MAX)
        op.write_scoreboard = give(boards, k, guarded[k].use, result_of(nodes[k]));
      if (guarded[k].overwrite != UINT32_MAX)
        op.read_scoreboard = give(boards, k, guarded[k].overwrite, For::kShort);
    }
  }
  uint8_t give(Boards& boards, uint32_t k, uint32_t use, For what) const {
    const uint8_t board = pick(boards, k, use, what);
    boards.give(board, use, what);
    return board;
  }

  // What has to be waited for behind an operation of variable latency: where its result is used, and where
  // something is written that it may not have read. UINT32_MAX: nothing.
  struct Guarded {
    uint32_t use = UINT32_MAX, overwrite = UINT32_MAX;
  };
  static bool needs_short(const Node& n, const Guarded& guarded) {
    return guarded.overwrite != UINT32_MAX || (guarded.use != UINT32_MAX && result_of(n) == For::kShort);
  }
  std::vector<Guarded> find_guarded(const std::vector<Node>& nodes, const Places& uses,
                                    const Places& writes) const {
    std::vector<Guarded> out(nodes.size());
    for (uint32_t k = 0; k < nodes.size(); ++k) {
      if (!variable(nodes[k])) continue;
      if (!nodes[k].defs.empty() && !nodes[k].stores) out[k].use = next_use(nodes, uses, k);
      const uint32_t overwrite = reads_late(nodes[k]) ? next_overwrite(nodes, writes, k) : UINT32_MAX;
      if (out[k].use == UINT32_MAX || out[k].use > overwrite) out[k].overwrite = overwrite;
    }
    return out;
  }

  // A proxy fence is over when the next barrier or bulk copy may go; nothing else waits for it (SASS:
  // FENCE.VIEW.ASYNC has a scoreboard, which BAR, SYNCS and UBLKCP wait for).
  void guard_fence(uint32_t b, uint32_t k, Boards& boards) {
    const std::vector<Node>& nodes = g_.blocks[b];
    for (uint32_t j = k + 1; j < nodes.size(); ++j) {
      const OpClass next = nodes[j].op;
      if (next == OpClass::fence_async) return;
      if (!is_block_barrier(next) && !is_mbarrier(next) && !is_bulk_copy(next)) continue;
      const uint8_t board = give(boards, k, j, For::kShort);
      m_.ops[m_.blocks[b].first + k].write_scoreboard = board;
      m_.ops[m_.blocks[b].first + j].wait_mask |= static_cast<uint8_t>(1u << board);
      return;
    }
  }

  void find_places(const std::vector<Node>& nodes, Places& uses, Places& writes) const {
    for (uint32_t k = 0; k < nodes.size(); ++k) {
      for (const uint32_t v : nodes[k].uses) uses.add(v, k);
      std::vector<unsigned> written;
      for (const uint32_t v : nodes[k].defs) add_words(g_, v, written);
      for (const unsigned word : written) writes.add(word, k);
    }
  }

  static uint32_t next_use(const std::vector<Node>& nodes, const Places& uses, uint32_t k) {
    auto next = static_cast<uint32_t>(nodes.size());
    for (const uint32_t v : nodes[k].defs) next = std::min(next, uses.next(v, k));
    return next;
  }

  // The next operation of the block that writes a register which operation k reads, and would do so too soon:
  // behind one that comes in time anyway nothing is left to guard.
  uint32_t next_overwrite(const std::vector<Node>& nodes, const Places& writes, uint32_t k) const {
    std::vector<unsigned> read;
    for (const uint32_t u : nodes[k].uses) add_words(g_, u, read);
    uint32_t next = UINT32_MAX;
    for (const unsigned word : read) {
      const uint32_t at = writes.next(word, k);
      if (at < next && !reads_before(traits(nodes[k].op).read_path, nodes[at].op)) next = at;
    }
    return next;
  }
  // What is held for long and what is not share none where that can be helped: who waits for a read or for
  // shared memory must not wait for memory too. ptxas keeps two for reads (SASS of masked loads by Triton,
  // gemm_bf16_edges: 40 loads' results on scoreboards 2 to 5, their addresses' reads on 0 and 1).
  uint8_t pick(const Boards& boards, uint32_t now, uint32_t use, For what) const {
    constexpr uint32_t kOther = 1u << 16, kLastFree = 1u << 20, kForShort = 2;
    const uint32_t count = g_.model->scoreboards;
    uint32_t far = 0;
    for (uint8_t s = 0; s < count; ++s)
      far += boards.first_use[s] > now && boards.guards[s] == For::kLong ? 1 : 0;
    const bool keeps = what == For::kLong && boards.short_follow && far + kForShort >= count;
    uint8_t best = 0;
    uint32_t best_cost = UINT32_MAX;
    for (uint8_t s = 0; s < count; ++s) {
      // Free (what it guarded has been waited for): no cost. In use: waiting for one means waiting for the
      // other too, the nearer the uses the better.
      const uint32_t other = boards.first_use[s];
      uint32_t cost = keeps ? kLastFree : 0;
      if (other > now) {
        cost = 1 + (other > use ? other - use : use - other) + (boards.guards[s] == what ? 0 : kOther);
      }
      if (cost < best_cost) {
        best = s;
        best_cost = cost;
      }
    }
    return best;
  }

  const Graph& g_;
  MachineProgram& m_;
};

}  // namespace

void assign_scoreboards(const Graph& graph, MachineProgram& machine) {
  ScoreboardAssigner(graph, machine).run();
}

}  // namespace gpuloom::ptx
