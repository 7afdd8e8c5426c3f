// SPDX-License-Identifier: Apache-2.0
// A rule of selection: which instructions it is for, and what ptxas writes for them. It looks at the function
// through Selection, which changes nothing, and writes through Emitter. One file a rule; table.cpp says which
// come first. Not for users of lower().
#pragma once
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/isa/table/use_of.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/graph.h"
#include "ptx/machine/row_facts.h"

namespace gpuloom::ptx {

class Calls;
class Pieces;
class Selector;

// How lanes are brought together for an exchange in a function where some masks differ between lanes: by
// WARPSYNC, or by a branch (ptx/passes/groups).
struct LaneGathering {
  bool syncs = false, asks = false;
  unsigned differing_shuffles = 0;  // under masks that differ
};

// A function while its operations are selected. Instructions go by their number.
class Selection {
 public:
  explicit Selection(const Selector& selector) : s_(selector) {}
  const Program& program() const;
  const Flow& flow() const;
  uint32_t function() const;
  const FunctionCode& code() const;
  std::span<const RowFacts> rows() const;
  const Instr& instr(uint32_t i) const { return program().code[i]; }
  // As PTX has it, and as it is after folding.
  OpClass op_class(uint32_t i) const { return static_cast<OpClass>(instr(i).op_class); }
  OpClass class_now(uint32_t i) const;
  std::string_view mnemonic(uint32_t i) const;
  FormUse use(uint32_t i) const { return use_of(program(), instr(i)); }
  // The one instruction that makes this row's value, or UINT32_MAX.
  uint32_t maker(Place place) const;
  const RowFacts* facts(Place place) const;
  // Whether anybody reads the row; a row of which nothing is known is read.
  bool is_read(Place place) const;
  bool divergent(Place place) const;  // lanes may differ in it
  bool apart(uint32_t block) const;   // lanes may be apart there
  const LaneGathering& gathering() const;
  bool fences() const;  // memory, anywhere in the program
  Shape shape(uint32_t i) const;
  OpClass fused(uint32_t i) const;   // what folding made of it; none: nothing
  bool has_taken(uint32_t i) const;  // folding put another instruction into it
  bool source_is_signed(uint32_t i) const;
  bool extends_sign(uint32_t i) const;  // of an extension
  // Facts of the one row that i alone writes, or null.
  const RowFacts* single_result(uint32_t i) const;
  bool needs_low_word(Place place) const { return needs_low_word(number(place)); }  // and no more of it
  bool needs_low_word(uint32_t row) const;
  bool differs(uint32_t row) const;  // between lanes, votes and the like included
  unsigned bytes_of(Place place) const;
  uint32_t number(Place place) const;  // of the row that begins there
  unsigned row_bytes(uint32_t row) const;
  bool is_special(uint32_t row) const;  // read from where the hardware keeps it
  bool folded(uint32_t i) const;
  bool stable(Place place) const;  // one definition, which nothing guards
  bool stable_sources(uint32_t i) const;
  bool made_anew(uint32_t i) const;   // before anybody uses its result behind a change of a source
  Place moved(uint32_t i) const;      // what an instruction of shape kMove copies
  uint32_t value(Place place) const;  // the register that stands for it
  uint8_t words(uint32_t value) const;
  std::vector<uint32_t> sources(uint32_t i) const;
  // The registers of a row, behind what vanished: those that are not in `out` yet.
  void add_source(Place place, std::vector<uint32_t>& out) const;
  uint32_t block_of(uint32_t i) const { return flow().block_of[i]; }
  bool is_zero(Place constant) const;
  uint64_t constant_bits(Place constant, unsigned bytes) const;
  // Constants of `bytes` that i and what went into it name, each once.
  void add_constants_of(uint32_t i, unsigned bytes, std::vector<uint64_t>& out) const;
  const Variable* symbol_of(uint32_t i) const;
  bool names_uniform_base(uint32_t i) const;  // of an instruction that names a shared variable
  const LoweringProfile& profile() const;
  // What the configuration expands a class to, or the class itself; what it does for this instruction.
  std::vector<OpClass> sequence_of(OpClass op) const;
  std::vector<OpClass> sequence_for(uint32_t i, OpClass op) const;
  uint8_t divisor_steps(OpClass op) const;  // of a division's sequence, in front
  bool takes_fragments(uint32_t i) const;   // a multiplication of the tensor core
  bool defines_one(uint32_t i) const;
  const Pieces& pieces() const;

 private:
  const Selector& s_;
};

// What is made once, by whom: the rest of the key says for which block and values.
enum class Made : uint8_t {
  kTuple,
  kUnpacked,
  kLanePart,
  kExtended,
  kReciprocal,
  kCopyPredicate,
  kMovedCopy,
  kUpperPart,
};
using MadeBefore = std::map<std::pair<Made, std::vector<int64_t>>, std::vector<uint32_t>>;

// What comes of one instruction, in order.
class Emitter {
 public:
  Emitter(Selector& selector, uint32_t i, std::vector<Node>& out) : s_(selector), i_(i), out_(out) {}
  Node& push(OpClass op);
  void keep_order(Node& n);  // as the instruction has it with others
  Node& last() { return out_.back(); }
  Node& before_last() { return out_[out_.size() - 2]; }
  Node& carrier();  // the last operation that carries an instruction
  uint32_t temporary(uint8_t words, bool uniform = false);
  VirtualRegister& result();          // the register that the last operation writes
  void make_uniform(uint32_t value);  // of the uniform file, whatever makes it
  // An operation with a result of its own, in a new register.
  uint32_t make(OpClass op, std::vector<uint32_t> uses, uint8_t words, bool uniform = false);
  std::vector<uint32_t> sources();            // what the instruction reads
  std::vector<uint32_t> source(Place place);  // the same of one row
  // The operations one after another, of which the last carries the instruction and has its result.
  std::span<Node> sequence(const std::vector<OpClass>& ops);
  // The instruction as `op`, with operations around it that keep their order.
  void around(const std::vector<OpClass>& before, OpClass op, const std::vector<OpClass>& after);
  // The registers that were made for the same key before; none yet and true: the caller makes them now.
  std::pair<std::vector<uint32_t>&, bool> once(Made what, std::vector<int64_t> key);
  bool has_made(Made what, const std::vector<int64_t>& key) const;
  // Writes in front of what ends another block, on behalf of that; here where it is the instruction's own.
  template <class Write>
  void in_block(uint32_t block, Write write) {
    if (is_own(block)) return write(*this);
    std::vector<Node> nodes;
    Emitter there(s_, last_of(block), nodes);
    write(there);
    insert(block, nodes);
  }
  Calls& calls();

 private:
  bool is_own(uint32_t block) const;
  uint32_t last_of(uint32_t block) const;
  void insert(uint32_t block, const std::vector<Node>& nodes);

  Selector& s_;
  uint32_t i_;
  std::vector<Node>& out_;
};

struct Rule {
  std::string_view name;
  bool (*match)(const Selection&, uint32_t i);
  void (*apply)(const Selection&, Emitter&, uint32_t i);
};

// The first that matches is applied; where none does, the instruction is the sequence of its class. Those by
// shape come in front of what gathers lanes for an exchange (gather_lanes), those by class behind.
std::span<const Rule* const> rules_by_shape();
std::span<const Rule* const> rules_by_class();

}  // namespace gpuloom::ptx
