// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/describe_wait.h"

#include <bit>
#include <cstring>

#include "ptx/exec/cta.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/mbarrier.h"
#include "ptx/exec/memory_path.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {
namespace {

// With the source line where there is one.
std::string place_words(const Warp& w, uint32_t pc) {
  const std::string source = source_name(*w.program, pc);
  return place_name(*w.program, pc) + (source.empty() ? "" : ", " + source);
}

// The mbarrier that a lane's wait at `pc` names.
std::optional<AwaitedMbarrier> mbarrier_of(const Warp& w, uint32_t pc, uint32_t lanes, uint32_t frame) {
  const Instr& in = w.code[pc];
  if (in.kind != InstrKind::kMbarrier || lanes == 0 || frame >= w.simt.frames.size()) return {};
  const auto lane = static_cast<size_t>(std::countr_zero(lanes));
  const Place base = in.ops[1];
  const uint8_t* row =
      base.constant() ? w.consts + ~base.at : w.register_memory.data() + w.simt.frames[frame].regs + base.at;
  const unsigned width = (in.target & 3) == 1 ? 4 : 8;
  uint64_t address = 0;
  std::memcpy(&address, row + lane * width, width);
  address += static_cast<uint64_t>(in.imm);
  if (in.space == Space::kGeneric) space_of_generic(address);
  address &= (uint64_t{1} << kSharedRankShift) - 1;
  if (address + sizeof(uint64_t) > w.cta->shared.size()) return {};
  uint64_t word = 0;
  std::memcpy(&word, &w.cta->shared[address], sizeof word);
  return AwaitedMbarrier{address, word, pc};
}

// The same in words, and what its phase lacks.
std::string mbarrier_words(const Warp& w, uint32_t pc, uint32_t lanes, uint32_t frame) {
  const std::optional<AwaitedMbarrier> awaited = mbarrier_of(w, pc, lanes, frame);
  if (!awaited) return {};
  const MbarrierWord m(awaited->word);
  std::string text = " at shared address " + std::to_string(awaited->address);
  if (const std::string near = shared_name(*w.program, awaited->address); !near.empty()) text += ", " + near;
  text +=
      ", whose phase lacks " + std::to_string(m.pending()) + (m.pending() == 1 ? " arrival" : " arrivals");
  if (m.transactions() != 0) text += " and " + std::to_string(m.transactions()) + " bytes";
  return text;
}

std::string wait_words(const Warp& w, Wait reason, uint32_t pc, uint32_t lanes, uint32_t frame) {
  const std::string at = place_words(w, pc == 0 ? 0 : pc - 1);
  const std::string count =
      std::to_string(std::popcount(lanes)) + (std::popcount(lanes) == 1 ? " lane" : " lanes");
  switch (reason) {
    case Wait::kBarrier: {
      for (unsigned id = 0; id < kNamedBarriers; ++id) {
        const NamedBarrier& b = w.cta->barriers[id];
        for (const BarrierWaiter& waiter : b.waiters) {
          if (waiter.warp != &w || !(waiter.lanes & lanes)) continue;
          return "waits at barrier " + std::to_string(id) + " (" + at + "), where " +
                 std::to_string(b.arrived_warps) + " of " +
                 std::to_string(b.counts_all ? w.cta->live_warps : b.expected_warps) + " warps have arrived";
        }
      }
      return "waits at a barrier (" + at + ")";
    }
    case Wait::kLanes:
      return count + " wait for other lanes of the warp (" + place_words(w, pc) + ")";
    case Wait::kClusterBarrier:
      return "waits at the cluster barrier (" + at + "), where " +
             std::to_string(w.cta->cluster->arrived_threads) + " of " +
             std::to_string(w.cta->cluster->live_threads) + " threads have arrived";
    case Wait::kWarpgroup:
      return "waits at a wgmma for the other warps of its warpgroup (" + at + ")";
    case Wait::kMemory:
      return count + " wait for an access to the same bytes that is under way (" + place_words(w, pc) + ")";
    case Wait::kMbarrier:
      return count + " wait for a phase of an mbarrier (" + place_words(w, pc) + ")" +
             mbarrier_words(w, pc, lanes, frame);
    default:
      return "waits (" + at + ")";
  }
}

}  // namespace

std::optional<AwaitedMbarrier> awaited_mbarrier(const Warp& w) {
  if (w.lanes != 0 && w.wait == Wait::kMbarrier) return mbarrier_of(w, w.pc, w.lanes, w.simt.frame);
  for (const ConvergenceSet& set : w.simt.sets)
    if (set.wait == Wait::kMbarrier) return mbarrier_of(w, set.pc, set.lanes, set.frame);
  return {};
}

std::string describe_wait(const Warp& w) {
  if (w.lanes != 0) return wait_words(w, w.wait, w.pc, w.lanes, w.simt.frame);
  std::string text;
  for (const ConvergenceSet& set : w.simt.sets)
    text += (text.empty() ? "" : " and ") + wait_words(w, set.wait, set.pc, set.lanes, set.frame);
  return text;
}

std::string describe_waits(const Cta& cta) {
  constexpr unsigned kMost = 8;
  std::string text = "block (" + std::to_string(cta.id[0]) + "," + std::to_string(cta.id[1]) + "," +
                     std::to_string(cta.id[2]) + "):";
  unsigned said = 0, left = 0;
  for (const auto& warp : cta.warps) {
    if (warp->wait == Wait::kDone) continue;
    if (said == kMost) {
      ++left;
      continue;
    }
    text += said++ == 0 ? " " : ", ";
    text += "warp " + std::to_string(warp->index_in_cta) + " ";
    text += describe_wait(*warp);
  }
  if (left != 0) text += " and " + std::to_string(left) + " more";
  return text;
}

}  // namespace gpuloom::ptx
