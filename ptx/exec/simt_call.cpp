// SPDX-License-Identifier: Apache-2.0
// Call frames: registers from an arena of the warp, local memory a stack of each lane.
#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/exec/check/checks.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/simt.h"

namespace gpuloom::ptx {
namespace {

// Registers of a warp in flight at one time, and activations; beyond it the recursion has no end.
constexpr uint64_t kMaxRegisterMemory = 256ull << 20;
constexpr size_t kMaxFrames = 1 << 18;

// One byte of a lane's local memory.
uint8_t* local_byte(Warp& w, uint64_t offset, unsigned lane) {
  return w.local + ((offset >> 2) * 32 + lane) * 4 + (offset & 3);
}

struct Side {  // one end of a copy: an activation
  uint32_t regs;
  uint32_t local;
};

void copy_value(Warp& w, uint32_t lanes, const CallValue& from, const Side& from_side, const CallValue& to,
                const Side& to_side) {
  const uint32_t bytes = std::min(from.bytes, to.bytes);
  const uint8_t* memory = w.register_memory.data();
  for (uint32_t m = lanes; m; m &= m - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(m));
    for (uint32_t b = 0; b < bytes; ++b) {
      uint8_t value;
      if (!from.row.present())
        value = *local_byte(w, from_side.local + from.local + b, lane);
      else if (from.row.constant())
        value = w.consts[~from.row.at + static_cast<int32_t>(lane * from.bytes + b)];
      else
        value = memory[from_side.regs + static_cast<uint32_t>(from.row.at) + lane * from.bytes + b];
      if (to.row.present())
        w.register_memory[to_side.regs + static_cast<uint32_t>(to.row.at) + lane * to.bytes + b] = value;
      else
        *local_byte(w, to_side.local + to.local + b, lane) = value;
    }
    if (Checks* checks = w.launch->checks; checks != nullptr && !to.row.present())
      checks->local_written(w, lane, to_side.local + to.local, bytes);
  }
}

// Activations at the end of the arena that nobody is in.
void drop_frames(SimtState& s) {
  while (s.frames.size() > 1 && s.frames.back().lanes == 0) {
    const uint32_t stack = s.frames.back().stack;  // UINT32_MAX: none
    if (stack != UINT32_MAX && stack + 1 == s.stacks.size()) s.stacks.pop_back();
    s.frames.pop_back();
  }
}

uint32_t allocate_frame(Warp& w, uint32_t bytes) {
  SimtState& s = w.simt;
  drop_frames(s);
  const Frame& last = s.frames.back();
  const uint64_t offset = uint64_t(last.regs) + w.program->functions[last.function].frame_bytes;
  if (offset + bytes > kMaxRegisterMemory || s.frames.size() >= kMaxFrames)
    fault(w, w.code[w.pc - 1], static_cast<unsigned>(std::countr_zero(w.lanes)), FaultKind::kStack,
          "calls itself too often: the call stack is full");
  if (offset + bytes > w.register_memory.size())
    w.register_memory.resize(std::max<size_t>(offset + bytes, 2 * w.register_memory.size()));
  return static_cast<uint32_t>(offset);
}

}  // namespace

void reserve_local(Warp& w, uint64_t bytes) {
  if (w.launch->local_limit_bytes != 0 && bytes > w.launch->local_limit_bytes)
    fault(w, w.code[w.pc - 1], static_cast<unsigned>(std::countr_zero(w.lanes)), FaultKind::kStack,
          "needs " + std::to_string(bytes) + " bytes of stack, more than the limit of " +
              std::to_string(w.launch->local_limit_bytes));
  if (bytes <= w.local_bytes) return;
  const uint64_t size = std::max<uint64_t>(bytes, 2 * w.local_bytes);
  w.local_memory.resize(size * 32);
  w.local = w.local_memory.data();
  w.local_bytes = size;
}

uint32_t* stack_tops(Warp& w) {
  SimtState& s = w.simt;
  Frame& frame = s.frames[s.frame];
  if (frame.stack == UINT32_MAX) {
    frame.stack = static_cast<uint32_t>(s.stacks.size());
    s.stacks.emplace_back().fill(frame.local + w.program->functions[frame.function].local_bytes);
  }
  return s.stacks[frame.stack].data();
}

