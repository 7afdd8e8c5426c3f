// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/published_probe.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/config/units.h"
#include "base/error.h"
#include "ptx/exec/tensor_map_layout.h"
#include "sim/runtime/tensor_map.h"

namespace gpuloom::validation {
namespace {

const std::string& text(const ProbeWords& w, std::string_view key) {
  const auto at = w.find(key);
  if (at == w.end()) throw Error(ErrorKind::kInput, fmt::format("a probe lacks '{}'", key));
  return at->second;
}

double number_at(const ProbeWords& w, std::string_view key) {
  double value = 0;
  const std::string& t = text(w, key);
  if (!parse_number(t, value))
    throw Error(ErrorKind::kInput, fmt::format("'{}: {}' is not a number", key, t));
  return value;
}
double number_at(const ProbeWords& w, std::string_view key, double otherwise) {
  return w.contains(key) ? number_at(w, key) : otherwise;
}

uint64_t bytes(const ProbeWords& w, std::string_view key) {
  const Quantity q = parse_quantity(text(w, key), kSizeUnits);
  if (q.status != Quantity::Status::kOk)
    throw Error(ErrorKind::kInput, fmt::format("'{}: {}' is not a size", key, text(w, key)));
  return static_cast<uint64_t>(q.value);
}

// A figure's unit beside the base (cycles, seconds, bytes or operations a second).
double in_unit(double base, const std::string& unit, const arch::GpuConfig& gpu) {
  static const std::map<std::string, double, std::less<>> kFactors = {
      {"cycles", 1},      {"cycles/warp load", 1},
      {"GB/s", 1e-9},     {"GiB/s", 1.0 / (1ull << 30)},
      {"GFLOP/s", 1e-9},  {"GOP/s", 1e-9},
      {"TFLOP/s", 1e-12}, {"TOP/s", 1e-12},
      {"TIOP/s", 1e-12},  {"ms", 1e3},
      {"us", 1e6}};
  if (unit == "B/clk/SM") return base / gpu.clock_hz / gpu.sm_count();
  const auto at = kFactors.find(unit);
  if (at == kFactors.end()) throw Error(ErrorKind::kInput, "the unit '" + unit + "' is unknown");
  return base * at->second;
}

// Dynamic shared memory of a block of which `resident` fit an SM and one more does not; 0: no limit.
uint32_t spoiler_bytes(const arch::GpuConfig& gpu, uint64_t resident) {
  if (resident == 0) return 0;
  const uint64_t sm = gpu.sm.limits.shared_per_sm, unit = 256;
  const uint64_t reserved = gpu.sm.limits.shared_reserved_per_block;
  const uint64_t share = (sm / (resident + 1) / unit + 1) * unit;
  const uint64_t most = gpu.sm.limits.shared_per_block_optin;
  return static_cast<uint32_t>(std::min(share > reserved ? share - reserved : unit, most));
}

// The bytes of a map of rows of `columns` elements, in boxes of `box_rows` whole rows.
std::vector<uint8_t> map_of_rows(const ProbeWords& w, uint64_t address, uint64_t size) {
  sim::TensorMapSpec spec;
  if (!sim::tensor_element_named(text(w, "element"), spec.element))
    throw Error(ErrorKind::kInput, "'" + text(w, "element") + "' is not an element of a tensor map");
  spec.address = address;
  const auto columns = static_cast<uint64_t>(number_at(w, "columns"));
  spec.dims = {columns, size / static_cast<uint64_t>(number_at(w, "row_bytes"))};
  spec.box = {static_cast<uint32_t>(columns), static_cast<uint32_t>(number_at(w, "box_rows"))};
  const ptx::TensorMapWords map = ptx::pack_tensor_map(sim::encode_tensor_map(spec));
  const auto* begin = reinterpret_cast<const uint8_t*>(map.data());
  return {begin, begin + sizeof map};
}

constexpr double kLeastTurns = 37;  // of blocks that stay: several times what the deepest ring holds

}  // namespace

// Streams leave nothing behind that they read again, so they run with an L2 of 32 KiB a slice: a few MiB fill
// it with what they have written, as hundreds would fill the whole.
sim::Simulator& ProbeRunner::simulator(bool small_l2) {
  if (simulator_ && small_l2_ == small_l2) return *simulator_;
  modules_.clear();
  simulator_.reset();
  sim::DeviceOptions options;
  options.config = board_.config;
  options.overrides = board_.overrides;
  options.per_instruction = false;
  options.warn = [](const std::string&) {};
  if (small_l2) {
    const Config config = Config::load(board_.config, board_.overrides);
    const arch::GpuConfig gpu = arch::load_gpu_config(config.root());
    options.overrides.push_back(fmt::format("l2.size={}KiB", 32 * gpu.l2.slices));
    options.overrides.emplace_back("l2.persisting_max=0B");
  }
  simulator_ = std::make_unique<sim::Simulator>(options);
  small_l2_ = small_l2;
  return *simulator_;
}

sim::Kernel& ProbeRunner::kernel(const ProbeWords& w, std::string_view name) {
  const std::string path = kernels_ + "/" + text(w, "ptx");
  sim::LoadedModule*& module = modules_[path];
  if (module == nullptr) module = &simulator_->load(path);
  return module->kernel(name);
}

// Words of `args`: n (elements), turns, a letter for an array (of `footprint`, or of `bytes` an element),
// 'map' for a tensor map of such an array, 'out' for one of 1 MiB, another word of the probe, or a number;
// each as wide as its parameter.
double ProbeRunner::cycles_of(const ProbeWords& w, const Shape& shape) {
  sim::Simulator& gpu = simulator(number_at(w, "small_l2", 0) != 0);
  sim::Kernel& k = kernel(w, text(w, "kernel"));
  std::vector<sim::DevicePointer> arrays;
  const auto array = [&](uint64_t size) { return arrays.emplace_back(gpu.allocate(size)).address; };
  const auto size = [&] {
    return w.contains("footprint") ? bytes(w, "footprint")
                                   : shape.elements * static_cast<uint64_t>(number_at(w, "bytes")) + 4096;
  };
  const auto value_of = [&](const std::string& word) -> uint64_t {
    if (word == "n") return shape.elements;
    if (word == "turns") return shape.turns;
    if (word == "out") return array(1u << 20);
    if (word.size() == 1 && word[0] >= 'a' && word[0] <= 'z') return array(size());
    int64_t value = 0;
    if (!parse_integer(w.contains(word) ? text(w, word) : word, value))
      throw Error(ErrorKind::kInput, "'" + word + "' is not an argument of a probe");
    return static_cast<uint64_t>(value);
  };
  std::vector<std::vector<uint8_t>> args;
  std::istringstream words(text(w, "args"));
  for (std::string word; words >> word;) {
    if (args.size() == k.program->params.size())
      throw Error(ErrorKind::kInput, "args of '" + k.name() + "' are more than it takes");
    if (word == "map") {
      args.push_back(map_of_rows(w, array(size()), size()));
      continue;
    }
    const uint64_t value = value_of(word);
    const auto* begin = reinterpret_cast<const uint8_t*>(&value);
    args.emplace_back(begin, begin + k.program->params[args.size()].size_bytes);
  }
  sim::LaunchShape launch;
  launch.grid = {static_cast<uint32_t>(shape.blocks), static_cast<uint32_t>(shape.blocks_y)};
  launch.block = {static_cast<uint32_t>(number_at(w, "block")),
                  static_cast<uint32_t>(number_at(w, "block_y", 1))};
  launch.dynamic_shared_bytes =
      w.contains("shared")
          ? static_cast<uint32_t>(bytes(w, "shared"))
          : spoiler_bytes(gpu.device().gpu(), static_cast<uint64_t>(number_at(w, "resident", 0)));
  const ReportKernel run = gpu.launch_bytes(k, launch, args);
  for (const sim::DevicePointer& p : arrays) gpu.free(p);
  return run.find("sm__cycles_elapsed.max")->value;
}

double ProbeRunner::cycles_per_step(const ProbeWords& w) {
  sim::Simulator& gpu = simulator(false);
  const uint64_t footprint = bytes(w, "footprint");
  const uint32_t lines = static_cast<uint32_t>(footprint / 128),
                 warm = static_cast<uint32_t>(number_at(w, "warm"));
  const uint32_t steps = static_cast<uint32_t>(number_at(w, "steps"));
  const sim::DevicePointer chain = gpu.allocate(footprint), out = gpu.allocate(16);
  sim::LaunchShape shape{.grid = {lines >= 1u << 15 ? 64u : 1u}, .block = {256}};
  shape.options.functional = true;
  // A prime near the golden share of 2^32: neighbours in the order are far apart.
  const uint32_t multiplier = 2654435761u;
  gpu.launch(kernel(w, "link"), shape, chain, lines, multiplier);
  shape = {.grid = {1}, .block = {32}};
  gpu.launch(kernel(w, text(w, "kernel")), shape, chain, lines, multiplier, steps, warm, out);
  const double cycles = static_cast<double>(gpu.download<uint64_t>(out, 1)[0]);
  gpu.free(chain), gpu.free(out);
  return cycles / steps;
}

// The difference of a launch and one of twice the size: what a long one would show. One before both leaves L2
// full of what it has written, so that both write back as much as they write. Sizes grow by a block; where
// `blocks_per_sm` or `blocks` says how many blocks there are whatever the size, by a turn of all of them.
double ProbeRunner::stream_rate(const ProbeWords& words) {
  ProbeWords w = words;
  w.try_emplace("small_l2", "1");
  const arch::GpuConfig& gpu = simulator(true).device().gpu();
  const double element = number_at(w, "bytes") * number_at(w, "streams"), block = number_at(w, "block");
  const double resident = number_at(w, "resident", 0), each_sm = number_at(w, "blocks_per_sm", 0);
  const double staying = each_sm > 0 ? each_sm * gpu.sm_count() : number_at(w, "blocks", 0);
  const double grain = block * number_at(w, "per_thread", 1) * std::max(staying, 1.0);
  const double limit = static_cast<double>(gpu.sm.limits.warps_per_sm) * 32 / block;
  const double places = gpu.sm_count() * (resident > 0 ? std::min(resident, limit) : limit);
  const double bus = gpu.dram.bandwidth / gpu.clock_hz * number_at(w, "cycles", 6000) / element / grain;
  const double filled = 1.5 * gpu.l2.slices * 32768.0 / element / grain;
  const double least = staying > 0 ? number_at(w, "least", kLeastTurns) : 3 * places;
  const double size = std::ceil(std::max({std::min(4 * least, bus), least, filled}));
  const auto cycles = [&](double count) {
    Shape shape;
    shape.elements = static_cast<uint64_t>(count * grain);
    shape.blocks = static_cast<uint64_t>(staying > 0 ? staying : count);
    return cycles_of(w, shape);
  };
  cycles(size);
  const double once = cycles(size), more = cycles(2 * size) - once;
  return size * grain * element / (more / gpu.clock_hz);
}

double ProbeRunner::turn_cycles(const ProbeWords& w, uint64_t blocks) {
  const auto turns = static_cast<uint32_t>(number_at(w, "turns", 16));
  const double one = cycles_of(w, {.blocks = blocks, .turns = turns}),
               two = cycles_of(w, {.blocks = blocks, .turns = 2 * turns});
  return (two - one) / turns;
}

// Of a large grid a part runs; what each further row of blocks takes is the difference to half of that part.
// The same of a long loop, of which `part` of its `turns` run and twice as many: both find an L2 full of what
// a launch before them has written, or the first alone would write nothing back.
double ProbeRunner::seconds(const ProbeWords& w) {
  const arch::GpuConfig& gpu = simulator(false).device().gpu();
  const bool flat = !w.contains("blocks_y");
  const auto all = static_cast<uint64_t>(number_at(w, flat ? "blocks" : "blocks_y"));
  const auto run = std::min(all, static_cast<uint64_t>(number_at(w, "run", static_cast<double>(all))));
  const auto elements = static_cast<uint64_t>(number_at(w, "elements", 0));
  const auto turns = static_cast<uint32_t>(number_at(w, "turns", 1));
  const auto some = std::min(turns, static_cast<uint32_t>(number_at(w, "part", turns)));
  const auto cycles_of_part = [&](uint64_t part) {
    Shape shape = flat ? Shape{part, 1, elements, some}
                       : Shape{static_cast<uint64_t>(number_at(w, "blocks")), part, elements, some};
    if (some < turns) cycles_of(w, shape);
    const double once = cycles_of(w, shape);
    if (some == turns) return once;
    shape.turns = 2 * some;
    return once + (cycles_of(w, shape) - once) / some * (turns - some);
  };
  double cycles = cycles_of_part(run);
  if (run < all) {
    const double half = cycles_of_part(run / 2);
    cycles += (cycles - half) / static_cast<double>(run - run / 2) * static_cast<double>(all - run);
  }
  return cycles / gpu.clock_hz;
}

double ProbeRunner::base_figure(const ProbeWords& w) {
  const std::string& kind = text(w, "kind");
  if (kind == "chase") return cycles_per_step(w);
  if (kind == "stream") return stream_rate(w);
  if (kind == "seconds") return seconds(w);
  if (kind == "operations") return number_at(w, "operations") / seconds(w);
  const arch::GpuConfig& gpu = simulator(false).device().gpu();
  if (kind == "cycles") return seconds(w) * gpu.clock_hz;
  // `work` of a block's turn: warp loads, bytes or operations.
  if (kind == "turn") return turn_cycles(w, 1) / number_at(w, "work");
  if (kind == "one_sm") return number_at(w, "work") / turn_cycles(w, 1) * gpu.clock_hz;
  if (kind == "each_sm") return number_at(w, "work") / turn_cycles(w, 1) * gpu.clock_hz * gpu.sm_count();
  if (kind == "all_sms")
    return number_at(w, "work") * gpu.sm_count() / turn_cycles(w, gpu.sm_count()) * gpu.clock_hz;
  throw Error(ErrorKind::kInput, "the kind of probe '" + kind + "' is unknown");
}

double ProbeRunner::measure(const ProbeWords& probe, const PublishedRow& row) {
  ProbeWords words = probe;
  for (const auto& [key, value] : row.words) words[key] = value;
  modules_.clear();  // a fresh device: where arrays lie decides which banks and slices meet
  simulator_.reset();
  const double base = base_figure(words);
  return in_unit(base, row.unit, simulator_->device().gpu());
}

}  // namespace gpuloom::validation
