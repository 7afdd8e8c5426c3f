// SPDX-License-Identifier: Apache-2.0
// Switches of `ideal`: each takes away its own mechanism, nothing else, and no output changes. Kernels are
// written so that a repaired twin differs in a parameter alone, and takes the very cycles that the switch
// says.
#include <cmath>

#include "tests/behaviour/ideal_runs.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using namespace gpuloom::tests;

namespace {
// A load of global memory, `a` bytes from lane to lane, `warp` from warp to warp, `b` from round to round.
std::string global_loads(const std::string& warp) {
  return loop(" mul.lo.u32 %r9, %r7, %r1; shr.u32 %r10, %r22, 5; mad.lo.u32 %r9, %r10, " + warp +
              ", %r9;\n"
              " mad.lo.u32 %r9, %r5, %r2, %r9; cvt.u64.u32 %rd3, %r9; add.u64 %rd3, %rd2, %rd3;\n"
              " ld.global.u32 %r11, [%rd3]; add.u32 %r6, %r6, %r11;");
}
const std::string kGlobal = global_loads("4096");
// Two paths of 16 dependent additions, chosen by bit `a` of the thread.
std::string two_paths() {
  std::string left, right;
  for (int i = 0; i < 48; ++i) {
    left += " mad.lo.u32 %r6, %r6, 3, 1;";
    right += " mad.lo.u32 %r6, %r6, 5, 2;";
  }
  return loop(" shr.u32 %r9, %r4, %r1; and.b32 %r9, %r9, 1; setp.eq.u32 %p2, %r9, 0; @%p2 bra A;\n" + left +
              "\n bra.uni E;\nA:\n" + right + "\nE:\n");
}
// `atomic` behind `before`, by lanes whose number has none of the bits of `a`.
std::string additions(const std::string& atomic, const std::string& before = "") {
  return loop(" and.b32 %r9, %r7, %r1; setp.eq.u32 %p2, %r9, 0; mov.f32 %f1, 0f3f800000;\n " + before +
              " @%p2 " + atomic + ";\n");
}
const std::vector<std::string>& all_switches() {
  static const std::vector<std::string> kAll = {"bank_conflicts",
                                                "coalescing",
                                                "atomics",
                                                "combined_atomics",
                                                "local_memory",
                                                "l1",
                                                "l2",
                                                "l2_capacity",
                                                "dram_latency",
                                                "dram_bandwidth",
                                                "copies",
                                                "barriers",
                                                "divergence",
                                                "partial_warps",
                                                "fences",
                                                "constants",
                                                "uncached_loads",
                                                "shared_loads",
                                                "data_passes",
                                                "reloads",
                                                "division",
                                                "conversions",
                                                "exchanges",
                                                "functions",
                                                "calls",
                                                "lone_threads",
                                                "common_work",
                                                "wide_integers",
                                                "prologue",
                                                "slices",
                                                "loop_overhead",
                                                "double_precision",
                                                "dependences",
                                                "issue",
                                                "instruction_fetch",
                                                "launch",
                                                "tail",
                                                "pipes.alu",
                                                "pipes.fma_heavy",
                                                "pipes.fma_lite",
                                                "pipes.half",
                                                "pipes.fp64",
                                                "pipes.xu",
                                                "pipes.tensor",
                                                "pipes.uniform",
                                                "pipes.branch",
                                                "pipes.lsu",
                                                "pipes.adu",
                                                "pipes.tex",
                                                "occupancy.registers",
                                                "occupancy.shared",
                                                "occupancy.warps",
                                                "occupancy.blocks"};
  return kAll;
}

}  // namespace

TEST_CASE("Without bank conflicts a conflicted kernel takes the cycles of its padded twin",
          "[behaviour][ideal]") {
  const Run conflicted{.a = 128}, padded{.a = 132};
  const double twin = cycles(kShared, padded);
  CHECK(cycles(kShared, conflicted) > 2 * twin);
  CHECK(cycles(kShared, {.on = {"bank_conflicts"}, .a = 128}) == twin);
  CHECK(cycles(kShared, {.on = {"bank_conflicts"}, .a = 132}) == twin);
  CHECK(outcome(kShared, {.on = {"bank_conflicts"}, .a = 128}).conflicts == 0);
}

