// SPDX-License-Identifier: Apache-2.0
// The selection of one function's operations: facts of its rows, moves that share a register, folding,
// emission, and what surrounds it (prologue, convergence). Not for users of lower().
#pragma once
#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ptx/machine/calls.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/graph.h"
#include "ptx/machine/loop_nest.h"
#include "ptx/machine/row_facts.h"

namespace gpuloom::ptx {

struct Rule;
struct TileAccess;

class Selector {
 public:
  Selector(Graph& g, Calls& calls, uint32_t f)
      : g_(g),
        p_(*g.program),
        calls_(calls),
        f_(f),
        code_(p_.functions[f]),
        base_(g.first_virtual[f]),
        loops_(g.flow, f) {}

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
  template <class Test>
  bool all_uses(const RowFacts& row, Test test) const {
    return !row.uses.empty() && std::all_of(row.uses.begin(), row.uses.end(),
                                            [&](const auto& use) { return test(use.first, *use.second); });
  }

  // Moves between variables of several definitions (loop counters and the like) share a register: the one
  // that stands for v.
  uint32_t find(uint32_t v) const;
  void join_moves();
  void note_registers();

  // ---- 64-bit values that need one half (select_narrow)
  void narrow();
  void find_halves();
  bool writes_one(uint32_t i) const;
  bool needs_low_half(uint32_t u, const OperandRef& ref) const;
  bool makes_zero_upper(uint32_t i) const;
  bool adds_upper_half(uint32_t i) const;
  bool has_zero_upper(Place place) const;
  bool has_constant_upper(Place place, unsigned depth) const;
  bool masks_upper(uint32_t i) const;
  bool takes_upper(uint32_t i) const;
  unsigned bytes_of_row(uint32_t row) const { return g_.liveness.rows[f_].bytes[row]; }
  uint64_t constant_bits(Place constant, unsigned bytes) const;
  std::string_view mnemonic(uint32_t i) const;

  // ---- uniform constants and their addresses (select_uniform)
  void find_uniform_addresses();
  bool may_be_uniform(Place place) const;
  bool makes_uniform(uint32_t i) const;
  bool loads_uniform(uint32_t i) const;
  bool keeps_uniform(uint32_t row) const;
  void make_uniform(uint32_t i, std::vector<Node>& nodes, size_t from);
  void guard_as_branch(uint32_t i, std::vector<Node>& out, size_t from);

  // ---- what lanes exchange (select_exchange)
  bool divergent(Place place) const;
  void drop_exchanges();
  bool exchanges(const Instr& in) const;
  bool is_gathered(uint32_t i) const;
  void emit_question(uint32_t i, Place mask, std::vector<Node>& out);
  void emit_gathering(uint32_t i, std::vector<Node>& out);
  bool emit_split(uint32_t i, std::vector<Node>& out);
  // What instruction i, of shape kMove, copies.
  Place moved(uint32_t i) const { return p_.code[i].ops[p_.code[i].kind == InstrKind::kWarpSync ? 2 : 1]; }

  // ---- folding: rules (rules/fold_rule.h)
  bool can_take(uint32_t user) const { return capacity_[user - code_.entry] == 0; }
  void fold(uint32_t i);
  bool source_is_signed(uint32_t i) const;
  bool is_zero(Place constant) const;
  bool is_symbol(uint32_t i) const { return symbol_of(i) != nullptr; }
  const Variable* symbol_of(uint32_t i) const;

  // ---- pairs of halves, constants that an instruction makes of constants (select_pairs)
  bool names_constant(Place place, unsigned depth) const;
  bool makes_constant(uint32_t i, const RowFacts& result) const;
  bool takes_halves(uint32_t u) const;
  bool pairs_same_half(uint32_t i, const RowFacts& result) const;
  bool loads_half(uint32_t i) const;
  bool defines_one(uint32_t i) const;

  // ---- emission (select_emit, select_loops)
  uint32_t virtual_of(Place place) const { return base_ + g_.liveness.number(f_, place); }

  void add_source(Place place, std::vector<uint32_t>& out, unsigned depth) const;
  void sources(uint32_t i, std::vector<uint32_t>& out) const;
  Node& push(std::vector<Node>& out, OpClass op, uint32_t decoded);
  uint32_t temporary(uint8_t words, bool uniform = false);
  void set_order(Node& n, const Instr& in) const;
  OpClass class_of(uint32_t i) const;
  void emit(uint32_t i, std::vector<Node>& out);
  bool emit_by_rule(std::span<const Rule* const> rules, uint32_t i, std::vector<Node>& out);

  // What a division computes of its divisor alone: once for all divisions of a block, and before the loops in
  // which the divisor does not change. Returns the register with the reciprocal.
  uint32_t divisor_part(uint32_t i, uint8_t steps, std::vector<Node>& out);

