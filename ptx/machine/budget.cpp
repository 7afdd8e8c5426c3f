// SPDX-License-Identifier: Apache-2.0
// How many registers a schedule may use. ptxas fills a kernel with early loads up to 32 registers a thread,
// at which an SM of 65,536 registers is full of warps, and where values need more, up to the next number
// that lets fewer warps in (of 198 kernels of the reference suite and bench/silicon/lowering 23 take exactly
// 32, one 40, one 48, and few a number between them). Where the kernel says how large blocks are, that is the
// next number that lets fewer blocks in: with 56 and with 64 registers an SM holds four blocks of 256 threads
// (gemm_reg4x4, ampere_simt and sgemm_cp4 take 63, 63 and 64 where 56 would do). Beyond 80 it stays near what
// values need: of 38 kernels of public programs and of machine learning with 90 to 250 registers, four take
// 96, one 128, seven 168, which their directives leave them, and the others numbers between those at which
// fewer warps fit. Where .minnctapersm says how many blocks an SM is to hold, it fills all that leaves room
// for them (a filter of 48 taps: 48 registers without it, 80 for 3 blocks of 128 threads, 64 for 8; a
// transformed convolution 40 and 66; of 60 kernels none takes fewer with it).
#include <algorithm>
#include <initializer_list>
#include <map>

#include "ptx/machine/node_questions.h"
#include "ptx/machine/ready_queue.h"
#include "ptx/machine/schedule.h"

namespace gpuloom::ptx {

namespace {

constexpr uint32_t kMostRegisters = 255;  // that an instruction can name beside RZ
// An order that saves registers may be so much longer. Of ptxas's kernels softmax_online (1.01), hgemm_simt
// (1.00) and gemm_s8_requant (1.035) take the fewer registers, gemm_128x64x8 (1.39) and gemm_tf32_ldsm (1.12)
// do not.
constexpr double kMostLonger = 1.04;
// It may be longer where it then keeps to the first step, with which the SM is full of warps: filters of
// 15 x 15 for sm_75 and sm_86 (1.09 to 1.47) take the first step, two of them for sm_86 (1.54, 1.62) do not.
constexpr double kMostLongerThatFills = 1.5;
// The same with values that are made again: cumsum_rows (1.09) takes it, swiglu_bwd (4.3) does not. That
// winograd_2x2 for sm_86 (1.25) takes it is left aside.
constexpr double kMostLongerMadeAgain = 1.1;
// With more registers nothing else is done for fewer: of 254 in gemm_bf16_edges and 225 in ampere_f16 it
// would save 54 and 33, and ptxas leaves them.
constexpr uint32_t kMostSaved = 168;
// By so many registers the limit of values that are not made again is lowered where those left do not fit.
constexpr std::initializer_list<uint32_t> kMoreMadeAgain = {0, 4, 12, 24}, kNoneMadeAgain = {0};
constexpr uint32_t kUniformRegisters = 63;  // beside URZ
// Beyond 80 registers ptxas takes such numbers where two blocks fit (gemm_bf16_128 126, llm.c's
// matmul_forward 128), but not where four do (ampere_batched, gemm_s8_128x128: 96 and 101), or where one does
// (Liger's group norm: 64).
constexpr uint32_t kMostForBlocks = 80, kFewestBlocks = 2;
constexpr uint32_t kFarTooMany = 4;  // times the registers, of values that no allocation makes fit
// Limits between a schedule that fits and its target are tried one by one, or halved where blocks are long.
constexpr size_t kFewWalked = 4, kOperationsWalked = 64000;
constexpr uint32_t kTries = 8;  // alignment may waste registers: aim lower

// Allocates at one target after another, where something has changed since.
class Allocation {
 public:
  Allocation(Graph& g, const Scheduler& scheduler)
      : g_(g), scheduler_(scheduler), facts_(allocation_facts(g)) {}

  uint32_t operator()(uint32_t target) {
    if (scheduler_.orders() == orders_ && target == target_) return used_;
    used_ = allocate_registers(g_, facts_, target);
    orders_ = scheduler_.orders();
    target_ = target;
    return used_;
  }

