// SPDX-License-Identifier: Apache-2.0
#include "arch/lowering_config.h"

#include "base/config/config_view.h"

namespace gpuloom::arch {

namespace {

constexpr uint64_t kBankBytes = 4096;  // of what a launch brings
constexpr uint32_t kMostUnits = 10'000, kMostRegisters = 255;

ptx::ConstantBank read_constant_bank(const ConfigView& view) {
  ptx::ConstantBank bank;
  const auto offset = [&](std::string_view key) {
    return static_cast<uint16_t>(view.size_bytes(key, 0, kBankBytes));
  };
  bank.block_size = offset("block_size");
  bank.stack_pointer = offset("stack_pointer");
  bank.descriptor = offset("descriptor");
  bank.parameters = offset("parameters");
  return bank;
}

// Reads keys of the group, from none to so many cycles; `at` is who does, for `gpuloom config show`.
auto cycles_of(const ConfigView& view, uint32_t most, ReadAt at = ReadAt::current()) {
  return [&view, most, at](std::string_view key) {
    return static_cast<uint16_t>(view.cycles(key, 0, most, at));
  };
}

ptx::UnitSpacing read_spacing(const ConfigView& view) {
  constexpr uint32_t kMost = 200;
  ptx::UnitSpacing spacing;
  const auto cycles = cycles_of(view, kMost);
  spacing.memory = cycles("memory");
  spacing.special = cycles("special");
  spacing.constant = cycles("constant");
  spacing.f64 = cycles("f64");
  spacing.matrix = cycles("matrix");
  return spacing;
}

ptx::SettlingTimes read_settling(const ConfigView& view) {
  constexpr uint32_t kMost = 50;
  ptx::SettlingTimes settling;
  const auto cycles = cycles_of(view, kMost);
  settling.registers = cycles("registers");
  settling.uniform = cycles("uniform");
  settling.constant = cycles("constant");
  settling.overwritten = cycles("overwritten");
  return settling;
}

ptx::EmptyLoads read_empty_loads(const ConfigView& view) {
  constexpr uint32_t kMost = 100;
  ptx::EmptyLoads loads;
  loads.before_copy = static_cast<uint16_t>(view.count("before_copy", 0, kMost));
  loads.each_block = view.boolean("each_block");
  loads.before_fence = static_cast<uint16_t>(view.count("before_fence", 0, kMost));
  loads.shuffles = static_cast<uint16_t>(view.count("shuffles", 0, kMost));
  loads.nops = static_cast<uint16_t>(view.count("nops", 0, kMost));
  return loads;
}

ptx::YieldHabits read_yield(const ConfigView& view) {
  constexpr uint32_t kMost = 1000;
  ptx::YieldHabits yield;
  const auto cycles = cycles_of(view, kMost);
  yield.fixed_stall = cycles("fixed_stall");
  yield.second_stall = cycles("second_stall");
  yield.run = cycles("run");
  yield.any_stall = cycles("any_stall");
  return yield;
}

ptx::IndexedHabits read_indexed(const ConfigView& view) {
  constexpr double kMostCost = 1e3, kMostTurns = 1e6;
  ptx::IndexedHabits habits;
  habits.words = view.count("words", 0, kMostUnits);
  habits.access = view.number("access", 0, kMostCost);
  habits.word = view.number("word", 0, kMostCost);
  habits.memory = view.number("memory", 0, kMostCost);
  habits.loop = view.number("loop", 1, kMostTurns);
  habits.nested = view.number("nested", 1, kMostTurns);
  return habits;
}

ptx::Habits read_habits(const ConfigView& unroll, const ConfigView& predicate) {
  ptx::Habits habits;
  habits.unroll.units = unroll.count("units", 0, kMostUnits);
  habits.unroll.units_per_shared = unroll.count("units_per_shared", 0, kMostUnits);
  habits.unroll.units_most = unroll.count("units_most", 0, kMostUnits);
  habits.unroll.units_with_global = unroll.count("units_with_global", 0, kMostUnits);
  habits.predicate.skipped = predicate.count("skipped", 0, kMostUnits);
  habits.predicate.skipped_loads = predicate.count("skipped_loads", 0, kMostUnits);
  habits.predicate.one_side = predicate.count("one_side", 0, kMostUnits);
  return habits;
}

}  // namespace

ptx::LoweringProfile read_lowering(const ConfigView& view) {
  ptx::LoweringProfile p;
  p.name = view.text("profile");
  p.habits = read_habits(view.child("unroll"), view.child("predicate"));
  p.habits.indexed = read_indexed(view.child("indexed"));
  p.constant_bank = read_constant_bank(view.child("constant_bank"));
  p.constant_operands = view.boolean("constant_operands");
  p.shared_window = view.boolean("shared_window");
  p.scaled_addresses = view.boolean("scaled_addresses");
  p.parameter_in_one_file = view.boolean("parameter_in_one_file");
  p.uniform_datapath = view.boolean("uniform_datapath");
  p.clears_barrier = view.boolean("clears_barrier");
  p.minimum_of_sum = view.boolean("minimum_of_sum");
  p.balances_pipes = view.boolean("balances_pipes");
  p.spacing = read_spacing(view.child("spacing"));
  p.settling = read_settling(view.child("settling"));
  p.empty_loads = read_empty_loads(view.child("empty_loads"));
  p.yield = read_yield(view.child("yield"));
  const ConfigView registers = view.child("registers");
  p.least_registers = registers.count("least", 1, kMostRegisters);
  p.first_registers = registers.count("first", 1, kMostRegisters);
  p.register_step = registers.count("step", 1, kMostRegisters);
  return p;
}

}  // namespace gpuloom::arch
