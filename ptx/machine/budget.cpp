// SPDX-License-Identifier: Apache-2.0
// How many registers a schedule may use. ptxas fills a kernel with early loads up to 32 registers a thread,
// at which an SM of 65,536 registers is full of warps, and where values need more, up to the next number
// that lets fewer warps in (of 198 kernels of the reference suite and bench/silicon/lowering 23 take exactly
// 32, one 40, one 48, and few a number between them). Beyond 80 it stays near what values need: of 38 kernels
// of public programs and of machine learning with 90 to 250 registers, four take 96, one 128, seven 168,
// which their directives leave them, and the others numbers between those at which fewer warps fit. It does
// not save registers at any price: where the order gets too long, it takes more (kLongest). Where
// .minnctapersm says how many blocks an SM is to hold, it fills all that leaves room for them (a filter of 48
// taps: 48 registers without it, 80 for 3 blocks of 128 threads, 64 for 8; a transformed convolution 40 and
// 66; of 60 kernels none takes fewer with it).
#include <algorithm>

#include "ptx/machine/schedule.h"

namespace gpuloom::ptx {

namespace {

constexpr uint32_t kMostRegisters = 255;  // that an instruction can name beside RZ
constexpr uint32_t kNotForValues = 3;     // the stack pointer and two hidden ones (allocate.cpp)
constexpr uint32_t kTries = 8;            // alignment may waste registers: aim lower

// A limit is too tight where code takes longer than so many times what it takes without a limit. Up to 80
// registers each step lets fewer warps in, and ptxas gives 40 registers instead of 32 where that takes 2.51
// to 5.2 times as long (splitk_sum, swiglu_bwd of bench/silicon/ml), 56 instead of 48 at 5.2
// (layer_norm_bwd_dwdb), and does with 32 at 2.2 (dropout_seeded) and 48 at 2.1 (linear_recurrence). Beyond,
// it does not let loads wait for each other either. Estimated: from 1.2 to 2 as many of 206 kernels of
// machine learning, but for four, come within 15 % of ptxas; those at 1.5 to 3 are 12 to 80 % too slow
// (gemm_persistent, gemm_bf16_odd, gemm_fp8e5_64x128, ampere_attention).
constexpr uint32_t kDense = 80;
constexpr double kLongest = 2.5, kLongestBeyond = 1.4;

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

// Finds the limit.
class Budget {
 public:
  Budget(Graph& g, uint32_t most)
      : scheduler_(g),
        allocate_(g, scheduler_),
        profile_(g.model->profile),
        fills_(g.program->functions[0].function->directives.minnctapersm != 0),
        most_(std::min(most, kMostRegisters)) {}

  // Puts the graph in order; returns how many registers it takes.
  uint32_t run() {
    Fit last;
    for (uint32_t step = profile_.first_registers;; step += profile_.register_step) {
      const uint32_t target = std::min(step, most_);
      const bool possible = !fills_ && target >= scheduler_.least() + kNotForValues;
      if (target < most_ && !possible) continue;
      if (const Fit fit = find_fit(target); fit.used != 0) {
        if (target == most_ || is_short_enough(target)) return loosen(fit);
        last = fit;
      }
      if (target == most_) break;
    }
    if (last.used != 0) return loosen(last);
    scheduler_.run(least_at_);
    return allocate_(least_);
  }

 private:
  // A schedule whose values keep `less` below the target; `used`: what it takes, 0 where it does not fit.
  struct Fit {
    uint32_t target = 0, less = 0, used = 0;
    bool loose = false;  // fewer might do
  };

  bool is_short_enough(uint32_t target) {
    if (target <= kDense) return scheduler_.stretch(Scheduler::Far::kNear) <= kLongest;
    return std::max(scheduler_.stretch(Scheduler::Far::kNear), scheduler_.stretch(Scheduler::Far::kFar)) <=
           kLongestBeyond;
  }

  uint32_t run_below(const Fit& fit) {
    scheduler_.run(fit.target - std::min(fit.target - 1, fit.less));
    return allocate_(fit.target);
  }

  Fit find_fit(uint32_t target) {
    const uint32_t first = kNotForValues + wasted_ - std::min(wasted_, kTries / 2);
    uint32_t waste = UINT32_MAX;
    for (uint32_t less = first; less < first + kTries; ++less) {
      const uint32_t limit = target - std::min(target - 1, less);
      const uint32_t peak = scheduler_.run(limit);
      const uint32_t used = allocate_(target);
      if (used < least_) {
        least_ = used;
        least_at_ = limit;
      }
      if (used <= target) return {target, less, used, less == first};
      waste = std::min(waste, used - std::min(used, std::max(peak, limit) + kNotForValues));
      if (peak > limit + less - kNotForValues) break;  // the values alone do not fit
    }
    if (waste != UINT32_MAX) wasted_ = waste;
    return {};
  }

  // The schedule that keeps the least below the target and fits has the most room for early loads.
  uint32_t loosen(Fit fit) {
    uint32_t used = run_below(fit);
    while (fit.loose && fit.less > kNotForValues) {
      --fit.less;
      const uint32_t more = run_below(fit);
      if (more > fit.target) {
        ++fit.less;
        return run_below(fit);
      }
      used = more;
    }
    return used;
  }

  Scheduler scheduler_;
  Allocation allocate_;
  const LoweringProfile& profile_;
  bool fills_;
  uint32_t most_;
  uint32_t least_ = UINT32_MAX, least_at_ = 0;  // the fewest registers so far, and the limit that gave them
  uint32_t wasted_ = 0;  // by alignment, at the best limit of the last step: the next begins lower
};

}  // namespace

uint32_t schedule_and_allocate(Graph& g, uint32_t most) { return Budget(g, most).run(); }

}  // namespace gpuloom::ptx