TEST_CASE("With ideal coalescing a column takes the cycles of a row of the transposed matrix",
          "[behaviour][ideal]") {
  // Rows of 128 bytes are columns of a tile of 1,024 of them, which has as many elements in a row.
  const std::string transposed = global_loads("128");
  const double columns = cycles(transposed, {.a = 4, .b = 4096});
  CHECK(cycles(kGlobal, {.on = {"coalescing"}, .a = 128, .b = 4}) == columns);
  const double first = cycles(transposed, {.a = 4, .b = 1024, .rounds = 4});  // of four times as many rows
  CHECK(cycles(kGlobal, {.a = 128, .b = 32768, .rounds = 4}) > 1.2 * first);
  CHECK(cycles(kGlobal, {.on = {"coalescing"}, .a = 128, .b = 32768, .rounds = 4}) == first);
  const double row = cycles(kGlobal, {.a = 4, .b = 128});
  CHECK(cycles(kGlobal, {.on = {"coalescing"}, .a = 4, .b = 128}) == row);
}

TEST_CASE("With an ideal L1 new lines take the time of lines that are there", "[behaviour][ideal]") {
  const double same = cycles(kGlobal, {.on = {"l1"}, .a = 4, .b = 0});
  CHECK(cycles(kGlobal, {.on = {"l1"}, .a = 4, .b = 128}) == same);
  CHECK(cycles(kGlobal, {.a = 4, .b = 128}) > 2 * same);
}

TEST_CASE("With an ideal L2 nothing is read from memory", "[behaviour][ideal]") {
  const Outcome plain = outcome(kGlobal, {.a = 4, .b = 128}),
                ideal = outcome(kGlobal, {.on = {"l2"}, .a = 4, .b = 128});
  CHECK(plain.dram_read > 0);
  CHECK(ideal.dram_read == 0);
  CHECK(ideal.cycles < plain.cycles);
}

TEST_CASE("Ideal latency and ideal bandwidth of memory save time each, and together more",
          "[behaviour][ideal]") {
  const Run many{.a = 4, .b = 128, .rounds = 32, .threads = 1024};
  const double plain = cycles(kGlobal, many);
  Run latency = many, bandwidth = many, both = many;
  latency.on = {"dram_latency"};
  bandwidth.on = {"dram_bandwidth"};
  both.on = {"dram_latency", "dram_bandwidth"};
  CHECK(cycles(kGlobal, latency) < plain);
  CHECK(cycles(kGlobal, bandwidth) < plain);
  CHECK(cycles(kGlobal, both) <= cycles(kGlobal, latency));
  CHECK(cycles(kGlobal, both) < cycles(kGlobal, bandwidth));
}

TEST_CASE("Without divergence two paths in a warp take the time of two warps with a path each",
          "[behaviour][ideal]") {
  const std::string text = two_paths();
  const double apart = cycles(text, {.a = 5}), mixed = cycles(text, {.a = 0});
  CHECK(mixed > 1.5 * apart);
  CHECK(std::fabs(cycles(text, {.on = {"divergence"}, .a = 0}) / apart - 1) < 0.1);
  CHECK(cycles(text, {.on = {"divergence"}, .a = 5}) == apart);
  CHECK(outcome(text, {.on = {"divergence"}, .a = 0}).values == outcome(text, {.a = 0}).values);
}

TEST_CASE("Without dependences a chain of products issues one after another", "[behaviour][ideal]") {
  const std::string text = chain();
  const double plain = cycles(text, {.rounds = 64, .threads = 32}),
               ideal = cycles(text, {.on = {"dependences"}, .rounds = 64, .threads = 32});
  CHECK(plain - ideal > 64 * 32 * 1.5);  // a product waits four cycles for the one before
  CHECK(ideal > 64 * 32);                // each still has a turn
}

TEST_CASE("Ideal issue lets all warps of a sub-core go at once", "[behaviour][ideal]") {
  const std::string text = loop(" add.u32 %r6, %r6, %r4; xor.b32 %r10, %r4, %r5; add.u32 %r11, %r10, %r6;");
  const double one = cycles(text, {.on = {"issue"}, .rounds = 200, .threads = 128});
  CHECK(cycles(text, {.on = {"issue", "pipes.alu"}, .rounds = 200, .threads = 1024}) <
        cycles(text, {.rounds = 200, .threads = 1024}));
  CHECK(one == cycles(text, {.rounds = 200, .threads = 128}));  // a warp in each sub-core waits for nobody
}

TEST_CASE("Switches of memory do not change a kernel that only computes", "[behaviour][ideal]") {
  const std::string text = chain();
  const double plain = cycles(text, {});
  for (const char* key : {"bank_conflicts",
                          "coalescing",
                          "atomics",
                          "combined_atomics",
                          "local_memory",
                          "copies",
                          "barriers",
                          "divergence",
                          "partial_warps",
                          "fences",
                          "constants",
                          "uncached_loads",
                          "shared_loads",
                          "reloads",
                          "data_passes",
                          "division",
                          "conversions",
                          "functions",
                          "calls",
                          "lone_threads",
                          "wide_integers",
                          "slices",
                          "exchanges",
                          "pipes.fp64",
                          "pipes.xu",
                          "pipes.tensor",
                          "pipes.half",
                          "pipes.tex",
                          "occupancy.registers",
                          "occupancy.shared",
                          "occupancy.warps",
                          "occupancy.blocks"}) {
    INFO(key);
    CHECK(cycles(text, {.on = {key}}) == plain);
  }
}