 private:
  Graph& g_;
  const Scheduler& scheduler_;
  AllocationFacts facts_;
  uint32_t orders_ = 0, target_ = 0, used_ = 0;
};

// A schedule whose values keep `less` below `target` fits. The one that keeps the least below and fits has
// the most room for early loads: puts the graph in that order; returns how many registers it takes. Far from
// the target the orders between are halved and not walked through.
uint32_t loosen(const Graph& g, Scheduler& scheduler, Allocation& allocate, uint32_t target, uint32_t less,
                uint32_t used) {
  size_t longest = 1;
  for (const std::vector<Node>& nodes : g.blocks) longest = std::max(longest, nodes.size());
  const size_t walked = std::max(kFewWalked, kOperationsWalked / longest);
  const auto keeping = [&](uint32_t below) {
    scheduler.run(target - std::min(target - 1, below));
    return allocate(target);
  };
  uint32_t too_little = kNotForValues - 1;  // below the target: that does not fit
  while (less > too_little + 1) {
    const uint32_t far = less - too_little - 1;
    const uint32_t next = far > walked ? less - far / 2 : less - 1;
    const uint32_t more = keeping(next);
    if (more <= target) {
      used = more;
      less = next;
    } else if (next + 1 == less) {
      return keeping(less);
    } else {
      too_little = next;
    }
  }
  return used;
}

// The most registers with which an SM holds as many blocks as with `registers`, where the kernel says how
// large they are.
uint32_t for_as_many_blocks(const Graph& g, uint32_t registers) {
  const MachineModel& model = *g.model;
  const uint64_t threads = (g.program->functions[0].function->directives.block_threads() + 31) / 32 * 32;
  const uint64_t blocks = threads == 0 ? 0 : model.file_registers / (threads * registers);
  if (blocks < kFewestBlocks || registers > kMostForBlocks) return registers;
  const uint64_t most = model.file_registers / (threads * blocks);
  return static_cast<uint32_t>(most / model.register_unit * model.register_unit);
}

// The first step of registers from `first_step` on that holds the values.
uint32_t first_that_fits(Graph& g, Scheduler& scheduler, Allocation& allocate, uint32_t first_step,
                         uint32_t most) {
  uint32_t least = UINT32_MAX, least_at = 0;  // the fewest registers so far, and the limit that gave them
  uint32_t needed = 0;  // what the values take at least, where that is more than the first step has
  const bool fills = g.program->functions[0].function->directives.minnctapersm != 0;
  uint32_t wasted = 0;  // by alignment, at the best limit of the last step: the next begins lower
  const LoweringProfile& profile = g.model->profile;
  uint32_t last = 0;
  for (uint32_t step = first_step;; step += profile.register_step) {
    const uint32_t target = std::min({for_as_many_blocks(g, step), most, kMostRegisters});
    if (target == last) continue;
    last = target;
    if (target < std::min(most, kMostRegisters) &&
        (fills || (target < needed + kNotForValues && needed != 0)))
      continue;
    const uint32_t first = kNotForValues + wasted - std::min(wasted, kTries / 2);
    uint32_t waste = UINT32_MAX;
    for (uint32_t less = first; less < first + kTries; ++less) {
      const uint32_t limit = target - std::min(target - 1, less);
      const uint32_t peak = scheduler.run(limit, kFarTooMany * target);
      const bool far_too_many = peak > kFarTooMany * target;
      const uint32_t used = far_too_many ? peak : allocate(target);
      if (used < least) {
        least = used;
        least_at = limit;
      }
      if (used <= target) return less > first ? used : loosen(g, scheduler, allocate, target, less, used);
      if (!far_too_many) waste = std::min(waste, used - std::min(used, limit + kNotForValues));
      if (peak > limit + less - kNotForValues) {  // the values alone do not fit
        if (needed == 0) needed = peak;
        break;
      }
    }
    if (waste != UINT32_MAX) wasted = waste;
    if (target == most || target == kMostRegisters) break;
  }
  scheduler.run(least_at);
  return allocate(least);
}

struct Fit {
  uint32_t used = 0;  // registers
  double length = 0;  // of the order (Scheduler::length)
};

Fit plainly(Graph& g, uint32_t most) {
  Scheduler scheduler(g, false);
  Allocation allocate(g, scheduler);
  const uint32_t used = first_that_fits(g, scheduler, allocate, g.model->profile.first_registers, most);
  return {used, scheduler.length()};
}

// Whether the order needs more constants at a time than there are uniform registers: those of a filter whose
// rows are summed at once for several results (for sm_90 ptxas leaves them 152 to 255 registers, for sm_86,
// where arithmetic reads the constant bank, 40).
bool lacks_uniform_registers(const Graph& g) {
  for (const std::vector<Node>& nodes : g.blocks) {
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> spans;  // by constant: its first and its last use
    for (const Node& n : nodes) {
      if (!is_constant_load(n.op) || !n.uniform) continue;
      for (const uint32_t v : n.defs) spans[v] = {kNoNode, 0};
    }
    if (spans.size() <= kUniformRegisters) continue;
    for (uint32_t k = 0; k < nodes.size(); ++k) {
      for (const uint32_t v : nodes[k].uses) {
        const auto span = spans.find(v);
        if (span != spans.end()) span->second = {std::min(span->second.first, k), k};
      }
    }
    std::vector<int> change(nodes.size() + 1, 0);
    for (const auto& [v, span] : spans) {
      if (span.first == kNoNode) continue;
      change[span.first] += static_cast<int>(g.registers[v].words);
      change[span.second + 1] -= static_cast<int>(g.registers[v].words);
    }
    int alive = 0;
    for (const int c : change) {
      alive += c;
      if (alive > static_cast<int>(kUniformRegisters)) return true;
    }
  }
  return false;
}

uint32_t step_below(const LoweringProfile& profile, uint32_t registers) {
  const uint32_t first = profile.first_registers, each = profile.register_step;
  return registers <= first ? first : first + (registers - first - 1) / each * each;
}

// In an order of at most `below` registers that saves them and does not take much longer than `plain`;
// nothing used: there is none.
Fit fit_below(Graph& g, const Fit& plain, uint32_t below, uint32_t most, bool again) {
  const LoweringProfile& profile = g.model->profile;
  const bool must_fill = plain.used > kMostSaved;
  // The step below the one that may do says how much alignment wastes. Each try goes on from the order of the
  // one before it.
  uint32_t step = profile.first_registers;
  while (step <= below) {
    Scheduler scheduler(g, true);
    Allocation allocate(g, scheduler);
    step = std::max(step, step_below(profile, scheduler.least() + kNotForValues));
    if (step > below || (must_fill && step > profile.first_registers)) break;
    const uint32_t used = first_that_fits(g, scheduler, allocate, step, most);
    const double length = scheduler.length();
    const double most_to_fill = again ? kMostLongerMadeAgain : kMostLongerThatFills;
    const double most_longer = used <= profile.first_registers ? most_to_fill : kMostLonger;
    if (used <= below && length <= most_longer * plain.length && !lacks_uniform_registers(g))
      return {used, length};
    step = std::max(step, step_below(profile, used)) + profile.register_step;
  }
  return {};
}

// With fewer registers than `plain` takes, by orders that save them, and with `again` by values that are made
// where they are needed: so many that the others fit, and more where the order of those takes more registers.
// Where that takes much longer the graph stays as it is, and so does `plain`.
Fit save(Graph& g, const Fit& plain, uint32_t most, bool again) {
  const LoweringProfile& profile = g.model->profile;
  if (plain.used <= profile.first_registers || (plain.used > kMostSaved && again)) return plain;
  const uint32_t below = step_below(profile, plain.used);
  const auto blocks = g.blocks;
  const auto registers = g.registers;
  for (const uint32_t more : again ? kMoreMadeAgain : kNoneMadeAgain) {
    if (again && !rematerialize_sums(g, below - kNotForValues - more)) break;
    if (const Fit fit = fit_below(g, plain, below, most, again); fit.used != 0) return fit;
    g.blocks = blocks;
    g.registers = registers;
  }
  g.blocks = blocks;
  g.registers = registers;
  return plain;
}

// In an order of `most` registers where `fit` takes more, if there is one: values on the stack cost two
// accesses each. For sm_75 ptxas puts nothing of the filters of 15 x 15 on the stack; that for sm_80 and
// later it does so with three of fifteen (372 to 1,180 bytes) is left aside.
Fit without_spills(Graph& g, const Fit& fit, uint32_t most) {
  if (fit.used <= most) return fit;
  const auto blocks = g.blocks;
  Scheduler scheduler(g, true);
  if (scheduler.least() + kNotForValues <= most) {
    Allocation allocate(g, scheduler);
    const uint32_t used = first_that_fits(g, scheduler, allocate, most, most);
    if (used <= most) return {used, scheduler.length()};
  }
  g.blocks = blocks;
  return fit;
}

}  // namespace

uint32_t schedule_and_allocate(Graph& g, uint32_t most) {
  Fit fit = plainly(g, most);
  fit = save(g, fit, most, false);
  fit = save(g, fit, most, true);
  return without_spills(g, fit, most).used;
}

}  // namespace gpuloom::ptx
