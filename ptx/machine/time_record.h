// SPDX-License-Identifier: Apache-2.0
// What time needs to know of the instruction behind an operation, beyond its class: made once, at the end of
// lowering, so that the hardware's model reads neither PTX nor the table of its forms.
#pragma once
#include <cstdint>

#include "ptx/exec/access.h"
#include "ptx/ir/program.h"

namespace gpuloom::ptx {

struct MachineProgram;

// How an atomic passes shared memory.
enum class SharedAtomic : uint8_t {
  kNone,
  kIncrement,    // lanes that add one to the same word take one pass together
  kPlain,        // lanes that name the same word come one after another
  kCompareSwap,  // so, and slower
  kWindow,       // of an address that names no space: so, and one pass even if no lane stays in the block
};

// What an instruction that commits or waits for asynchronous groups says.
struct CopyWait {
  bool waits = false, bulk = false;
  bool read = false;    // bulk: only until the sources have been read
  uint32_t groups = 0;  // of the newest that may still be on their way; UINT32_MAX: none, uncommitted copies
                        // included
};

// wgmma's product.
struct MatrixProduct {
  uint16_t columns = 0;  // n of ".m64n128k16"; 0: the operation is something else
  bool sparse = false;
  bool both_shared = false;  // A stands in shared memory, as B does
};

enum class MatrixOrder : uint8_t { kNone, kCommit, kWait };  // wgmma.commit_group, wgmma.wait_group

struct TimeRecord {
  Place guard;  // absent: always
  bool guard_negated = false;
  bool reads_lane = false;        // a special register that differs from lane to lane
  bool names_no_space = false;    // the address is generic
  bool through_register = false;  // a branch, call or return whose target stands in a register
  SharedAtomic shared_atomic = SharedAtomic::kNone;
  // Atomics of one word and an equal number can be made one before they are sent: sums, extremes, bits. 0: an
  // exchange, or a counter that wraps.
  uint8_t combines = 0;
  Scope fence_scope = Scope::kNone;
  MatrixOrder matrix_order = MatrixOrder::kNone;
  uint8_t matrix_groups = 0;  // kWait: groups that may be left
  MatrixProduct matrix;
  bool splits = false;             // WARPSYNC: lanes of each mask go on by themselves
  bool waits_for_grids = false;    // griddepcontrol.wait
  bool acquires_map = false;       // fence.proxy.tensormap, acquire
  bool wide = false;               // MATCH, LDC: of 64 bits, or at an address of as many
  Place mask;                      // WARPSYNC: the row of member masks
  Place same;                      // MATCH.ANY: the row of lanes with the same value; absent: MATCH.ALL
  Place constant_base;             // LDC of an address that all lanes share, ...
  uint64_t constant_displace = 0;  // ...and what is added to it
  CopyWait copies;
  // What other code would do without (spared_work.h).
  bool converts = false;      // between types of numbers
  bool divides = false;       // a quotient or a remainder
  bool counts_loop = false;   // the counter, the comparison or the branch of a loop, and nothing else
  bool fence_alone = false;   // MEMBAR, CCTL: of a fence that is written, not of another instruction's order
  bool loads_again = false;   // what the thread has loaded from the same place before (loads_again.h)
  bool in_function = false;   // arithmetic of a line that evaluates a polynomial (functions.h), ...
  bool is_function = false;   // ...and what stands for the whole: the polynomial's last step
  bool calls = false;         // a call, a return, or what they move
  bool finds_callee = false;  // a load of the address that is called
  bool common = false;        // of a loop, and the same in all threads (common_work.h)
  bool wide_integer = false;  // the second operation and further ones of an integer of 64 bits, of no address
  // LDS: bytes that one load would bring with the others of its run; 0 for those that come with it.
  bool in_run = false;
  uint8_t run_bytes = 0, run_align = 0;
  Place run_base;             // where the run begins, ...
  uint64_t run_displace = 0;  // ...and what is added to it; `wide`: the base has 64 bits
};

// Of a decoded instruction.
struct InstructionRecord {
  bool accesses = false;  // fills Warp::access; not a parameter load that became a constant operand
  bool splits = false;    // behind it lanes of one mask go on by themselves
};

// Fills MachineProgram::records and ::instructions. `program` is what the operations carry out, in its last
// shape.
void make_time_records(const Program& program, MachineProgram& machine);

}  // namespace gpuloom::ptx
