// SPDX-License-Identifier: Apache-2.0
// Divergence: convergence sets of a warp, reconvergence points and call frames (independent thread
// scheduling, sm_70 and later).
//
// A convergence set is a group of lanes with one program counter. The current one lives in Warp (pc, lanes,
// regs, local_frame); the others are kept here. A divergent branch opens a region that ends at the branch's
// immediate post-dominator: sets that arrive there wait until all lanes of the region have come or exited,
// then go on as one. A call opens a region that ends at its return address. Forward progress: a set that
// spins (backward branches without arriving anywhere) yields to the others after a bounded number of
// branches, so that lanes that wait for lanes of the same warp get what they wait for; where every other lane
// waits at a meeting point, those are let go early.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace gpuloom::ptx {

struct Warp;
struct Instr;
struct CallSite;
enum class Wait : uint8_t;

struct ConvergenceSet {
  uint32_t lanes = 0;
  uint32_t pc = 0;
  uint32_t region = 0;     // innermost open region, index into regions
  uint32_t frame = 0;      // call frame, index into frames
  uint32_t wait_mask = 0;  // Wait::kLanes: lanes that must come
  Wait wait{};             // kNone: runnable
  bool synced = false;     // its .sync instruction has been released
};

struct Region {
  uint32_t pc = 0;        // where lanes meet
  uint32_t expected = 0;  // lanes that will come (exited ones are taken out)
  uint32_t arrived = 0;
  uint32_t parent = 0;
  uint32_t frame = 0;  // call frame that holds at the meeting point
  bool open = false;
};

struct Frame {
  uint32_t regs = 0;      // byte offset of the register memory of this activation
  uint32_t local = 0;     // byte offset in a lane's local memory
  uint32_t function = 0;  // index into Program::functions
  uint32_t parent = 0;
  uint32_t lanes = 0;           // lanes in it or in what it has called; 0: free
  uint32_t region = 0;          // region that ends at the return address
  uint32_t stack = UINT32_MAX;  // index into stacks, where the activation has used alloca
  uint32_t saved =
      0;  // byte offset of its saved registers on the machine's stack (FunctionCode::saved_bytes)
};

struct SimtState {
  std::vector<ConvergenceSet> sets;              // not the current one, longest waiting first
  std::vector<Region> regions;                   // [0] is the whole kernel and never meets
  std::vector<Frame> frames;                     // [0] is the entry
  std::vector<std::array<uint32_t, 32>> stacks;  // end of each lane's stack, of activations that use alloca
  uint32_t region = 0;                           // of the current set
  uint32_t frame = 0;                            // of the current set
  uint32_t spins = 0;   // backward branches of the current set since it was last switched to
  uint32_t rounds = 0;  // times that `spins` ran out without another set to go on with
  bool polled = false;  // an atomic, ordered or mbarrier access was seen: a loop may wait for another lane
  bool synced = false;  // of the current set
};

// Prepares a warp that starts at the entry with `lanes`.
void simt_start(Warp& w, uint32_t lanes);

// Some of the current lanes jump to `target`. Warp::pc is behind the branch; lanes that do not jump go on
// there.
void branch(Warp& w, uint32_t taken, uint32_t target);
// Lanes jump to `targets[lane]`, all lanes in `taken`; the others fall through.
void branch_indexed(Warp& w, uint32_t taken, const uint32_t targets[32]);
// Lanes that share a mask become a set of their own; they meet where the branch that the warp is at says.
void split_by(Warp& w, const uint32_t masks[32]);
// The current set is at a kReconverge instruction (Warp::pc is behind it).
void reconverge(Warp& w);
// `lanes` of the current set call Program::functions[function]; the others wait at the return address.
// Arguments are copied here, results by return_lanes. Throws Fault where the stack does not fit.
void call_function(Warp& w, uint32_t lanes, const CallSite& site, uint32_t function);
// Each of `lanes` calls functions[lane]; those with the same one go together, one group after another.
void call_functions(Warp& w, uint32_t lanes, const CallSite& site, const uint32_t functions[32]);
// End of the stack of each lane in the current activation, in bytes of its local memory; may be changed.
uint32_t* stack_tops(Warp& w);
// Makes a lane's local memory reach to `bytes`. Throws Fault beyond Launch::local_limit_bytes.
void reserve_local(Warp& w, uint64_t bytes);
// `lanes` of the current set return from the current activation; at the entry's level they exit.
void return_lanes(Warp& w, uint32_t lanes);
void exit_lanes(Warp& w, uint32_t lanes);

// For instructions of kind kWarpSync: `lanes` are at `in` and need all lanes of `mask` that have not exited.
// Returns the lanes to act for (those of sets that waited here included), or 0: then the set waits, another
// one may have become current, and the lane function returns without effect.
uint32_t sync_lanes(Warp& w, const Instr& in, uint32_t lanes, uint32_t mask);

// The current set cannot go on. Parks it with `reason` and goes on with another one; without a runnable one,
// Warp::wait says why.
void block_set(Warp& w, Wait reason);
// Lets another runnable set go first. True if there was one.
bool yield_set(Warp& w);
// Only `lanes` of the current set stay current; the others go on later by themselves.
void narrow_set(Warp& w, uint32_t lanes);
// What waited for `reason` may go on: all sets, or those that hold some of `lanes`.
void wake(Warp& w, Wait reason, uint32_t lanes = ~0u);
// Nothing of the warp can go on: lets lanes that wait at a meeting point pass it without the others (forward
// progress, PTX ISA 3.1). True if there were such lanes. Engines call it before they report a deadlock.
bool release_waiting_lanes(Warp& w);
// The current set, which is given up, arrives at the meeting point of a region; goes on with the region's
// lanes where all have come, with another set otherwise.
void arrive_at(Warp& w, uint32_t region, uint32_t lanes);
// A new region whose parent is the current one.
uint32_t open_region(Warp& w, uint32_t pc, uint32_t expected, uint32_t frame);
// The current set, and going on with another.
ConvergenceSet current_set(const Warp& w);
void continue_set(Warp& w, const ConvergenceSet& set);
// Goes on with some runnable set; none: sets Warp::wait.
void switch_set(Warp& w);
// Lanes that have not exited.
uint32_t live_lanes(const Warp& w);

}  // namespace gpuloom::ptx
