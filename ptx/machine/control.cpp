// SPDX-License-Identifier: Apache-2.0
// Stall counts for fixed latencies, waits at scoreboards (scoreboards.h) for variable ones (Jia et al.,
// "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking", 2018; Huerta et al., MICRO 2025).
// State flows over block borders: what a predecessor leaves outstanding, a successor waits for at its first
// use.
#include <algorithm>
#include <array>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/late_rows.h"
#include "ptx/machine/latency.h"
#include "ptx/machine/node_questions.h"
#include "ptx/machine/outstanding.h"
#include "ptx/machine/scoreboards.h"

namespace gpuloom::ptx {

namespace {

constexpr uint32_t kMostStall = 2000;  // longer than any unit's interval: 584 of DMMA on 12.0
constexpr uint8_t kSecondIssue = 2;

// Units that a warp asks again only after some cycles: ptxas spaces such operations by stall counts, whatever
// stands between (SASS of the reference suite: of 900 pairs of memory operations side by side all but 10
// stall 4, of 350 with one operation between none is nearer; 1,146 MUFU, 62 POPC and 66 F2F stall 8, 38 LDC
// 8; 254 pairs of F2I with I2FP between 2 and 6, FLO and BREV 8, I2F 7 and 1), multiplications of matrices
// their interval (SASS of mma_rate: 6). S2UR and barriers share what LDC has (2,080 pairs of LDC, S2UR and
// BAR of bench/silicon for 8.0, 9.0, 10.3 and 12.0: one at 6, all others at 8 and more); S2R and ULDC do not.
enum class Spaced : uint8_t { kMemory, kSpecial, kConstant, kMatrix, kNone };
constexpr size_t kUnits = static_cast<size_t>(Spaced::kNone);

Spaced spaced(const Node& n) {
  if (is(n.op, kMultipliesMatrices)) return Spaced::kMatrix;
  if (!is_constant_load(n.op) && (n.memory || n.frame || is_shuffle(n.op))) return Spaced::kMemory;
  if (is_constant_load(n.op)) return n.uniform ? Spaced::kNone : Spaced::kConstant;
  if (is_block_barrier(n.op) || (n.op == OpClass::s2r && n.uniform)) return Spaced::kConstant;
  return is(n.op, kSpacedSpecial) ? Spaced::kSpecial : Spaced::kNone;
}

class Coder {
 public:
  Coder(const Graph& g, MachineProgram& m) : g_(g), m_(m), late_(g, m) {}

  // By operation: cycles until the next one of the block, which may be more than an operation can say.
  const std::vector<uint16_t>& run() {
    assign_scoreboards(g_, m_);
    std::vector<Outstanding::Border> in(g_.blocks.size());
    Outstanding state(g_.registers.size() + late_.rows());
    std::vector<uint8_t> queued(g_.blocks.size(), 1);
    std::vector<uint32_t> work;
    for (uint32_t b = static_cast<uint32_t>(g_.blocks.size()); b-- > 0;) work.push_back(b);
    while (!work.empty()) {
      const uint32_t b = work.back();
      work.pop_back();
      queued[b] = 0;
      state.enter(in[b]);
      code_block(b, state);
      const Outstanding::Border out = state.leave();
      for (const uint32_t s : g_.flow.successors[b]) {
        if (!in[s].merge(out) || queued[s] != 0) continue;
        queued[s] = 1;
        work.push_back(s);
      }
    }
    return stalls_;
  }

 private:
  void code_block(uint32_t b, Outstanding& state) {
    const std::vector<Node>& nodes = g_.blocks[b];
    uint32_t elapsed = 0;                 // since the block's begin; `ready` is kept relative to it
    uint32_t settled = 0;                 // when all its results are there for whatever reads them
    std::array<uint32_t, kUnits> free{};  // when each unit may be asked again
    std::array<uint32_t, 4> pipe_free{};
    for (uint32_t k = 0; k < nodes.size(); ++k) {
      const Node& n = nodes[k];
      MachineOp& op = m_.ops[m_.blocks[b].first + k];
      uint8_t waits = 0;
      uint32_t earliest = elapsed;
      const auto need = [&](uint32_t v) {
        waits |= state.value(v).written_by;
        earliest = std::max<uint32_t>(earliest, state.value(v).ready);
      };
      for (const uint32_t v : n.uses) {
        if (only_keeps(*g_.model, n, v)) continue;
        need(v);
        earliest = std::max(earliest, ready_for(state, v, n));
        if (op.write_scoreboard != kNoScoreboard && overwrites(n, v))
          earliest = std::max<uint32_t>(earliest, free_of_writes(state, v));
      }
      for (const uint32_t v : n.defs) {
        if (only_keeps(*g_.model, n, v))
          waits |= state.value(v).written_by;
        else
          need(v);
        waits |= read_late(state, v, n.op);
      }
      for (const LateRowsByOperation::Touch& t : late_.of(m_.blocks[b].first + k)) need(late_value(t.row));
      const auto unit = static_cast<size_t>(spaced(n));
      if (unit < free.size()) earliest = std::max(earliest, free[unit]);
      const OpLatency& row = g_.model->latency[static_cast<size_t>(n.op)];
      const bool stalls = row.stalled_unit != 0 && !n.uniform;
      if (stalls) earliest = std::max(earliest, pipe_free[row.stalled_unit]);
      if (n.ends && n.op == OpClass::exit) waits = 0;  // nobody reads what is outstanding
      op.wait_mask |= waits;
      state.clear(op.wait_mask);
      if (earliest > elapsed) {
        if (k > 0) lengthen(m_.blocks[b].first + k - 1, earliest - elapsed);
        elapsed = earliest;
      }
      if (unit < free.size()) free[unit] = elapsed + spacing(unit, n);
      if (stalls) pipe_free[row.stalled_unit] = elapsed + stall_of(row);
      define(n, op, state, elapsed);
      settled = std::max(settled, elapsed + settling_time(n, op));
      fill_late(m_.blocks[b].first + k, state);
      uint16_t& stall = stalls_[m_.blocks[b].first + k];
      stall = std::max(stall, base_stall(n));
      elapsed += stall;
    }
    close_block(b, state, elapsed, settled);
  }