TEST_CASE("An ideal launch takes away what comes before and after the blocks", "[behaviour][ideal]") {
  const std::string text = kHead + " ret;\n}\n";
  CHECK(cycles(text, {.on = {"launch"}}) < cycles(text, {}) - 100);  // tiny's launch.overhead_cycles
}

TEST_CASE("An ideal tail ends a grid when its SMs would end together", "[behaviour][ideal]") {
  // Three blocks on two SMs: one of them works twice as long as the other.
  const double plain = planted_cycles("tail", ""), ideal = planted_cycles("tail", "tail");
  CHECK(ideal < 0.8 * plain);
  CHECK(ideal > 0.7 * plain);
}

TEST_CASE(
    "Ideal pipes, atomics, local memory, copies, fetch, barriers and occupancy save what their defect costs",
    "[behaviour][ideal]") {
  const std::pair<const char*, const char*> pairs[] = {{"double_literal", "double_precision"},
                                                       {"precise_functions", "pipes.xu"},
                                                       {"atomic_word", "atomics"},
                                                       {"atomic_word", "combined_atomics"},
                                                       {"local_array", "local_memory"},
                                                       {"shallow_pipeline", "copies"},
                                                       {"code_too_long", "instruction_fetch"},
                                                       {"barrier_each_step", "barriers"},
                                                       {"barrier_imbalance", "barriers"},
                                                       {"shared_limits", "occupancy.shared"},
                                                       {"small_blocks", "occupancy.blocks"},
                                                       {"register_limits", "occupancy.registers"}};
  for (const auto& [name, key] : pairs) {
    INFO(name << " with " << key);
    CHECK(planted_cycles(name, key) < planted_cycles(name, "") * 0.95);
  }
}

TEST_CASE("With combined atomics a warp that adds all the time takes what its first lane's additions do",
          "[behaviour][ideal]") {
  const std::string text = additions("red.global.add.f32 [%rd2], %f1");
  const Outcome all = outcome(text, {}), combined = outcome(text, {.on = {"combined_atomics"}});
  CHECK(combined.cycles < all.cycles / 2);
  CHECK(combined.cycles == cycles(text, {.on = {"combined_atomics"}, .a = 31}));
  CHECK(combined.reduced_sectors == 8);  // of two blocks of four warps
  CHECK(all.reduced_sectors == 8 * 32);
}

TEST_CASE("With room for all in L2 only what it has never held is read from memory", "[behaviour][ideal]") {
  const ReportKernel plain = planted("l2_thrash", ""), roomy = planted("l2_thrash", "l2_capacity");
  const double bytes = 1 << 20;  // that the kernel passes over, four times what tiny's L2 holds
  CHECK(plain.find("dram__bytes_read.sum")->value > 2.5 * bytes);
  CHECK(roomy.find("dram__bytes_read.sum")->value < 1.05 * bytes);
  CHECK(roomy.find("dram__bytes_read.sum")->value >= bytes);
  CHECK(roomy.find("sm__cycles_elapsed.max")->value < 0.9 * plain.find("sm__cycles_elapsed.max")->value);
  const Run once{.a = 4, .b = 128};  // what fits, and is read once
  Run once_roomy = once;
  once_roomy.on = {"l2_capacity"};
  CHECK(cycles(kGlobal, once_roomy) == cycles(kGlobal, once));
}

TEST_CASE("Atomics of which none can be combined take what they do", "[behaviour][ideal]") {
  const std::string exchange = additions("atom.global.exch.b32 %r6, [%rd2], %r4");
  CHECK(cycles(exchange, {.on = {"combined_atomics"}, .rounds = 4}) == cycles(exchange, {.rounds = 4}));
  const std::string own = additions(  // a word for each lane and round
      "red.global.add.u32 [%rd3], 1",
      "mad.lo.u32 %r12, %r5, 1024, %r22; mul.wide.u32 %rd3, %r12, 4; add.u64 %rd3, %rd2, %rd3;");
  CHECK(cycles(own, {.on = {"combined_atomics"}}) == cycles(own, {}));
}

