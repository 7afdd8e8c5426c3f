// SPDX-License-Identifier: Apache-2.0
// What the passes share while they make a Program. Not for users of the pipeline.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ir/module.h"
#include "ptx/ir/program.h"
#include "ptx/passes/pipeline.h"

namespace gpuloom::ptx {

// Problems found so far; all are reported together.
class Problems {
 public:
  explicit Problems(const Module& module) : module_(&module) {}
  // `hint` may be empty. The same message at the same line counts once.
  void unsupported(Position at, std::string message, std::string hint = {});
  void bad_input(Position at, std::string message, std::string hint = {});
  bool empty() const { return list_.empty(); }
  void throw_if_any() const;

 private:
  struct Problem {
    Position at;
    std::string message, hint;
    bool input = false;
    uint64_t more = 0;  // further uses of the same message
  };
  void add(Position at, std::string message, std::string hint, bool input);
  const Module* module_;
  std::vector<Problem> list_;
};

// Rows of Program::constants, each value once a width.
class ConstantPool {
 public:
  explicit ConstantPool(std::vector<uint8_t>& rows) : rows_(&rows) {}
  // `bytes` a lane: 1, 2, 4, 8 or 16 (sign-extended from 64 bits); 0 is a predicate, any nonzero value is
  // true.
  Place row(unsigned bytes, uint64_t value);
  // The value of a row made here; false where `place` is none of them.
  bool value_of(Place place, uint64_t& value) const;

 private:
  std::vector<uint8_t>* rows_;
  std::map<std::pair<unsigned, uint64_t>, uint32_t> known_;
  std::unordered_map<uint32_t, uint64_t> value_;
};

constexpr uint32_t kNoRow = UINT32_MAX;

// One reachable function while it is decoded.
struct FunctionDraft {
  const Function* function = nullptr;
  std::vector<uint32_t> register_row;  // by register id; offset in the frame, kNoRow where unused
  std::map<SpecialRegister, uint32_t> special_row;
  std::unordered_map<const Variable*, uint32_t> local_offset;  // .local, parameters, call-site .param
  uint32_t sink_row = kNoRow;                                  // takes what `_` operands receive; 512 bytes
  uint32_t local_base_row = kNoRow;                            // holds Warp::local_frame, 64 bits
  bool uses_local_base = false;
  uint32_t frame_bytes = 0, local_bytes = 0;
  uint32_t take_row(unsigned bytes_a_lane, unsigned elements = 1);  // a new row (or rows) of the frame
};

struct Draft {
  Draft(const Module& m, const Function& e, const SymbolResolver& r, const PassOptions& o, Program& p)
      : module(m), entry(e), resolver(r), options(o), program(p), problems(m), constants(p.constants) {}
  const Module& module;
  const Function& entry;
  const SymbolResolver& resolver;
  const PassOptions& options;
  Program& program;
  Problems problems;
  ConstantPool constants;
  std::vector<FunctionDraft> functions;  // [0] is the entry
  std::unordered_map<const Function*, uint32_t> function_index;
  std::unordered_map<const Variable*, uint32_t> shared_offset;
};

// The passes, in order.
void collect_functions(Draft& draft);       // what can run, and whether gpuloom models all of it
void layout_memory(Draft& draft);           // parameters, shared memory, local frames
void layout_registers(Draft& draft);        // rows of each function's frame
void decode_functions(Draft& draft);        // instructions, operands, calls
void promote_local_memory(Draft& draft);    // words of local memory at constant offsets become registers
void fold_constant_divisors(Draft& draft);  // approximate division by a constant is a product
void contract_multiply_add(Draft& draft);
void remove_dead_code(Draft& draft);
void return_in_place(Program& program);  // jumps to a bare return are returns
void simplify_jumps(Program& program);   // a condition and its opposite are one jump
void convert_short_branches(Program& program,
                            const PredicateHabits& habits);  // skipped blocks become guarded instructions
void unroll_loops(Draft& draft);                             // small counted loops, four iterations at a time
void split_webs(Draft& draft);                               // one register, one value (as far as uses allow)
void move_constants_themselves(Draft& draft);                // not what registers hold that hold nothing else
void share_copied_predicates(Draft& draft);                  // those that go through an integer
void reassociate_addresses(Draft& draft);              // sums that differ by constants are one, with offsets
void share_distances_of_copies(Draft& draft);          // far addresses of cp.async are near each other
void share_loads(Program& program);                    // of addresses whose values are known
void sink_loads_behind_branches(Program& program);     // where one side alone needs them
void lift_over_skipped_blocks(Program& program);       // what follows them, in front of their branch
void share_special_values(Program& program);           // what is made of special registers, once a block
void split_groups(Draft& draft);                       // lanes of one mask go apart for what they do together
void build_control_flow(Program& program);             // blocks, post-dominators, reconvergence points
void load_parameters_behind_clocks(Program& program);  // which their first users follow
void reuse_rows(Program& program);                     // registers that never live together share a row

}  // namespace gpuloom::ptx