  void lengthen(uint32_t operation, uint32_t cycles) {
    stalls_[operation] = static_cast<uint16_t>(std::min(kMostStall, stalls_[operation] + cycles));
  }

  // ptxas keeps operations of the f64 unit apart by what it takes its rate to be, which slow units do not
  // reach.
  uint32_t stall_of(const OpLatency& row) const {
    return row.stalled_unit == kStalledF64 ? g_.model->profile.spacing.f64 : row.interval;
  }

  uint32_t spacing(size_t unit, const Node& n) const {
    const UnitSpacing& spacing = g_.model->profile.spacing;
    switch (static_cast<Spaced>(unit)) {
      case Spaced::kMemory:
        return spacing.memory;
      case Spaced::kSpecial:
        return spacing.special;
      case Spaced::kConstant:
        return spacing.constant;
      default:
        return std::min<uint32_t>(spacing.matrix, g_.model->latency[static_cast<size_t>(n.op)].interval);
    }
  }

  uint32_t ready_for(const Outstanding& state, uint32_t v, const Node& consumer) const {
    const Outstanding::Value& value = state.value(v);
    if (value.maker == OpClass::none) return 0;
    return value.ready + extra_latency(g_, value.maker, v, consumer);
  }

  // Scoreboards of those that have not read what `writer` would write in v.
  uint8_t read_late(const Outstanding& state, uint32_t v, OpClass writer) const {
    uint8_t boards = 0;
    std::vector<unsigned> words;
    add_words(g_, v, words);
    for (size_t path = 0; path < kReadPaths; ++path) {
      if (reads_before(static_cast<ReadPath>(path), writer)) continue;
      for (const unsigned word : words) boards |= state.reads(word)[path];
    }
    return boards;
  }

  // What a successor needs at once has to be covered by this block's last operation.
  void close_block(uint32_t b, Outstanding& state, uint32_t elapsed, uint32_t settled) {
    if (g_.blocks[b].empty() || g_.flow.successors[b].empty()) return;
    uint16_t& last = stalls_[m_.blocks[b].first + m_.blocks[b].count - 1];
    uint32_t missing = 0;
    for (const uint32_t s : g_.flow.successors[b]) {
      uint32_t distance = 0;
      for (const Node& n : g_.blocks[s]) {
        for (const uint32_t v : n.uses) {
          if (only_keeps(*g_.model, n, v)) continue;
          const uint32_t ready = std::max<uint32_t>(state.value(v).ready, ready_for(state, v, n));
          if (ready > elapsed + distance) missing = std::max(missing, ready - elapsed - distance);
        }
        if (++distance > kMostStall) break;
      }
    }
    uint32_t stall = missing != 0 ? std::max<uint32_t>(last, 1 + missing) : last;
    if (settled > elapsed) stall = std::max(stall, last + settled - elapsed);
    last = static_cast<uint16_t>(std::min(kMostStall, stall));
  }

  // Cycles from its issue until the result is there for any reader. The tensor cores' go on into later
  // blocks.
  uint32_t settling_time(const Node& n, const MachineOp& op) const {
    if (op.write_scoreboard != kNoScoreboard) return kSecondIssue;
    if (is(n.op, kMultipliesMatrices)) return 0;
    const SettlingTimes& times = g_.model->profile.settling;
    uint32_t most = 0;
    for (const uint32_t v : n.defs) {
      const VirtualRegister& r = g_.registers[v];
      const uint32_t beyond = r.words == 0             ? g_.model->dependence.guard
                              : !r.uniform             ? times.registers
                              : is_constant_load(n.op) ? times.constant
                                                       : times.uniform;
      most = std::max(most, fixed_latency(*g_.model, n) + beyond);
    }
    return most;
  }