TEST_CASE("Without fences a kernel takes what it does without the instruction, and orders all the same",
          "[behaviour][ideal]") {
  const std::string stores =
      " mul.wide.u32 %rd3, %r22, 4; add.u64 %rd3, %rd2, %rd3; st.global.u32 [%rd3], %r5;\n";
  const double without = cycles(loop(stores), {});
  const std::string fenced = loop(stores + " membar.gl;\n");
  CHECK(cycles(fenced, {}) > 4 * without);
  // Nearly all of what the fences cost: their places in the schedule stay.
  CHECK(cycles(fenced, {.on = {"fences"}}) - without < 0.1 * (cycles(fenced, {}) - without));
  CHECK(cycles(loop(stores), {.on = {"fences"}}) == without);
  // A reduction that has not taken effect is what the fence is for: it is waited for as ever.
  const std::string reduced = loop(" red.global.add.u32 [%rd2], 1; membar.gl;\n");
  CHECK(cycles(reduced, {.on = {"fences"}, .rounds = 4}) > 4 * 200);
}

TEST_CASE("With ideal constants lanes that index apart take the time of lanes that index alike",
          "[behaviour][ideal]") {
  const std::string table = ".visible .const .align 4 .b32 table[64];\n";
  const std::string text = loop(
      " mul.lo.u32 %r9, %r7, %r1; mov.u32 %r10, table; add.u32 %r9, %r9, %r10;\n"
      " ld.const.u32 %r11, [%r9]; add.u32 %r6, %r6, %r11;");
  const size_t at = text.find(".visible .entry");
  REQUIRE(at != std::string::npos);
  const std::string indexed = text.substr(0, at) + table + text.substr(at);
  const double alike = cycles(indexed, {.a = 0});
  CHECK(cycles(indexed, {.a = 4}) > 2 * alike);
  CHECK(cycles(indexed, {.on = {"constants"}, .a = 4}) == cycles(indexed, {.on = {"constants"}, .a = 0}));
  CHECK(cycles(indexed, {.on = {"constants"}, .a = 0}) == alike);
}

TEST_CASE("With ideal copies bulk copies are there when they begin, and ask for the same bytes",
          "[behaviour][ideal]") {
  const ReportKernel plain = planted("unseen/small_bulk_copies", ""),
                     ideal = planted("unseen/small_bulk_copies", "copies");
  CHECK(ideal.find("sm__cycles_elapsed.max")->value < 0.7 * plain.find("sm__cycles_elapsed.max")->value);
  CHECK(ideal.find("lts__t_sectors_op_read.sum")->value == plain.find("lts__t_sectors_op_read.sum")->value);
}

TEST_CASE("No switch changes what a kernel computes", "[behaviour][ideal]") {
  const auto check = [](const std::string& name, const std::vector<std::string>& keys) {
    const LaunchFile file = planted_file(name);
    const auto outputs = [&](const std::vector<std::string>& overrides) {
      Simulator gpu({.config = file.config, .overrides = overrides});
      return gpu.run(file).outputs[0].fnv1a64;
    };
    const uint64_t plain = outputs({});
    for (const std::string& key : keys) {
      INFO(name << " with " << key);
      CHECK(outputs({"ideal." + key + "=true"}) == plain);
    }
  };
  for (const char* name : {"double_literal", "atomic_line", "divergent_loop", "shallow_pipeline"})
    check(name, all_switches());
  check("unseen/fence_each_step", {"fences", "loop_overhead", "dependences"});
  check("unseen/small_bulk_copies", {"copies", "shared_loads", "loop_overhead", "dependences"});
  check("unseen/volatile_table", {"uncached_loads", "l1", "dependences"});
  check("unseen/shared_words", {"shared_loads", "bank_conflicts", "loop_overhead"});
  check("unseen/modulo_each_step", {"division", "conversions", "issue"});
  check("unseen/constant_lanes", {"constants", "l1", "issue"});
  check("unseen/early_exit", {"partial_warps", "divergence", "loop_overhead"});
  check("unseen/shuffled_sum", {"exchanges", "dependences", "issue"});
  check("unseen3/reloaded_factors", {"reloads", "data_passes", "l1"});
  check("unseen3/small_tiles", {"data_passes", "reloads", "shared_loads"});
}

TEST_CASE("A result says which switches were on", "[behaviour][ideal]") {
  const LaunchFile file = read_launch_file(tests::in_tree("/tests/explain/kernels/one_chain.yaml"));
  Simulator gpu({.config = file.config, .overrides = {"ideal.l1=true"}});
  const RunReport run = gpu.run(file);
  REQUIRE(run.provenance.changes.size() == 1);
  CHECK(run.provenance.changes[0].key == "ideal.l1");
  CHECK(run.provenance.changes[0].to == "true");
}
