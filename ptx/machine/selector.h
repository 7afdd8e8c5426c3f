// SPDX-License-Identifier: Apache-2.0
// The selection of one function's operations: facts of its rows, moves that share a register, folding,
// and emission. What it knows is open to rules (rules/), which have their families' cases. Not for users of
// lower().
#pragma once
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/machine/calls.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/graph.h"
#include "ptx/machine/narrowing.h"
#include "ptx/machine/row_facts.h"
#include "ptx/machine/rules/pieces.h"
#include "ptx/machine/rules/rule.h"
#include "ptx/passes/long_loops.h"
#include "ptx/passes/loop_nest.h"

namespace gpuloom::ptx {

class Selector {
 public:
  Selector(Graph& g, Calls& calls, uint32_t f)
      : g_(g),
        p_(*g.program),
        calls_(calls),
        f_(f),
        code_(p_.functions[f]),
        base_(g.first_virtual[f]),
        loops_(g.flow, f),
        long_loops_(*g.program, g.flow, f) {}

  void run();

 private:
  friend class Selection;  // rules look through it
  friend class Folder;
  friend class Emitter;  // ...and write through it

  // ---- facts (select_facts)
  void gather();
  bool shifts_by_moved_constant(uint32_t i) const;
  Shape shape(uint32_t i) const { return shape_[i - code_.entry]; }
  bool folded(uint32_t i) const { return folded_[i - code_.entry] != 0; }
  const RowFacts* facts(Place place) const;
  // The one instruction that makes this row's value, or UINT32_MAX.
  uint32_t maker(Place place) const;
  bool stable(Place place) const;
  // Whether the sources of i hold the same values wherever its result is used: they have one definition, or
  // the uses follow in the same block before the next one.
  bool stable_sources(uint32_t i) const;
  uint32_t last_use_in_block(uint32_t i) const;
  bool keeps_until_used(Place source, uint32_t i) const;
  // Facts of the one row that i writes, if it is this instruction alone that writes it.
  const RowFacts* single_result(uint32_t i) const;
  bool made_anew(uint32_t i) const;
  bool made_anew(uint32_t i, Place source) const;
  template <class Test>
  bool all_uses(const RowFacts& row, Test test) const {
    return !row.uses.empty() && std::all_of(row.uses.begin(), row.uses.end(),
                                            [&](const auto& use) { return test(use.first, *use.second); });
  }

  // Moves between variables of several definitions (loop counters and the like) share a register: the one
  // that stands for v.
  uint32_t find(uint32_t v) const;
  void join_moves();
  void join_fragments();
  void note_registers();

  unsigned bytes_of_row(uint32_t row) const { return g_.liveness.rows[f_].bytes[row]; }
  uint64_t constant_bits(Place constant, unsigned bytes) const;
  std::string_view mnemonic(uint32_t i) const;

  void guard_as_branch(uint32_t i, std::vector<Node>& out, size_t from);

  // ---- what lanes exchange (select_exchange)
  bool divergent(Place place) const;
  void drop_exchanges();
  // What instruction i, of shape kMove, copies.
  Place moved(uint32_t i) const { return p_.code[i].ops[p_.code[i].kind == InstrKind::kWarpSync ? 2 : 1]; }

  // ---- folding: rules (rules/fold_rule.h)
  bool can_take(uint32_t user) const { return capacity_[user - code_.entry] == 0; }
  void fold(uint32_t i);
  bool source_is_signed(uint32_t i) const;
  bool is_zero(Place constant) const;
  bool is_symbol(uint32_t i) const { return symbol_of(i) != nullptr; }
  const Variable* symbol_of(uint32_t i) const;

  bool defines_one(uint32_t i) const;

  // ---- emission (select_emit)
  uint32_t virtual_of(Place place) const { return base_ + g_.liveness.number(f_, place); }

  void add_source(Place place, std::vector<uint32_t>& out, unsigned depth) const;
  void sources(uint32_t i, std::vector<uint32_t>& out) const;
  Node& push(std::vector<Node>& out, OpClass op, uint32_t decoded);
  uint32_t temporary(uint8_t words, bool uniform = false);
  void set_order(Node& n, const Instr& in) const;
  OpClass class_of(uint32_t i) const;
  void emit(uint32_t i, std::vector<Node>& out);
  bool emit_by_rule(std::span<const Rule* const> rules, uint32_t i, std::vector<Node>& out);