  // Whether what `n` makes goes where `v` is.
  bool overwrites(const Node& n, uint32_t v) const {
    std::vector<unsigned> own, others;
    for (const uint32_t d : n.defs) add_words(g_, d, own);
    add_words(g_, v, others);
    return std::any_of(others.begin(), others.end(),
                       [&](unsigned word) { return std::find(own.begin(), own.end(), word) != own.end(); });
  }

  uint32_t free_of_writes(const Outstanding& state, uint32_t v) const {
    const Outstanding::Value& value = state.value(v);
    return value.maker == OpClass::none ? 0 : value.ready + g_.model->profile.settling.overwritten;
  }

  uint16_t base_stall(const Node& n) const {
    if (!is(n.op, kStallsItsLatency)) return n.memory ? kSecondIssue / 2 : 1;
    return static_cast<uint16_t>(
        std::min<uint32_t>(kMostStall, g_.model->latency[static_cast<size_t>(n.op)].latency));
  }

  void define(const Node& n, const MachineOp& op, Outstanding& state, uint32_t now) {
    for (const uint32_t v : n.defs) {
      if (op.write_scoreboard != kNoScoreboard) {
        // The scoreboard is counted up one cycle after issue.
        state.define(v, {static_cast<uint16_t>(now + kSecondIssue), OpClass::none,
                         static_cast<uint8_t>(1u << op.write_scoreboard)});
      } else {
        uint32_t ready = std::min<uint32_t>(60000, now + fixed_latency(*g_.model, n));
        if (only_keeps(*g_.model, n, v)) ready = std::max<uint32_t>(ready, state.value(v).ready);
        state.define(v, {static_cast<uint16_t>(ready), n.op, 0});
      }
    }
    if (op.read_scoreboard == kNoScoreboard) return;
    std::vector<unsigned> words;
    for (const uint32_t u : n.uses) add_words(g_, u, words);
    for (const unsigned word : words)
      state.read(word, traits(n.op).read_path, static_cast<uint8_t>(1u << op.read_scoreboard));
  }

  void fill_late(uint32_t operation, Outstanding& state) const {
    const uint8_t board = m_.ops[operation].write_scoreboard;
    if (board == kNoScoreboard) return;
    for (const LateRowsByOperation::Touch& t : late_.of(operation))
      if (t.fills) state.define(late_value(t.row), {0, OpClass::none, static_cast<uint8_t>(1u << board)});
  }

  // Late rows of PTX registers are tracked behind the virtual registers.
  uint32_t late_value(uint32_t row) const { return static_cast<uint32_t>(g_.registers.size()) + row; }

  const Graph& g_;
  MachineProgram& m_;
  LateRowsByOperation late_;
  std::vector<uint16_t> stalls_ = std::vector<uint16_t>(m_.ops.size(), MachineOp{}.stall);
};

}  // namespace

namespace {

bool jumps(OpClass op) { return is(op, kLeavesBlock); }

// The control code has four bits: what needs more cycles is followed by NOPs, and a branch has them in front
// (SASS of lat_mma: HMMA 15, NOP 9; of mma_rate: NOP 8, BRA 15).
void add_nops(MachineProgram& m, const std::vector<uint16_t>& stalls) {
  std::vector<MachineOp> ops;
  ops.reserve(m.ops.size());
  for (MachineBlock& block : m.blocks) {
    const auto first = static_cast<uint32_t>(ops.size());
    for (uint32_t k = block.first; k < block.first + block.count; ++k) {
      MachineOp op = m.ops[k];
      op.stall = static_cast<uint8_t>(std::min<uint16_t>(stalls[k], kMostOfStall));
      auto rest = static_cast<uint16_t>(stalls[k] - op.stall);
      const auto wait = [&](uint32_t at) {
        while (rest != 0) {
          MachineOp nop;
          nop.op = OpClass::nop;
          nop.source = op.source;
          nop.exec_first = at;
          nop.stall = static_cast<uint8_t>(std::min<uint16_t>(rest, kMostOfStall));
          rest = static_cast<uint16_t>(rest - nop.stall);
          ops.push_back(nop);
        }
      };
      if (jumps(op.op)) wait(op.exec_first);
      ops.push_back(op);
      wait(op.exec_first + op.exec_count);
    }
    block = {first, static_cast<uint32_t>(ops.size()) - first};
  }
  m.ops = std::move(ops);
}

}  // namespace

void set_control_codes(const Graph& g, MachineProgram& m) {
  Coder coder(g, m);
  add_nops(m, coder.run());
}

}  // namespace gpuloom::ptx
