// SPDX-License-Identifier: Apache-2.0
// Every leaf key of a configuration acts: changing it changes a metric, a result or what is refused on at
// least one of the small launches in configuration_keys/, or kDeclared says why it cannot. Minutes of work,
// so a ctest of its own (configuration_keys_*) and hidden from a plain run of this program.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/config/config_schema.h"
#include "base/config/units.h"
#include "base/config/yaml_writer.h"
#include "base/text.h"
#include "sim/api/simulator.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;
namespace fs = std::filesystem;

namespace {

constexpr uint64_t kMaxCycles = 500'000;
constexpr unsigned kMaxSeconds = 60;  // of one run: what takes longer hangs

// --- Launches

struct Trial {
  std::string name;
  LaunchFile file;
};

// Straight code of more than the instruction caches hold, run twice: too long for a file of its own.
std::string long_code(size_t operations) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry code(.param .u64 out)\n{\n"
      "  .reg .b64 %rd<2>;\n  .reg .b32 %r<16>;\n  .reg .pred %p<2>;\n  ld.param.u64 %rd1, [out];\n"
      "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, 0;\n  mov.u32 %r3, %ctaid.x;\n"
      "  mov.u32 %r12, %nctaid.x;\n  shr.u32 %r12, %r12, 2;\n";  // two rounds, which nobody unrolls
  for (int i = 4; i < 12; ++i) text += "  mov.u32 %r" + std::to_string(i) + ", %tid.x;\n";
  text += "LOOP:\n";
  for (size_t i = 0; i < operations; ++i) {
    const std::string r = "%r" + std::to_string(4 + i % 8);
    text +=
        std::string(i / 8 % 2 == 0 ? "  add.u32 " : "  xor.b32 ") + r + ", " + r + ", %r3;\n";  // none join
  }
  for (int i = 4; i < 12; ++i) text += "  xor.b32 %r1, %r1, %r" + std::to_string(i) + ";\n";
  return text +
         "  add.u32 %r2, %r2, 1;\n  setp.lt.u32 %p1, %r2, %r12;\n  @%p1 bra LOOP;\n  st.global.u32 [%rd1], "
         "%r1;\n  ret;\n}\n";
}

Trial code_trial(const fs::path& folder, const char* name, size_t operations) {
  const std::string ptx = (folder / (std::string(name) + ".ptx")).string();
  std::ofstream(ptx) << long_code(operations);
  return {name, parse_launch_file("ptx: " + ptx +
                                      "\nbuffers: {out: {type: u32, count: 64, init: zero, output: true}}\n"
                                      "kernel: code\ngrid: [8]\nblock: [128]\nargs: [out]\n",
                                  name)};
}

std::vector<Trial> trials(const fs::path& scratch) {
  std::vector<Trial> all;
  for (const auto& entry : fs::directory_iterator(tests::in_tree("/tests/behaviour/configuration_keys")))
    if (entry.path().extension() == ".yaml")
      all.push_back({entry.path().stem().string(), read_launch_file(entry.path().string())});
  all.push_back(code_trial(scratch, "code", 9000));
  all.push_back(code_trial(scratch, "loop", 2600));
  return all;
}

// Everything that a user sees of a launch, or of its refusal, as text.
std::string outcome_of(const LaunchFile& file, const std::string& config,
                       const std::vector<std::string>& overrides) {
  try {
    Simulator gpu({.config = config, .overrides = overrides, .warn = [](const std::string&) {}});
    const RunReport run = gpu.run(file, {.max_cycles = kMaxCycles});
    std::string text;
    for (const ReportKernel& kernel : run.kernels) {
      for (const ReportMetric& m : kernel.metrics) text += m.name + "=" + format_number(m.value) + "\n";
      for (const auto& [reason, cycles] : kernel.stalls) text += reason + "=" + format_number(cycles) + "\n";
      for (const auto& [opcode, count] : kernel.opcodes) text += opcode + "=" + std::to_string(count) + "\n";
    }
    for (const ReportBuffer& b : run.outputs) text += b.name + "=" + std::to_string(b.fnv1a64) + "\n";
    return text;
  } catch (const Error& e) {
    return std::string("refused: ") + e.what() + "\n";
  }
}

// --- One key in a process of its own: a crash must not take the others along, and shows which key it was.

// Starts `work` in a process whose text goes to a file.
template <class Work>
pid_t begin_job(const Work& work, const std::string& file) {
  const pid_t pid = fork();
  REQUIRE(pid >= 0);
  if (pid != 0) return pid;
  for (const int s : {SIGALRM, SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) signal(s, SIG_DFL);  // not Catch2's
  std::ofstream(file, std::ios::binary) << work();
  _exit(0);
}

std::string result_of(const std::string& file, int status) {
  if (WIFSIGNALED(status)) return "crashed with signal " + std::to_string(WTERMSIG(status));
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Runs all, some at a time; results in order. `done` hears of each as it ends.
template <class Work, class Done>
std::vector<std::string> run_all(const fs::path& scratch, size_t count, const Work& work, const Done& done) {
  const size_t at_a_time = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
  std::map<pid_t, size_t> running;
  std::vector<std::string> results(count);
  const auto file = [&](size_t i) { return (scratch / ("job" + std::to_string(i))).string(); };
  for (size_t next = 0; next < count || !running.empty();) {
    if (next < count && running.size() < at_a_time) {
      running[begin_job([&] { return work(next); }, file(next))] = next;
      ++next;
      continue;
    }
    int status = 0;
    const auto ended = running.find(waitpid(-1, &status, 0));
    if (ended == running.end()) continue;
    const size_t i = ended->second;
    running.erase(ended);
    results[i] = result_of(file(i), status);
    done(i, results[i]);
  }
  return results;
}

// --- What to set a key to

std::string with_unit(const std::string& text, double factor, double plus) {
  const size_t digits = text.find_first_not_of("0123456789.");
  const double number = std::stod(text.substr(0, digits)) * factor + plus;
  const bool whole =
      text.find('.') == std::string::npos && number == static_cast<double>(static_cast<int64_t>(number));
  return (whole ? std::to_string(static_cast<int64_t>(number)) : format_number(number)) +
         (digits == std::string::npos ? "" : text.substr(digits));
}

// The least that the reader takes, in the unit that factors count from.
std::string least(const KeyRead& read) {
  const double min = std::isfinite(read.min) ? std::max(read.min, 0.0) : 0;
  return format_number(std::ceil(min)) + (read.units == nullptr ? "" : unit_names(*read.units).front());
}

// Much more, the least, much less, a little of either; what the reader refuses is passed over.
std::vector<std::string> candidates(const KeyRead& read, const std::string& path, const std::string& now) {
  if (read.kind == KeyKind::kBoolean || read.kind == KeyKind::kChoice) {
    std::vector<std::string> words = read.words;
    std::erase(words, now);
    return words;
  }
  if (read.kind == KeyKind::kText) {
    if (path.find(".sequence.") != std::string::npos) return {now == "imad" ? "dfma" : "imad", "mufu"};
    if (path == "compute_capability") return {"\"7.5\""};
    return {now == "sm_90" ? "sm_75" : "sm_70"};
  }
  const bool size = read.units == &kSizeUnits, limit = path.starts_with("limits.");
  std::vector<std::string> values;
  if (limit) values = {least(read), size ? with_unit(now, 1000, 0) : with_unit(now, 0, 1)};
  // What waits is hidden behind other waits if it is short.
  values.push_back(with_unit(now, size ? 4 : 16, read.units == &kCycleUnits ? 200 : 0));
  for (const std::string& v :
       {with_unit(now, 4, 0), least(read), with_unit(now, 0.0625, 0), with_unit(now, 0.5, 0),
        with_unit(now, 2, 0), with_unit(now, 1, 1), with_unit(now, 3, 50), with_unit(now, 0, 1)})
    values.push_back(v);
  std::vector<std::string> once;
  for (const std::string& v : values)
    if (v != now && std::find(once.begin(), once.end(), v) == once.end()) once.push_back(v);
  return once;
}

std::string list_text(const std::vector<int64_t>& values) {
  std::vector<std::string> words;
  for (const int64_t v : values) words.push_back(std::to_string(v));
  return "[" + join(words, ", ") + "]";
}

std::vector<int64_t> list_at(const Config& config, const char* key) {
  const ConfigNode* node = config.tree().find("gpc")->find(key);
  std::vector<int64_t> values;
  if (node != nullptr)
    for (const ConfigNode& child : node->children) values.push_back(std::stol(child.scalar));
  return values;
}

using Change = std::vector<std::string>;  // overrides

// Keys that change together with others or not at all.
std::vector<Change> together(const Config& config, const std::string& path) {
  std::vector<int64_t> sms = list_at(config, "sms"), groups = list_at(config, "cluster_groups");
  const bool grouped = !groups.empty();
  const auto change = [&](std::vector<int64_t> of_gpcs, std::vector<int64_t> of_groups) {
    Change c = {"gpc.sms=" + list_text(of_gpcs)};
    if (grouped) c.push_back("gpc.cluster_groups=" + list_text(of_groups));
    return c;
  };
  if (path == "gpc.count") {
    Change c = change({sms[0]}, {sms[0]});
    c.push_back("gpc.count=1");
    return {c};
  }
  if (path.starts_with("gpc.sms.")) {
    sms[std::stoul(path.substr(8))] -= 2;
    return {change(sms, sms)};
  }
  // A group is divided, or joined with its neighbour in the GPC.
  if (path.starts_with("gpc.cluster_groups.")) {
    const size_t i = std::stoul(path.substr(19));
    if (groups[i] > 2) {
      groups[i] -= 2;
      groups.insert(groups.begin() + static_cast<ptrdiff_t>(i), 2);
    } else {
      const size_t other = i + 1 < groups.size() ? i + 1 : i - 1;
      groups[other] += groups[i];
      groups.erase(groups.begin() + static_cast<ptrdiff_t>(i));
    }
    return {change(sms, groups)};
  }
  if (path == "l2.partitions") return {{"l2.partitions=1", "noc.far_partition_extra=0cycles"}};
  if (path == "sm.fetch.l0_icache.line" || path == "sm.fetch.l1_icache.line")
    return {{"sm.fetch.l0_icache.line=64B", "sm.fetch.l1_icache.line=64B"}};
  if (path == "sm.pipes.xu.result") return {{"sm.pipes.xu.result=fixed", "sm.pipes.xu.queue=0"}};
  if (path == "sm.pipes.xu.shared") return {{"sm.pipes.xu.shared=true", "sm.pipes.xu.queue=0"}};
  return {};
}

// Keys that show only where others are smaller than they are in products, and those others.
const std::map<std::string, Change> kWith = {
    {"dram.burst", {"dram.queue_entries=4", "l2.size=393216B"}},
    {"dram.queue_entries", {"l2.size=393216B"}},
    {"dram.timing.tWTR", {"l2.size=393216B"}},
    {"dram.timing.tRTW", {"l2.size=393216B"}},
    // Parameters of policies, where they are chosen.
    {"sm.two_level.group", {"sm.scheduler=two_level"}},
    {"sm.l1.srrip.bits", {"sm.l1.replacement=srrip"}},
    {"sm.l1.bip.one_in", {"sm.l1.replacement=bip"}},
    {"l2.srrip.bits", {"l2.replacement=srrip", "l2.size=393216B"}},
    {"l2.bip.one_in", {"l2.replacement=bip", "l2.size=393216B"}},
    {"l2.ipoly.degree", {"l2.hash=ipoly"}},
    {"l2.next_lines.degree", {"l2.prefetch=next_lines"}},
    {"l2.stride.entries", {"l2.prefetch=stride"}},
    {"l2.stride.distance", {"l2.prefetch=stride"}},
    {"dram.idle.nanoseconds", {"dram.page_policy=idle"}},
    {"gpc.tiles.width", {"gpc.order=tiles"}},
    {"gpc.tiles.height", {"gpc.order=tiles"}},
    {"l2.replacement", {"l2.size=393216B"}},
    {"l2.persisting_fraction", {"l2.size=393216B"}},
    {"sm.constant.l1.ways", {"sm.constant.l1.size=4KiB"}},
    {"sm.shared.ordering_pass", {"sm.shared.return_interval=8cycles"}},
};

// Keys that cannot show in a launch, by the machine on which that is so ("" for all). A `*` in a pattern
// stands for anything.
struct Declared {
  const char *machine, *key, *why;
};
constexpr const char* kNoResult =
    "it has no result that anything waits for; what it does has times of its own";
constexpr const char* kNoQueue = "it does not stand in the queue of its unit, where alone an interval counts";
const Declared kDeclared[] = {
    {"", "name", "names the machine in reports"},
    {"", "description", "names the machine in reports"},
    {"", "compute_capability",
     "names the capability in messages and reports; what runs is said by `targets`"},
    {"h200", "targets.0", "what runs for sm_90 runs for sm_90a too, which is the other target"},
    {"", "limits.registers_asked_max",
     "what `gpuloom occupancy` takes; a kernel never has more than registers_per_thread"},
    {"", "limits.cluster_blocks_per_sm", "what `gpuloom occupancy --cluster` counts; a launch counts itself"},
    {"", "limits.shared_carveouts.*", "a launch takes one of ten sizes; the test has not a launch for each"},
    {"", "limits.grids_per_device", "information"},
    {"", "launch.host_latency", "information"},
    {"", "launch.queues", "information"},
    {"", "host.*", "information"},
    {"", "l2.line", "only one size is modelled: another is refused"},
    {"", "l2.sector", "only one size is modelled: another is refused"},
    {"", "sm.l1.line", "only one size is modelled: another is refused"},
    {"", "sm.l1.sector", "only one size is modelled: another is refused"},
    {"", "sm.l1.write_policy", "only one is modelled: another is refused"},
    {"", "sm.operations.none.*", "what takes no machine work never issues"},
    {"h200", "sm.operations.qmma_16832.pipe", "9.0 has no QMMA: its sequence runs"},
    {"h200", "sm.operations.qmma_16832.latency", "9.0 has no QMMA: its sequence runs"},
    {"h200", "sm.operations.qmma_16832.interval", "9.0 has no QMMA: its sequence runs"},
    {"", "sm.operations.bmov.*",
     "stands where a called function keeps a convergence barrier over a call; no launch here has one"},
    {"", "sm.barrier.fence_release",
     "a release has a fence of its own in machine programs; this counts with --lowering none"},
    {"", "sm.barrier.suspend_cycles", "no wait of a launch here reaches its limit"},
    {"", "sm.operations.elect.latency", "no launch here waits for its predicate alone"},
    {"", "sm.operations.setmaxreg.interval", "no launch here has a branch right behind one"},
    {"", "sm.operations.ublkpf.interval", "no launch here has a copy right behind one"},
    {"", "sm.operations.stsm.latency", "no launch here overwrites its sources right behind one"},
    {"", "sm.operations.f2f.*", "no instruction is of this class"},
    {"", "sm.operations.wgmma.interval", "sm.wgmma says how long an operation holds the tensor cores"},
    {"", "sm.pipes.branch.result", "no operation of this pipe has a result"},
    {"h200", "sm.pipes.half.*", "no operation has this pipe as its first"},
    {"", "sm.operations.acqbulk.latency", kNoResult},
    {"", "sm.operations.bpt.latency", kNoResult},
    {"", "sm.operations.depbar.latency", kNoResult},
    {"", "sm.operations.ldgdepbar.latency", kNoResult},
    {"", "sm.operations.nop.latency", kNoResult},
    {"", "sm.operations.setmaxreg.latency", kNoResult},
    {"", "sm.operations.ublkpf.latency", kNoResult},
    {"", "sm.operations.ublkred.latency", kNoResult},
    {"", "sm.operations.ucgabar.latency", kNoResult},
    {"", "sm.operations.utmacmdflush.latency", kNoResult},
    {"", "sm.operations.warpgroup.latency", kNoResult},
    {"", "sm.operations.warpsync.latency", kNoResult},
    {"", "sm.operations.acqbulk.interval", kNoQueue},
    {"", "sm.operations.bar.interval", kNoQueue},
    {"", "sm.operations.depbar.interval", kNoQueue},
    {"", "sm.operations.fence_async.interval", kNoQueue},
    {"", "sm.operations.ldgdepbar.interval", kNoQueue},
    {"", "sm.operations.nanosleep.interval", kNoQueue},
    {"", "sm.operations.syncs.interval", kNoQueue},
    {"rtx4090", "sm.wgmma.*", "8.9 has no warpgroup products"},
    {"rtx4090", "sm.tma.*", "8.9 has no bulk copies"},
    {"rtx4090", "noc.cluster_*", "8.9 has no clusters"},
    {"rtx4090", "limits.cluster_*", "8.9 has no clusters"},
    {"rtx4090", "sm.barrier.cluster_latency", "8.9 has no clusters"},
    {"rtx4090", "sm.shared.remote_atomic_latency", "8.9 has no clusters"},
    {"rtx4090", "sm.operations.mapa.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.ucgabar.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.wgmma.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.warpgroup.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.ublkcp.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.ublkred.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.ublkpf.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.utma.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.utmacmdflush.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.elect.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.stsm.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.setmaxreg.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.acqbulk.*", "8.9 does not have the instruction"},
    {"rtx4090", "sm.operations.fence_async.*", "8.9 does not have the instruction"},
};

bool matches(std::string_view pattern, std::string_view key) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return key == pattern;
  return key.size() + 1 >= pattern.size() && key.starts_with(pattern.substr(0, star)) &&
         key.ends_with(pattern.substr(star + 1));
}

const Declared* declared(const std::string& machine, const std::string& key) {
  for (const Declared& d : kDeclared)
    if ((*d.machine == 0 || machine == d.machine) && matches(d.key, key)) return &d;
  return nullptr;
}

// --- Which launch to try first

int rank_of(const std::string& key, const std::string& trial) {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> kOrder = {
      {"limits.grid", {"shape", "memory", "hopper"}},
      {"limits.block", {"shape", "memory", "hopper"}},
      {"limits.cluster", {"hopper", "hopper_portable"}},
      {"limits.", {"memory", "hopper", "shape"}},
      {"sm.fetch.", {"integer", "memory", "loop", "code"}},
      {"sm.branch.", {"warps", "memory"}},
      {"sm.operations.h", {"floating", "matrix"}},
      {"sm.operations.",
       {"integer", "floating", "warps", "memory", "matrix", "hopper", "texture", "crowd", "hopper_tensor"}},
      {"sm.wgmma", {"hopper"}},
      {"sm.tma", {"hopper", "hopper_tensor"}},
      {"sm.l1.", {"memory", "reuse"}},
      {"sm.pipes.", {"floating", "integer", "warps", "memory", "texture", "crowd", "hopper_tensor"}},
      {"sm.", {"memory", "hopper", "warps", "integer"}},
      {"noc.cluster", {"hopper"}},
      {"gpc.", {"traffic", "memory"}},
      {"launch.", {"memory"}},
      {"", {"memory", "traffic", "window"}}};
  for (const auto& [prefix, order] : kOrder) {
    if (!key.starts_with(prefix)) continue;
    const auto at = std::find(order.begin(), order.end(), trial);
    if (at != order.end()) return static_cast<int>(at - order.begin());
    return trial == "window" ? 200 : trial == "traffic" ? 150 : trial == "code" ? 120 : 100;
  }
  return 100;
}

std::string first_difference(const std::string& before, const std::string& after) {
  const auto [a, b] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  const auto line = [](const std::string& text, size_t at) {
    const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return text.substr(begin, std::min(text.find('\n', begin), begin + 120) - begin);
  };
  return line(before, static_cast<size_t>(a - before.begin())) + " -> " +
         line(after, static_cast<size_t>(b - after.begin()));
}

struct Leaf {
  std::string path, value;
  KeyRead read;
};

std::vector<Leaf> leaves_of(const std::string& machine) {
  const Config config = Config::load(machine);
  arch::load_gpu_config(config.root());
  config.check();
  std::vector<Leaf> leaves;
  for (const std::string& line : split(config.canonical(), '\n')) {
    const size_t is = line.find(" = ");
    if (is == std::string::npos) continue;
    const std::string path = line.substr(0, is);
    const KeyRead* read = key_read(config, path);
    INFO(path);
    REQUIRE(read != nullptr);
    leaves.push_back({path, line.substr(is + 3), *read});
  }
  return leaves;
}

bool takes(const std::string& machine, const Change& change, std::string& refused) {
  try {
    const Config config = Config::load(machine, change);
    arch::load_gpu_config(config.root());
    config.check();
    return true;
  } catch (const Error& e) {
    refused = e.what();
    return false;
  }
}

// The changes to try: at most four that the readers take.
std::vector<Change> changes_of_key(const Leaf& leaf, const std::string& machine, std::string& refused) {
  const Config config = Config::load(machine);
  std::vector<Change> all = together(config, leaf.path), taken;
  for (const std::string& value : candidates(leaf.read, leaf.path, leaf.value))
    all.push_back({leaf.path + "=" + value});
  for (const Change& change : all)
    if (taken.size() < 4 && takes(machine, change, refused)) taken.push_back(change);
  return taken;
}

// What changes for the key: "launch: value: difference", or "" for nothing. A declared one is tried on short
// launches.
std::string effect_of(const Leaf& leaf, const std::string& machine, const std::vector<Trial>& all,
                      const std::map<std::string, std::string>& baseline) {
  const int most = declared(machine, leaf.path) == nullptr ? 1000 : 10;
  std::vector<const Trial*> order;
  for (const Trial& t : all)
    if (baseline.count(t.name) != 0 && rank_of(leaf.path, t.name) < most) order.push_back(&t);
  std::stable_sort(order.begin(), order.end(), [&](const Trial* x, const Trial* y) {
    return rank_of(leaf.path, x->name) < rank_of(leaf.path, y->name);
  });
  std::string refused;
  const std::vector<Change> changes = changes_of_key(leaf, machine, refused);
  if (changes.empty()) return "every change is refused: " + refused;
  const auto with = kWith.find(leaf.path);
  for (const Trial* t : order) {
    std::string before = baseline.at(t->name);
    if (with != kWith.end()) before = outcome_of(t->file, machine, with->second);
    for (Change change : changes) {
      if (with != kWith.end()) change.insert(change.begin(), with->second.begin(), with->second.end());
      alarm(kMaxSeconds);
      const std::string now = outcome_of(t->file, machine, change);
      alarm(0);
      if (now != before) return t->name + ": " + join(change, " ") + ": " + first_difference(before, now);
    }
  }
  return "";
}

// Whether somebody has asked for these minutes: Catch2's hidden tests run where a filter only leaves others
// out.
bool asked_for() {
  if (std::getenv("GPULOOM_CONFIGURATION_KEYS") != nullptr) return true;
  SUCCEED("set GPULOOM_CONFIGURATION_KEYS, as ctest -R configuration_keys does");
  return false;
}

void check_keys(const std::string& machine) {
  if (!asked_for()) return;
  const fs::path scratch = fs::temp_directory_path() / ("gpuloom_keys_" + std::to_string(getpid()));
  fs::create_directories(scratch);
  const std::vector<Trial> all = trials(scratch);
  const std::vector<std::string> first = run_all(
      scratch, all.size(), [&](size_t i) { return outcome_of(all[i].file, machine, {}); },
      [](size_t, const std::string&) {});
  std::map<std::string, std::string> baseline;
  for (size_t i = 0; i < all.size(); ++i) {
    // What only a later capability has is refused on an earlier one.
    if (first[i].starts_with("refused:") && all[i].name.starts_with("hopper") && machine != "h200") continue;
    INFO(all[i].name << ": " << first[i].substr(0, 300));
    REQUIRE_FALSE(first[i].starts_with("refused:"));
    REQUIRE_FALSE(first[i].starts_with("crashed"));
    baseline[all[i].name] = first[i];
  }
  std::vector<Leaf> leaves = leaves_of(machine);
  if (const char* only = std::getenv("GPULOOM_KEYS_ONLY"))
    std::erase_if(leaves, [&](const Leaf& l) { return !matches(only, l.path); });
  const char* wanted = std::getenv("GPULOOM_KEYS_LIST");
  std::ofstream list(wanted == nullptr ? "/dev/null" : wanted);
  const std::vector<std::string> effects = run_all(
      scratch, leaves.size(), [&](size_t i) { return effect_of(leaves[i], machine, all, baseline); },
      [&](size_t i, const std::string& effect) { list << leaves[i].path << ": " << effect << std::endl; });
  std::string silent, crashed, stale;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const std::string& key = leaves[i].path;
    const bool acts = !effects[i].empty() && !effects[i].starts_with("every change is refused");
    if (effects[i].starts_with("crashed")) crashed += "\n  " + key + ": " + effects[i];
    if (!acts && declared(machine, key) == nullptr) silent += "\n  " + key + ": " + effects[i];
    // A pattern may cover some that act.
    const Declared* why = declared(machine, key);
    const bool one_key = why != nullptr && std::string_view(why->key).find('*') == std::string_view::npos;
    if (acts && one_key) stale += "\n  " + key + ": " + effects[i];
  }
  fs::remove_all(scratch);
  INFO("keys whose change shows nowhere, and without a declared reason:" << silent);
  CHECK(silent.empty());
  INFO("keys whose change crashes the simulator:" << crashed);
  CHECK(crashed.empty());
  INFO("keys that are declared to do nothing, and act:" << stale);
  CHECK(stale.empty());
}

}  // namespace

TEST_CASE("Every key of h200 acts, or is declared not to", "[.][keys][keys_h200]") { check_keys("h200"); }

TEST_CASE("Every key of rtx4090 acts, or is declared not to", "[.][keys][keys_rtx4090]") {
  check_keys("rtx4090");
}
