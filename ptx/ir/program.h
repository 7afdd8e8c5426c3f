// SPDX-License-Identifier: Apache-2.0
// The decoded program: flat arrays, operands resolved to places, nothing textual. Made by ptx/passes, run by
// ptx/exec and arch.
//
// Register memory of a warp is lane-contiguous: a 32-bit register is a row of 32 values (128 bytes), a 64-bit
// one 256 bytes, a 16-bit one 64, an 8-bit one 32, a 128-bit one 512 (32 values of 16 bytes), a predicate a
// 32-bit mask (4 bytes; bit l is lane l). Constants (immediates, symbol addresses) are rows of the same shape
// in Program::constants, shared by all warps. A function's registers, call frames included, are addressed
// relative to the warp's frame pointer `Warp::regs`.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ir/module.h"
#include "ptx/ir/special_register.h"
#include "ptx/isa/table/op_class.h"

namespace gpuloom::ptx {

struct Warp;
struct Instr;
// Carries out `in` for the lanes in `lanes` (never 0 for plain instructions). Warp::pc already points behind
// `in`.
using LaneFn = void (*)(Warp& warp, const Instr& in, uint32_t lanes);

// A place of an operand: byte offset of its row; registers count up from 0, constants are stored complemented
// (negative). For vector and list operands it is an index into Program::extra instead, where the elements
// stand in order; for tensor and texture operands too: the row of the address first (a constant row for a
// symbol), then the coordinates.
struct Place {
  int32_t at = INT32_MIN;
  bool present() const { return at != INT32_MIN; }
  bool constant() const { return at < 0; }
  static Place reg(uint32_t offset) { return {static_cast<int32_t>(offset)}; }
  static Place constant_row(uint32_t offset) { return {~static_cast<int32_t>(offset)}; }
};

// What the engines must know beyond the operation class.
enum class InstrKind : uint8_t {
  kPlain,
  kLoad,         // fills Warp::access
  kStore,        // fills Warp::access
  kAtomic,       // fills Warp::access; may be deferred (see exec/access.h)
  kAsyncCopy,    // cp.async, bulk and tensor copies
  kAsyncCommit,  // cp.async.commit_group, cp.async.bulk.commit_group
  kAsyncWait,    // cp.async.wait_*, cp.async.bulk.wait_group
  kMbarrier,     // mbarrier.*
  kFence,        // membar, fence
  kBarrier,      // bar, barrier (block)
  kWarpSync,  // needs the lanes of a member mask together: shfl.sync, vote.sync, match, redux, bar.warp.sync,
              // mma, ...
  kClusterBarrier,
  kBranch,  // ends a block; target is a block start
  kCall,    // ends a block
  kReturn,  // ends a block
  kExit,    // ends a block
  kTrap,
  kReconverge,  // inserted at immediate post-dominators of divergent branches (BSYNC)
  kReadClock,   // reads a dynamic special register
  kSleep,
  kGridControl,  // griddepcontrol
};

constexpr unsigned kInstrPlaces = 6;

// One decoded instruction: a cache line. Places follow the operands of the form in order, pairs as two,
// optional ones absent. Where a form has more operands than places, its constant-only ones (`#a`) have no
// place: the encode hook reads them.
//
// Address operands [base + offset]: the place is the row of the base, `imm` the offset, address = base + imm.
// A symbol without register has a 64-bit row of zeros as base and its address in `imm`. What addresses count
// from:
//   global, const, generic  generic device address
//   shared                  offset in the block's window; shared::cluster as mapa gives it, own rank's
//   without local                   offset in the lane's local memory, which all activations share (the base
//   row of a
//                           local symbol holds Warp::local_frame)
//   param (kParam)          offset in the parameter buffer (Program::params)
//   kParamFunction          offset in the local frame of the activation: Warp::local_frame + imm
// FormUse::register_bits of the operand is the width of the base's row; it is 0 for a symbol or no base
// (64-bit row). Where a form has several addresses, `imm` belongs to the first; the rows of the others have
// their offsets added. Sinks (`_`) that an instruction writes have a scratch row; the absent optional half of
// a pair has no place. Immediates are rows of the width of their operand's type (a mask of 0 or ~0 for a
// predicate), of 32 bits where the form gives none.
struct alignas(64) Instr {
  LaneFn fn = nullptr;
  Place ops[kInstrPlaces];
  int64_t imm = 0;        // address offset, or what the form's encode hook puts there
  uint32_t extra = 0;     // index into Program::extra for the form's own use
  uint32_t target = 0;    // branch target or callee entry, as an instruction index
  Place guard;            // predicate; absent: always
  uint16_t op_class = 0;  // OpClass
  InstrKind kind = InstrKind::kPlain;
  uint8_t guard_negated : 1 = 0;
  uint8_t uniform : 1 = 0;  // .uni, or known not to diverge
  uint8_t ends_block : 1 = 0;
  uint8_t begins_block : 1 = 0;
  uint8_t skips_unrolled : 1 = 0;  // jumps over the unrolled part of a loop whose trip count nobody knows
  uint32_t source = 0;             // index into Program::sources
  uint8_t vec = 1;                 // elements of a vector operand
  Space space = Space::kGeneric;
  Type type = Type::kNone;  // the main type
  uint8_t aux = 0;          // the form's own use (comparison, cache operator, ...)
};
static_assert(sizeof(Instr) == 64 || sizeof(Instr) == 128, "an instruction is a whole number of cache lines");

// Where a decoded instruction comes from.
struct InstrSource {
  const Function* function = nullptr;
  uint32_t instruction = 0;  // index into Function::instructions
  Position position;         // of the PTX
  uint32_t source_line = 0;  // index + 1 into Module::source_lines
};

struct Block {
  uint32_t first = 0, last = 0;  // instructions [first, last]
  // Where lanes meet that its branch parts: first instruction of the immediate post-dominator, or of the
  // block where those meet that stay in a loop (UINT32_MAX: end of function), and then where those that leave
  // it do.
  uint32_t reconverge = UINT32_MAX;
  uint32_t outer[2] = {UINT32_MAX, UINT32_MAX};  // inner places first
  uint32_t successors[2] = {UINT32_MAX,
                            UINT32_MAX};  // block indices; more for brx.idx: see Program::branch_tables
};

// A special register that the program reads as a row; filled when a warp starts.
struct SpecialRow {
  SpecialRegister reg;
  Place place;  // relative to the bottom of the warp's register memory: see FunctionCode::frame_base
};

// Where a value that passes between caller and callee stands: in a row of registers or in the local frame.
struct CallValue {
  Place row;           // of `bytes` a lane where present; may be a constant on the caller's side
  uint32_t local = 0;  // offset in the local frame where `row` is absent
  uint32_t bytes = 0;
};

struct FunctionCode {
  const Function* function = nullptr;
  uint32_t entry = 0, end = 0;  // instructions [entry, end)
  uint32_t frame_bytes = 0;     // register memory of one activation, a multiple of 64
  uint32_t local_bytes = 0;  // local memory of one activation and lane (depot, parameters, call-site .param),
                             // a multiple of 16
  uint32_t saved_bytes = 0;  // stack frame of one activation that holds registers: set by ptx/machine
  std::vector<SpecialRow> specials;  // filled in at the start of each activation, relative to its registers
  std::vector<CallValue> params, returns;  // of device functions, in the callee's frame
};

// A call (kind kCall); Instr::extra is its index in Program::calls. The callee's local frame begins at the
// caller's local_frame + local_bytes, its registers at the caller's regs + frame_bytes. Arguments are copied
// by position before, results after.
struct CallSite {
  uint32_t function =
      UINT32_MAX;        // index into Program::functions of a direct call; Instr::target is its entry
  std::string external;  // name of a function that gpuloom provides (vprintf, malloc, ...)
  Place address;         // indirect: row of 64 bits, kFunctionBase + 16 * index into Module::functions
  std::vector<CallValue> arguments, results;  // in the caller's frame
};

struct KernelParam {
  std::string name;
  Type type = Type::kNone;
  uint32_t offset = 0, size_bytes = 0, align_bytes = 0;  // in the parameter buffer
  bool is_array = false;
};

// The condition of a branch that has become guards, where an instruction's result is seen behind that branch
// alone: machine code guards it as well, and nothing changes if it is carried out for all lanes.
constexpr unsigned kBranchGuard = kInstrPlaces + 2;

// One row that an instruction reads or writes, for analyses (liveness, scheduling): see Program::refs.
struct OperandRef {
  Place place;
  uint8_t bytes = 4;  // of one lane's value; 0: a predicate
  bool defines : 1;   // written; a guarded instruction writes only some lanes
  bool address : 1;   // base of an address
  // Where the instruction keeps the place: ops[operand], or extra[ops[operand] + element] for an element of a
  // vector; the guard where operand is kInstrPlaces, nowhere where it is larger (a call's argument;
  // kBranchGuard).
  uint8_t operand = 0;
  uint8_t element = 0xff;
};

// A named piece of a block's shared memory. `bytes` is 0 for a dynamic array, which reaches to the end.
struct SharedVariable {
  std::string name;
  uint32_t offset = 0, bytes = 0;
};

// What runs: one entry function and everything it can call.
struct Program {
  std::string name;  // of the entry
  const Module* module = nullptr;
  std::vector<Instr> code;         // entry first
  std::vector<Place> extra;        // elements of vector and list operands
  std::vector<uint8_t> constants;  // rows
  std::vector<Block> blocks;
  std::vector<uint32_t> block_of;  // by instruction
  std::vector<InstrSource> sources;
  std::vector<OperandRef> refs;  // rows read and written, by instruction: [ref_begin[i], ref_begin[i + 1])
  std::vector<uint32_t> ref_begin;
  std::vector<FunctionCode> functions;  // [0] is the entry
  std::vector<uint32_t> function_of;    // by index into Module::functions; UINT32_MAX: not in the program
  std::vector<CallSite> calls;
  std::vector<std::vector<uint32_t>>
      branch_tables;  // brx.idx: instruction indices; Instr::extra is the table
  std::vector<KernelParam> params;
  uint32_t param_bytes = 0;
  uint32_t shared_static_bytes = 0;  // dynamic shared memory begins here, aligned to dynamic_shared_align
  uint32_t dynamic_shared_align = 16;
  std::vector<SharedVariable> shared_variables;  // for messages, by offset
  uint32_t local_bytes = 0;                      // local memory of one lane of the entry's activation
  bool uses_calls = false, uses_barriers = false;
  uint32_t barrier_count = 0;         // highest named barrier used + 1; 16 where one comes from a register
  uint32_t registers_per_thread = 0;  // estimate of the machine program, or a directive
};

}  // namespace gpuloom::ptx