  void constants_of(uint32_t i, unsigned bytes, std::vector<uint64_t>& out, unsigned depth) const;
  uint64_t immediate_of(uint32_t i) const;
  void add_constants(uint32_t i, OpClass op, std::vector<uint32_t>& uses, std::vector<Node>& out);
  void choose_kept_constants();
  void add_wide_constants(uint32_t i, std::vector<uint32_t>& uses, std::vector<Node>& out);
  std::vector<OpClass> sequence_of(OpClass op) const;
  std::vector<OpClass> bits_of_pair(uint32_t i) const;
  std::vector<OpClass> sequence_for(uint32_t i, OpClass op) const;
  void emit_sequence(uint32_t i, const std::vector<OpClass>& sequence, std::vector<Node>& out);
  uint8_t lane_bytes(uint32_t i) const;
  bool adds_upper_bits(uint32_t i) const;
  std::vector<uint32_t> stored(uint32_t i);

  // ---- select_extensions
  bool takes_halves(uint32_t user, const OperandRef& ref) const;
  void split_extensions();
  void emit_upper_half(uint32_t i, std::vector<Node>& out);

  // ---- select_order
  void emit_in_order(uint32_t i, std::vector<Node>& out);

  OpClass special_class(uint32_t i) const;  // how a special register is read
  bool copy_special(uint32_t i, std::vector<Node>& out);
  bool read_anew(uint32_t i) const;
  void emit_special(uint32_t i, std::vector<Node>& out);

  // An address: of shared memory it is made of the block's rank in its cluster (S2R, MOV, LEA), others come
  // from the constant bank.
  void emit_symbol(uint32_t i, std::vector<Node>& out);

  // ---- what is computed once (select_repeat)
  uint32_t made_in(Place place, unsigned depth) const;
  uint32_t home_of(uint32_t i) const;
  bool makes_plain_constant(uint32_t i) const;
  bool keeps_constants(uint32_t loop);
  uint32_t home_of_constant(uint32_t i);
  uint32_t home_of_read(uint32_t i) const;
  bool waits_again(uint32_t block) const;
  bool runs_each_turn(uint32_t own, uint32_t header) const;
  uint32_t there_from(uint32_t home, uint32_t own) const;
  bool share_read(uint32_t i, uint32_t home);
  bool chooses(uint32_t i) const;
  bool room_for_predicate(uint32_t i) const;
  bool same_operation(uint32_t a, uint32_t b);
  void share_results(uint32_t again, uint32_t first);
  uint32_t same_at_begin(uint32_t i);
  bool hoist(uint32_t i);  // true if i is made in front of a loop
  void share_matrix_loads(uint32_t b);
  void share_exchanges(uint32_t b);

  // ---- addresses of shared memory (select_shared_bases)
  struct SharedBase {
    uint32_t offset;  // from the begin of the block's window
    uint32_t block;   // that makes it
    uint32_t from;    // it is there behind this block
    bool uniform;
    uint32_t value;
    bool wanted = false;  // by an operation
  };
  bool has_clusters() const;
  bool names_shared(uint32_t i) const;
  bool names_window(uint32_t i) const;
  size_t shared_base(uint32_t i, uint32_t offset);
  void find_shared_bases();
  bool names_uniform_base(uint32_t i) const;
  void emit_shared_base(uint32_t i, std::vector<Node>& out);
  void add_shared_bases();

  Graph& g_;
  Program& p_;
  Calls& calls_;
  uint32_t f_;
  const FunctionCode& code_;
  uint32_t base_;
  LoopNest loops_;
  LongLoops long_loops_;
  LaneGathering gathering_;
  bool fences_ = false;  // of memory, somewhere in the program
  std::vector<RowFacts> rows_;
  std::vector<Shape> shape_;
  std::vector<uint8_t> folded_, capacity_, is_special_;
  std::map<uint32_t, uint32_t> special_copies_;  // reads of special registers: register that keeps them
  std::map<uint32_t, uint32_t> home_;            // hoisted instructions: block that makes them
  struct Read {
    uint32_t i, home, from;  // read in `home`, and there behind `from`
  };
  std::vector<Read> reads_;  // of special registers that are read anew
  HalfFacts halves_;
  std::vector<OpClass> fused_;
  mutable std::vector<uint32_t> join_;  // ways to the one that stands for others grow short
  std::vector<SharedBase> shared_bases_;
  std::map<uint32_t, size_t> shared_base_of_;  // by instruction that names a shared variable
  std::map<uint32_t, uint32_t> upper_half_;    // by extension: the register that has it
  Pieces pieces_{*this};
  MadeBefore made_;                                              // by rules, once
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> constants_;  // by block and value: register with it
  struct WideConstant {
    uint32_t block, made;  // where it is made, the register with its lower half
  };
  std::map<uint64_t, std::vector<WideConstant>> wide_constants_;  // of 64 bits, by value
  std::optional<std::set<uint64_t>> kept_constants_;              // of these, once it is known
  std::map<uint32_t, bool> keeps_constants_;                      // by loop, where it has been asked
};

}  // namespace gpuloom::ptx