void call_function(Warp& w, uint32_t lanes, const CallSite& site, uint32_t function) {
  SimtState& s = w.simt;
  const FunctionCode& callee = w.program->functions[function];
  const FunctionCode& caller = w.program->functions[s.frames[s.frame].function];
  const Side from{s.frames[s.frame].regs, s.frames[s.frame].local};
  uint32_t local = from.local + caller.local_bytes;
  if (s.frames[s.frame].stack != UINT32_MAX) {
    constexpr uint32_t kAlign = 16;
    for (uint32_t m = lanes; m; m &= m - 1)
      local = std::max(local, s.stacks[s.frames[s.frame].stack][static_cast<size_t>(std::countr_zero(m))]);
    local = (local + kAlign - 1) / kAlign * kAlign;
  }
  const Side to{allocate_frame(w, callee.frame_bytes), local};
  reserve_local(w, uint64_t(to.local) + callee.local_bytes);
  if (Checks* checks = w.launch->checks) checks->local_entered(w, lanes, to.local, callee.local_bytes);
  for (size_t k = 0; k < std::min(site.arguments.size(), callee.params.size()); ++k)
    copy_value(w, lanes, site.arguments[k], from, callee.params[k], to);

  // Those that do not call wait at the return address from the start.
  const uint32_t home = open_region(w, w.pc, w.lanes, s.frame);
  s.regions[home].arrived = w.lanes & ~lanes;
  const uint32_t saved = s.frames[s.frame].saved + caller.saved_bytes;
  s.frames.push_back({to.regs, to.local, function, s.frame, lanes, home, UINT32_MAX, saved});
  s.region = home;
  s.frame = static_cast<uint32_t>(s.frames.size() - 1);
  w.lanes = lanes;
  w.pc = callee.entry;
  w.regs = w.register_memory.data() + to.regs;
  w.local_frame = to.local;
  fill_specials(w, callee);
}

void call_functions(Warp& w, uint32_t lanes, const CallSite& site, const uint32_t functions[32]) {
  const auto same_as_first = [&](uint32_t of) {
    const uint32_t function = functions[std::countr_zero(of)];
    uint32_t group = 0;
    for (uint32_t m = of; m; m &= m - 1) {
      if (functions[std::countr_zero(m)] == function) group |= m & (0u - m);
    }
    return group;
  };
  if (same_as_first(lanes) == lanes) {
    call_function(w, lanes, site, functions[std::countr_zero(lanes)]);
    return;
  }
  SimtState& s = w.simt;
  const uint32_t home = open_region(w, w.pc, w.lanes, s.frame);
  s.regions[home].arrived = w.lanes & ~lanes;
  ConvergenceSet caller;
  caller.pc = w.pc;
  caller.region = home;
  caller.frame = s.frame;
  // The first group goes first, so the others' frames and sets are made before.
  const uint32_t first = same_as_first(lanes);
  for (uint32_t left = lanes & ~first; left != 0;) {
    caller.lanes = same_as_first(left);
    left &= ~caller.lanes;
    continue_set(w, caller);
    call_function(w, caller.lanes, site, functions[std::countr_zero(caller.lanes)]);
    s.sets.push_back(current_set(w));
  }
  caller.lanes = first;
  continue_set(w, caller);
  call_function(w, first, site, functions[std::countr_zero(first)]);
}

void return_lanes(Warp& w, uint32_t lanes) {
  SimtState& s = w.simt;
  if (s.frame == 0) {
    exit_lanes(w, lanes);
    return;
  }
  const uint32_t frame = s.frame;
  Frame& f = s.frames[frame];
  const uint32_t home = f.region;
  const FunctionCode& callee = w.program->functions[f.function];
  const Region& region = s.regions[home];
  const CallSite& site = w.program->calls[w.code[region.pc - 1].extra];
  const Side from{f.regs, f.local}, to{s.frames[f.parent].regs, s.frames[f.parent].local};
  for (size_t k = 0; k < std::min(site.results.size(), callee.returns.size()); ++k)
    copy_value(w, lanes, callee.returns[k], from, site.results[k], to);

  // Meeting points inside the callee do not see these lanes any more.
  for (uint32_t r = s.region; r != home; r = s.regions[r].parent) {
    Region& inner = s.regions[r];
    inner.expected &= ~lanes;
    inner.arrived &= ~lanes;
  }
  f.lanes &= ~lanes;
  ConvergenceSet rest;
  rest.lanes = w.lanes & ~lanes;
  rest.pc = w.pc;
  rest.region = s.region;
  rest.frame = s.frame;
  if (rest.lanes != 0) s.sets.push_back(rest);
  for (uint32_t r = s.region; r != home;) {
    Region& inner = s.regions[r];
    const uint32_t parent = inner.parent;
    if (inner.expected == 0) {
      inner.open = false;
    } else if (inner.arrived == inner.expected) {
      ConvergenceSet set;
      set.lanes = inner.arrived;
      set.pc = inner.pc;
      set.region = inner.parent;
      set.frame = inner.frame;
      inner.open = false;
      s.sets.push_back(set);
    }
    r = parent;
  }
  arrive_at(w, home, lanes);
  drop_frames(s);
  // A call that several groups make meets behind the call once more.
  if (w.wait != Wait::kNone || s.region == 0) return;
  const Region& outer = s.regions[s.region];
  if (outer.pc == w.pc && outer.frame == s.frame && w.code[w.pc].kind != InstrKind::kReconverge)
    arrive_at(w, s.region, w.lanes);
}

}  // namespace gpuloom::ptx