  // The block before the innermost loop around b if `place` is not written in it, or b.
  uint32_t before_invariant_loop(uint32_t b, Place place) const;
  void constants_of(uint32_t i, unsigned bytes, std::vector<uint64_t>& out, unsigned depth) const;
  void add_constants(uint32_t i, OpClass op, std::vector<uint32_t>& uses, std::vector<Node>& out);
  void add_wide_constants(uint32_t i, std::vector<uint32_t>& uses, std::vector<Node>& out);
  std::vector<OpClass> sequence_of(OpClass op) const;
  std::vector<OpClass> bits_of_pair(uint32_t i) const;
  std::vector<OpClass> sequence_for(uint32_t i, OpClass op) const;
  void emit_sequence(uint32_t i, const std::vector<OpClass>& sequence, std::vector<Node>& out);
  uint8_t lane_bytes(uint32_t i) const;
  bool adds_upper_bits(uint32_t i) const;
  std::vector<uint32_t> stored(uint32_t i);

  // ---- sizes of cp.async in registers (select_copy_size)
  bool has_copy_size(uint32_t i) const;
  bool all_or_nothing(Place size, unsigned whole, unsigned depth) const;
  bool chooses_copy(uint32_t i, const RowFacts& result) const;
  uint32_t copies_anything(uint32_t i, uint32_t size, std::vector<Node>& out);
  uint32_t move_copy_back(uint32_t i, uint32_t size, const std::vector<uint32_t>& address,
                          std::vector<Node>& out);
  void add_copy_size(uint32_t i, std::vector<uint32_t>& uses, std::vector<Node>& out);

  // ---- select_fragment
  bool is_fragment(uint32_t i) const;
  void join_fragments();
  uint32_t lane_part(uint32_t i, Place stride, std::vector<Node>& out);
  void emit_fragment(uint32_t i, std::vector<Node>& out);
  void emit_pieces(uint32_t i, const TileAccess& tile, const std::vector<uint32_t>& rows,
                   const std::vector<uint32_t>& elements, std::vector<Node>& out);

  // ---- values of 8 and 16 bits (select_pieces)
  bool moves_pieces(uint32_t i, InstrKind kind) const;
  bool rounds_for(Place place, uint32_t u) const;
  bool takes_roundings(Place low, Place high, uint32_t u);
  bool picks(uint32_t u, const OperandRef& ref, unsigned size) const;
  bool all_pick(const RowFacts& row, unsigned size) const;
  bool shares_register(Place place) const;
  bool made_anew(uint32_t i) const;
  bool made_anew(uint32_t i, Place source) const;
  bool takes_sign(uint32_t u, const OperandRef& ref, unsigned depth) const;
  void find_pieces();
  void find_loaded_pieces(uint32_t i);
  void drop_extensions(const RowFacts& row, bool with_sign);
  void find_upper_half(uint32_t i);
  void emit_upper_half(uint32_t i, std::vector<Node>& out);
  bool emit_pieces_of(uint32_t i, std::vector<Node>& out);
  uint32_t packed(uint32_t i, uint32_t first, uint32_t last, std::vector<Node>& out);
  void store_pieces(uint32_t i, std::vector<Node>& out);

  // ---- integers of 8 and 16 bits (select_short)
  bool is_extended(Place place, bool with_sign, unsigned depth) const;
  bool extends_as_loaded(uint32_t i) const;
  void add_extended(uint32_t i, Place place, bool with_sign, std::vector<uint32_t>& uses,
                    std::vector<Node>& out);
  bool emit_short(uint32_t i, std::vector<Node>& out);

  // ---- select_matrix
  bool multiplies(uint32_t i) const;
  bool is_constant(Place place) const;
  std::vector<uint32_t> tuple_copies(const std::vector<Place>& tuple, std::vector<uint32_t>& taken);
  void emit_multiply(uint32_t i, std::vector<Node>& out);
  std::vector<uint32_t> row_of(const std::vector<Place>& tuple);
  void add_row(Node& n, const std::vector<uint32_t>& row) const;
  bool multiplies_twice(uint32_t i) const;
  std::map<uint8_t, std::vector<Place>> factors(uint32_t i) const;
  void emit_halves(uint32_t i, std::vector<Node>& out);
  bool unpacks(uint32_t i) const;
  std::vector<uint32_t> unpacked(uint32_t i, const std::vector<Place>& tuple, bool high,
                                 std::vector<Node>& out);
  void emit_unpacked(uint32_t i, std::vector<Node>& out);

  // ---- select_warpgroup
  bool is_descriptor(uint32_t i, const OperandRef& ref) const;
  void emit_warpgroup(uint32_t i, std::vector<Node>& out);

  // ---- select_order
  struct AccessOrder {
    bool acquire = false, release = false, beyond_block = false;
  };
  AccessOrder access_order(uint32_t i) const;
  void emit_in_order(uint32_t i, std::vector<Node>& out);

  // Parameters come from the constant bank: ULDC where only arithmetic uses them, else LDC.
  void emit_param(uint32_t i, std::vector<Node>& out);
  OpClass special_class(uint32_t i) const;  // how a special register is read
  bool copy_special(uint32_t i, std::vector<Node>& out);
  void emit_special(uint32_t i, std::vector<Node>& out);

