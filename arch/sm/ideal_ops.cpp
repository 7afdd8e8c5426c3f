// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/ideal_ops.h"

#include <algorithm>

namespace gpuloom::arch {
namespace {

using ptx::OpClass;

// It takes effect when its turn comes, and neither issue nor pipe nor queue know of it.
void make_costless(OpInfo& i) {
  i.costless = true;
  if (i.memory) return;
  i.pipe = i.also = i.holds = Pipe::kNone;
  if (!i.queued) return;
  i.queued = false;
  i.action = Action::kPlain;
}

// The data is there when its turn comes, and no unit is asked for it.
void leave_out(OpInfo& i) {
  i.costless = true;
  i.queued = false;
  i.action = Action::kPlain;
  i.latency = 1;
}

// The pipe and the times of another operation.
void take_times(const SmConfig& config, OpClass of, OpInfo& i) {
  const Operation& row = config.operation(of);
  i.pipe = row.pipe;
  i.also = row.also;
  i.latency = row.latency;
  i.stall = static_cast<uint8_t>(std::min<unsigned>(i.stall, std::max<unsigned>(1, row.latency)));
  i.interval = row.interval;
}

void idealize_written(const SmConfig& config, OpInfo& i) {
  const IdealConfig& ideal = config.ideal;
  const ptx::TimeRecord& record = *i.record;
  if (ideal.division && record.divides && !i.memory) make_costless(i);
  if (ideal.conversions && record.converts) make_costless(i);
  if (ideal.exchanges && ptx::is(i.op, ptx::kExchanges)) make_costless(i);
  if (ideal.loop_overhead && record.counts_loop) make_costless(i);
  if (ideal.functions && record.in_function) make_costless(i);
  if (ideal.functions && record.is_function) take_times(config, OpClass::mufu, i);
  if (ideal.calls && record.calls) make_costless(i);
  if (ideal.calls && record.finds_callee) leave_out(i);
  if (ideal.wide_integers && record.wide_integer) make_costless(i);
  if (ideal.common_work && record.common) i.memory ? leave_out(i) : make_costless(i);
  if (ideal.reloads && record.loads_again) leave_out(i);
  // What the L1 has stays there.
  if (ideal.fences && record.fence_alone && i.op == OpClass::ccctl) make_costless(i);
}

}  // namespace

bool reads_spared_work(const IdealConfig& i) {
  return i.division || i.conversions || i.loop_overhead || i.functions || i.calls || i.wide_integers ||
         i.common_work || i.reloads || i.fences || i.shared_loads;
}

void idealize(const SmConfig& config, OpInfo& i) {
  if (config.ideal.dependences) i.stall = 1;
  if (config.ideal.local_memory && (i.op == OpClass::ldl || i.op == OpClass::stl)) {
    i.costless = i.frame;  // a spill is an instruction that nobody has written
    i.queued = false;      // it issues, and asks nobody for anything
    i.action = Action::kPlain;
    i.frame = false;
    i.latency = 1;
  }
  if (config.ideal.double_precision && i.pipe == Pipe::kFp64) take_times(config, OpClass::ffma, i);
  if (config.ideal.double_precision && i.op == OpClass::f2f64) i.costless = true;
  idealize_written(config, i);
  if (!config.pipes[static_cast<size_t>(i.pipe)].ideal) return;
  i.interval = 1;
  i.queue_time = 0;
  i.matrix_gap = 0;
  i.holds = Pipe::kNone;
}

void add_joined_loads(KernelContext& kernel) {
  if (std::none_of(kernel.ops.begin(), kernel.ops.end(), [](const OpInfo& i) { return i.record->in_run; }))
    return;
  kernel.joined = kernel.ops;
  for (OpInfo& i : kernel.joined) {
    if (!i.record->in_run) continue;
    if (i.record->run_bytes != 0) {
      i.lane_bytes = i.record->run_bytes;
      continue;
    }
    i.costless = true;
    i.queued = false;
    i.action = Action::kPlain;
  }
}

}  // namespace gpuloom::arch
