// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/config.h"

#include <cmath>
#include <string>

#include "arch/policy/reading.h"
#include "base/config/config_view.h"
#include "base/config/nearest_sizes.h"
#include "base/text.h"

namespace gpuloom::arch {
namespace {

uint32_t bytes32(const ConfigView& view, std::string_view key, uint64_t min = 0,
                 ReadAt at = ReadAt::current()) {
  return static_cast<uint32_t>(view.size_bytes(key, min, uint64_t{1} << 31, at));
}

uint16_t cycles16(const ConfigView& view, std::string_view key, ReadAt at = ReadAt::current()) {
  return static_cast<uint16_t>(view.cycles(key, 0, 60000, at));
}

Pipe read_pipe(const ConfigView& view, std::string_view key, ReadAt at = ReadAt::current()) {
  const std::vector<std::string> words(kPipeNames.begin(), kPipeNames.end());
  return static_cast<Pipe>(view.choice_index(key, words, at));
}

InstructionCache read_cache(const ConfigView& view, uint32_t line_min) {
  InstructionCache c;
  c.size = bytes32(view, "size", line_min);
  c.line = bytes32(view, "line", line_min);
  c.ways = view.count("ways", 1, 64);
  view.power_of_two("line", c.line);
  if (c.line && c.size % (c.line * c.ways) != 0)
    view.problem("size", "must be a multiple of ways times line",
                 nearest_sizes(c.size, uint64_t{c.line} * c.ways));
  return c;
}

FetchConfig read_fetch(const ConfigView& view) {
  FetchConfig f;
  f.instruction_bytes = view.count("instruction_bytes", 4, 64);
  const ConfigView l0 = view.child("l0_icache"), l1 = view.child("l1_icache");
  f.l0 = read_cache(l0, 32);
  f.l0_prefetch_lines = l0.count("prefetch_lines", 0, 64);
  f.l1 = read_cache(l1, 32);
  f.l1.latency = l1.cycles("latency", 0, 10000);
  f.l1_bytes_per_cycle = l1.bytes_per_cycle("bytes_per_cycle");
  if (l1.has("prefetch_lines")) f.l1_prefetch_lines = l1.count("prefetch_lines", 0, 64);
  if (const ConfigView gpc = view.optional_child("gpc_icache"); gpc.present()) {
    f.gpc.cache = read_cache(gpc, f.l1.line);
    f.gpc.cache.latency = gpc.cycles("latency", 0, 10000);
    f.gpc.bytes_per_cycle = gpc.bytes_per_cycle("bytes_per_cycle");
  }
  f.l0_fill_interval = l0.cycles("fill_interval", 1, 1000);
  f.l2_latency = view.cycles("l2_latency", 0, 100000);
  f.memory_latency = view.cycles("memory_latency", 0, 100000);
  const ConfigView preload = view.child("preload");
  f.preload_bytes = bytes32(preload, "size");
  f.preload_latency = preload.cycles("latency", 0, 100000);
  f.preload_interval = preload.cycles("interval", 0, 1000);
  f.warp_start = view.cycles("warp_start", 0, 1000);
  f.warp_interval = view.cycles("warp_interval", 0, 1000);
  if (f.l0.line != f.l1.line) l1.problem("line", "must equal the line of l0_icache");
  return f;
}

// A hint: the operation class that was meant.
std::string near_class(const std::string& word, bool primitive) {
  std::vector<std::string> known;
  for (size_t i = 0; i < kOpClasses; ++i)
    if (const auto& about = info(static_cast<ptx::OpClass>(i)); !primitive || !about.composite())
      known.emplace_back(about.name);
  const std::string near = did_you_mean(word, known);
  return near.empty() ? "see ptx/isa/table/op_class.h" : near;
}

void read_sequence(const ConfigView& row, Operation& out) {
  for (const std::string& word : row.texts("sequence")) {
    const ptx::OpClass part = ptx::op_class_named(word);
    if (part == ptx::OpClass::count || info(part).composite())
      row.problem("sequence", "'" + word + "' is not a primitive operation class", near_class(word, true));
    else
      out.sequence.push_back(part);
  }
}

// What takes no machine work has a row because every class has one.
void note_unused(const ConfigView& row, ptx::OpClass op) {
  if (op != ptx::OpClass::none) return;
  for (const char* key : {"pipe", "latency", "interval"})
    row.information(key, "what takes no machine work never issues");
}

void read_operation(const ConfigView& row, ptx::OpClass op, Operation& out) {
  if (info(op).composite()) {
    read_sequence(row, out);
    if (row.has("divisor_steps"))
      out.divisor_steps = static_cast<uint8_t>(row.count("divisor_steps", 0, out.sequence.size()));
    if (row.has("slow_path")) out.slow_path = static_cast<uint8_t>(row.count("slow_path", 0, 64));
    return;
  }
  out.pipe = read_pipe(row, "pipe");
  out.latency = cycles16(row, "latency");
  out.interval = cycles16(row, "interval");
  if (row.has("interval_f32")) out.interval_f32 = cycles16(row, "interval_f32");
  note_unused(row, op);
  if (row.has("also")) out.also = read_pipe(row, "also");
  if (row.has("holds")) out.holds = read_pipe(row, "holds");
  // What an instruction of the class becomes where the hardware does not have it (QMMA of 9.0).
  if (row.has("sequence"))
    read_sequence(row, out);
  else
    out.sequence = {op};
}

void read_operations(const ConfigView& view, SmConfig& sm) {
  std::array<bool, kOpClasses> seen{};
  for (const auto& [word, row] : view.children("operations")) {
    const ptx::OpClass op = ptx::op_class_named(word);
    if (op == ptx::OpClass::count) {
      row.problem(kSelf, "'" + word + "' is not an operation class", near_class(word, false));
      continue;
    }
    seen[static_cast<size_t>(op)] = true;
    read_operation(row, op, sm.operations[static_cast<size_t>(op)]);
  }
  for (size_t i = 0; i < kOpClasses; ++i)
    if (!seen[i])
      view.problem(
          "operations",
          "no row for operation class '" + std::string(info(static_cast<ptx::OpClass>(i)).name) + "'",
          "add one to configs/cc");
}

LsuConfig read_memory(const ConfigView& view) {
  LsuConfig m;
  m.queue_entries = view.count("queue_entries", 1, 1024);
  m.latch_entries = view.count("latch_entries", 0, 16);
  m.input_entries = view.count("input_entries", 1, 1024);
  m.address_interval = view.cycles("address_interval", 1, 64);
  m.issue_interval = view.cycles("issue_interval", 1, 64);
  m.bits64_extra = view.cycles("bits64_extra", 0, 64);
  m.bits128_extra = view.cycles("bits128_extra", 0, 64);
  m.outstanding_requests = view.count("outstanding_requests", 1, 65536);
  m.stage_backlog = view.cycles("stage_backlog", 0, 10000);
  return m;
}

L1Config read_l1(const ConfigView& view) {
  L1Config c;
  c.size = bytes32(view, "size", kLineBytes);
  if (view.size_bytes("line") != kLineBytes) view.problem("line", "only 128 B lines are modelled");
  if (view.size_bytes("sector") != kSectorBytes) view.problem("sector", "only 32 B sectors are modelled");
  c.sets = view.count("sets", 1, 65536);
  view.power_of_two("sets", c.sets);
  c.replacement = read_policy<policy::Replacement>(view, "replacement", "replacement");
  view.one_of("write_policy", {"write_through"});
  c.mshrs = view.count("mshrs", 1, 65536);
  c.tags_per_cycle = view.count("tags_per_cycle", 1, 32);
  c.sectors_per_cycle = view.count("sectors_per_cycle", 1, 128);
  c.tag_bank_low = view.count("tag_bank_low", 0, 65535);
  c.tag_bank_high = view.count("tag_bank_high", 0, 65535);
  c.bytes_per_cycle = view.bytes_per_cycle("bytes_per_cycle");
  c.write_lines = view.count("write_lines", 1, 1024);
  c.join_base = view.cycles("join_base", 0, 1000);
  c.join_cycles = view.cycles("join_cycles", 0, 1000);
  return c;
}

WgmmaConfig read_wgmma(const ConfigView& view) {
  WgmmaConfig w;
  w.columns_per_cycle = view.count("columns_per_cycle", 1, 256);
  w.shared_setup = view.cycles("shared_setup", 0, 1000);
  w.shared_columns_per_cycle = view.count("shared_columns_per_cycle", 1, 256);
  w.register_extra = view.cycles("register_extra", 0, 1000);
  w.register_least = view.cycles("register_least", 0, 1000);
  w.shared_latency = view.cycles("shared_latency", 0, 1000);
  w.register_latency = view.cycles("register_latency", 0, 1000);
  w.queue = view.count("queue", 0, 64);
  w.issue_columns_per_cycle = view.count("issue_columns_per_cycle", 1, 256);
  w.issue_saves = view.cycles("issue_saves", 0, 256);
  return w;
}

BranchConfig read_branch(const ConfigView& view) {
  BranchConfig b;
  b.not_taken = view.cycles("not_taken", 1, 1000);
  b.taken = view.cycles("taken", 1, 1000);
  b.other_lanes = view.cycles("other_lanes", 0, 1000);
  b.through_register = view.cycles("through_register", 1, 1000);
  b.converge = view.cycles("converge", 1, 1000);
  b.sync = view.cycles("sync", 1, 1000);
  b.sync_mask = view.cycles("sync_mask", 0, 1000);
  b.split = view.cycles("split", 1, 1000);
  b.split_turn = view.cycles("split_turn", 0, 1000);
  return b;
}

BarrierConfig read_barrier(const ConfigView& view) {
  BarrierConfig b;
  b.latency = view.cycles("latency");
  b.per_warp = view.cycles("per_warp");
  b.cluster_latency = view.cycles("cluster_latency");
  b.suspend_cycles = view.cycles("suspend_cycles", 1);
  b.fence_gpu = view.cycles("fence_gpu");
  b.fence_sys = view.cycles("fence_sys");
  b.fence_release = view.cycles("fence_release");
  b.fence_written = view.cycles("fence_written");
  b.fence_drain = view.cycles("fence_drain");
  b.fence_hold = view.cycles("fence_hold");
  b.fence_ask = view.cycles("fence_ask", 0, 100000);
  b.fence_interval = view.cycles("fence_interval");
  b.fences_together = view.count("fences_together", 1, 64);
  return b;
}

RegisterFileConfig read_registers(const ConfigView& view) {
  RegisterFileConfig r;
  r.banks = view.count("banks", 1, 16);
  r.read_ports = view.count("read_ports", 1, 4);
  r.read_cycles = view.count("read_cycles", 1, 16);
  r.reuse_entries = view.count("reuse_entries", 0, 4);
  return r;
}

void read_pipes(const ConfigView& view, SmConfig& sm) {
  for (size_t p = 0; p < kPipes; ++p) {
    const ConfigView pipe = view.child(kPipeNames[p]);
    sm.pipes[p].shared = pipe.boolean("shared");
    sm.pipes[p].variable = pipe.one_of("result", {"fixed", "variable"}) == "variable";
    sm.pipes[p].queue = pipe.has("queue") ? pipe.count("queue", 0, 64) : 0;
    if (sm.pipes[p].queue != 0 && (sm.pipes[p].shared || !sm.pipes[p].variable))
      pipe.problem("queue", "only a pipe of a sub-core with results of variable latency has one");
  }
}

SharedMemoryConfig read_shared(const ConfigView& view) {
  SharedMemoryConfig c;
  c.banks = view.count("banks", 1, 128);
  c.bank_bytes = view.count("bank_bytes", 4, 16);
  c.atomic_interval = view.cycles("atomic_interval", 1, 1000);
  c.pass_interval = view.cycles("pass_interval", 1, 64);
  c.return_interval = view.cycles("return_interval", 1, 64);
  c.ordering_pass = view.cycles("ordering_pass", 1, 1000);
  c.copy_extra = view.cycles("copy_extra", 0, 1000);
  c.generic_atomic_latency = view.cycles("generic_atomic_latency", 1, 1000);
  c.remote_atomic_latency = view.cycles("remote_atomic_latency", 0, 1000);
  view.power_of_two("banks", c.banks);
  view.power_of_two("bank_bytes", c.bank_bytes);
  return c;
}

ConstantConfig read_constant(const ConfigView& view) {
  ConstantConfig c;
  c.l0 = read_cache(view.child("l0"), 16);
  c.l1 = read_cache(view.child("l1"), 16);
  c.l1.latency = view.child("l1").cycles("latency", 0, 10000);
  c.replay_latency = view.cycles("replay_latency", 0, 1000);
  c.replay_interval = view.cycles("replay_interval", 0, 1000);
  c.fill_latency = view.cycles("fill_latency", 0, 10000);
  c.fill_interval = view.cycles("fill_interval", 0, 1000);
  c.line_interval = view.cycles("line_interval", 1, 1000);
  return c;
}

TmaConfig read_tma(const ConfigView& view) {
  TmaConfig t;
  t.start_latency = view.cycles("start_latency", 0, 100000);
  t.request_interval = view.cycles("request_interval", 1, 1000);
  t.tensor_latency = view.cycles("tensor_latency", 0, 100000);
  t.turn = view.cycles("turn", 0, 100000);
  t.write_buffer = bytes32(view, "write_buffer", 0);
  t.writes = view.count("writes", 1, 65536);
  t.write_latency = view.cycles("write_latency", 1, 100000);
  t.map_fetch = view.cycles("map_fetch", 0, 100000);
  t.map_acquire = view.cycles("map_acquire", 0, 100000);
  return t;
}

}  // namespace

LimitsConfig read_limits(const ConfigView& view) {
  LimitsConfig l;
  l.threads_per_block = view.count("threads_per_block", 32, 1024);
  l.warps_per_sm = view.count("warps_per_sm", 1, kMostWarps);
  l.blocks_per_sm = view.count("blocks_per_sm", 1, 64);
  l.barriers_per_block = view.count("barriers_per_block", 1, 16);
  l.barriers_per_sm = view.count("barriers_per_sm", 0, 1024);
  l.registers_per_sm = view.count("registers_per_sm", 1024);
  l.registers_per_block = view.count("registers_per_block", 1024);
  l.registers_per_thread = view.count("registers_per_thread", 16, 255);
  l.registers_asked_max = view.count("registers_asked_max", l.registers_per_thread, 256);
  l.register_allocation_unit = view.count("register_allocation_unit", 1);
  l.shared_per_block = bytes32(view, "shared_per_block");
  l.shared_per_block_optin = bytes32(view, "shared_per_block_optin");
  l.shared_per_sm = bytes32(view, "shared_per_sm");
  l.shared_reserved_per_block = bytes32(view, "shared_reserved_per_block");
  l.shared_allocation_unit = bytes32(view, "shared_allocation_unit", 1);
  for (uint64_t bytes : view.sizes_bytes("shared_carveouts")) {
    if (!l.shared_carveouts.empty() && bytes <= l.shared_carveouts.back())
      view.problem("shared_carveouts", "must be in ascending order", "sort them, and list each once");
    l.shared_carveouts.push_back(static_cast<uint32_t>(bytes));
  }
  if (l.shared_carveouts.empty()) l.shared_carveouts.push_back(l.shared_per_sm);
  const ConfigView room = view.child("carveout_room");
  l.carveout_room = {room.count("times", 1, 64), room.count("more", 0, 64), bytes32(room, "most"),
                     room.count("plain_times", 1, 64)};
  const auto grid = view.integers("grid", 1, INT32_MAX), block = view.integers("block", 1, 1024);
  if (grid.size() != 3) view.problem("grid", "needs three numbers", "for x, y and z");
  if (block.size() != 3) view.problem("block", "needs three numbers", "for x, y and z");
  for (size_t i = 0; i < 3; ++i) {
    l.grid[i] = i < grid.size() ? static_cast<uint32_t>(grid[i]) : 1;
    l.block[i] = i < block.size() ? static_cast<uint32_t>(block[i]) : 1;
  }
  l.grids_per_device = view.count("grids_per_device", 1);
  l.cluster_portable = view.count("cluster_portable", 0, 16);
  l.cluster_max = view.count("cluster_max", 0, 16);
  l.cluster_blocks_per_sm = view.count("cluster_blocks_per_sm", 1, 64);
  l.local_per_thread = bytes32(view, "local_per_thread");
  l.constant_bytes = bytes32(view, "constant_bytes");
  l.parameter_bytes = bytes32(view, "parameter_bytes", 8);
  return l;
}

SmConfig read_sm_config(const ConfigView& view, const LimitsConfig& limits) {
  SmConfig sm;
  sm.limits = limits;
  sm.sub_cores = view.count("sub_cores", 1, 8);
  if (limits.warps_per_sm % sm.sub_cores && view.sound("limits.warps_per_sm"))
    view.problem("sub_cores", "must divide limits.warps_per_sm",
                 "which is " + std::to_string(limits.warps_per_sm));
  if (limits.warps_per_sm / sm.sub_cores > 32)
    view.problem(
        "sub_cores", "a sub-core holds at most 32 warps",
        "take " + std::to_string((limits.warps_per_sm + 31) / 32) + " or more, or lower limits.warps_per_sm");
  sm.scheduler = read_policy<policy::Scheduler>(view, "scheduler", "scheduler");
  sm.scoreboards = view.count("scoreboards", 1, 6);
  sm.fetch = read_fetch(view.child("fetch"));
  sm.branch = read_branch(view.child("branch"));
  sm.registers = read_registers(view.child("registers"));
  const ConfigView dependence = view.child("dependence");
  sm.dependence.other_pipe_extra = dependence.cycles("other_pipe_extra", 0, 100);
  sm.dependence.memory_extra = dependence.cycles("memory_extra", 0, 100);
  sm.dependence.special_extra = dependence.cycles("special_extra", 0, 100);
  sm.dependence.guard_extra = dependence.cycles("guard_extra", 0, 100);
  sm.dependence.uniform_extra = dependence.cycles("uniform_extra", 0, 100);
  sm.dependence.uniform_memory_extra = dependence.cycles("uniform_memory_extra", 0, 100);
  read_pipes(view.child("pipes"), sm);
  read_operations(view, sm);
  sm.memory = read_memory(view.child("memory"));
  sm.match.value_latency = view.child("match").cycles("value_latency", 0, 1000);
  sm.shared = read_shared(view.child("shared"));
  sm.l1 = read_l1(view.child("l1"));
  sm.constant = read_constant(view.child("constant"));
  sm.barrier = read_barrier(view.child("barrier"));
  sm.wgmma = read_wgmma(view.child("wgmma"));
  sm.tma = read_tma(view.child("tma"));
  if (limits.shared_per_sm > sm.l1.size && sm.l1.size)
    view.problem("l1", "l1.size holds shared memory too and must be at least limits.shared_per_sm",
                 std::to_string(limits.shared_per_sm / 1024) + "KiB or more");
  return sm;
}

}  // namespace gpuloom::arch