  // An address: of shared memory it is made of the block's rank in its cluster (S2R, MOV, LEA), others come
  // from the constant bank.
  void emit_symbol(uint32_t i, std::vector<Node>& out);

  // ---- calls (select_calls)
  void emit_call_param(uint32_t i, std::vector<Node>& out);
  void emit_call(uint32_t i, std::vector<Node>& out);
  void emit_return(uint32_t i, std::vector<Node>& out);
  // Convergence barriers that regions around calls take are the caller's too.
  unsigned barriers_across_calls() const;
  void keep_barriers();

  // ---- what is computed once (select_repeat)
  uint32_t made_in(Place place, unsigned depth) const;
  uint32_t home_of(uint32_t i) const;
  bool makes_plain_constant(uint32_t i) const;
  bool keeps_constants(uint32_t loop);
  uint32_t home_of_constant(uint32_t i);
  bool room_for_predicate(uint32_t i) const;
  bool same_operation(uint32_t a, uint32_t b);
  void share_results(uint32_t again, uint32_t first);
  uint32_t same_at_begin(uint32_t i);
  bool hoist(uint32_t i);  // true if i is made in front of a loop
  void share_matrix_loads(uint32_t b);
  void share_exchanges(uint32_t b);

  // ---- addresses of shared memory (select_shared_bases)
  struct SharedBase {
    std::pair<const Variable*, int32_t> names;  // the variable, and the constant that its address is
    uint32_t block;                             // that makes it
    bool uniform;
    Place address;
    uint32_t value;
    bool wanted = false;  // by an operation
  };
  bool has_clusters() const;
  bool names_shared(uint32_t i) const;
  void find_shared_bases();
  bool names_uniform_base(uint32_t i) const;
  void emit_shared_base(uint32_t i, std::vector<Node>& out);
  void add_shared_bases();
  uint32_t before_loops(uint32_t b) const;

  // ---- surroundings (select_surroundings)
  // Every kernel loads the stack pointer; those that touch global memory its descriptor.
  void add_prologue();

  // BSSY where a region opens: before the branch, or before the loop that a branch leaves.
  void add_convergence();

  // The block itself, or the one before the outermost loop around it that does not hold the meeting point.
  uint32_t region_start(uint32_t b, uint32_t meet) const;

  Graph& g_;
  Program& p_;
  Calls& calls_;
  uint32_t f_;
  const FunctionCode& code_;
  uint32_t base_;
  LoopNest loops_;
  // How lanes are brought together for an exchange in a function where some masks differ between lanes: by
  // WARPSYNC, or by a branch (ptx/passes/groups).
  bool syncs_ = false, asks_ = false;
  unsigned differing_shuffles_ = 0;  // under masks that differ
  bool fences_ = false;              // of memory, somewhere in the program
  std::vector<RowFacts> rows_;
  std::vector<Shape> shape_;
  std::vector<uint8_t> folded_, capacity_, is_special_;
  std::map<uint32_t, uint32_t> special_copies_;  // reads of special registers: register that keeps them
  std::map<uint32_t, uint32_t> home_;            // hoisted instructions: block that makes them
  std::vector<uint8_t> low_only_, zero_upper_;   // by row
  std::vector<uint8_t> in_uniform_;              // by row: lives in the uniform file
  std::vector<OpClass> fused_;
  mutable std::vector<uint32_t> join_;  // ways to the one that stands for others grow short
  std::vector<SharedBase> shared_bases_;
  std::map<uint32_t, size_t> shared_base_of_;                  // by instruction that names a shared variable
  std::map<std::pair<uint32_t, int32_t>, uint32_t> extended_;  // by twice the block plus sign, and place
  std::map<uint32_t, uint32_t> inside_;         // rows of 8 or 16 bits: register in which they stand
  std::map<uint32_t, uint32_t> loaded_pieces_;  // vector loads of such: the register or pair that is loaded
  std::map<uint32_t, std::pair<uint32_t, bool>> upper_halves_;  // unpacking: register; whether it packs again
  std::map<std::pair<uint32_t, int32_t>, uint32_t> lane_parts_;   // by block, leading dimension
  std::map<std::vector<int32_t>, std::vector<uint32_t>> tuples_;  // copies of an operand, by block and places
  std::map<std::tuple<uint32_t, int32_t, uint8_t>, uint32_t> reciprocals_;  // by block, divisor, steps
  // By block and source size (and address): the predicate of copies, the address moved back.
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> copy_predicates_, moved_copies_;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> constants_;  // by block and value: register with it
  struct WideConstant {
    uint32_t block, made;  // where it is made, the register with its lower half
  };
  std::map<uint64_t, std::vector<WideConstant>> wide_constants_;  // of 64 bits, by value
  std::map<uint32_t, bool> keeps_constants_;                      // by loop, where it has been asked
  std::vector<std::pair<uint32_t, uint32_t>> regions_;  // of convergence: block with the BSSY, meeting block
};

}  // namespace gpuloom::ptx
