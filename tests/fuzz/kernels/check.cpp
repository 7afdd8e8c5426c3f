// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/kernels/check.h"

#include <fmt/core.h>

#include <cstring>
#include <set>
#include <string_view>

#include "base/error.h"

namespace gpuloom::fuzz {
namespace {

// A kernel of the generator runs some thousands; beyond this it hangs.
constexpr uint64_t kMaxInstructions = 3'000'000, kMaxCycles = 20'000'000;

ptx::PassOptions timed_passes() {
  ptx::PassOptions p;
  p.reuse_rows = false;
  return p;
}

Way functional(std::string name, const ptx::PassOptions& passes) {
  Way way;
  way.name = std::move(name);
  way.how.passes = passes;
  return way;
}

Way timed(std::string name, const ptx::PassOptions& passes,
          ptx::Lowering lowering = ptx::Lowering::kMachine) {
  Way way = functional(std::move(name), passes);
  way.mode = sim::Mode::kTimed;
  way.how.lowering.emplace().lowering = lowering;
  return way;
}

// Each pass that may be left out, in turn, and what follows from it.
struct Without {
  std::string name;
  ptx::PassOptions passes = timed_passes();
  ptx::LoweringOptions lowering;
  bool decoded = false;  // what is left out is a pass of the decoded program
};

// Dead uses and what registers hold decide what is contracted, so that those passes go with contraction.
std::vector<Without> without_each() {
  std::vector<Without> out;
  std::set<std::string_view> done;
  const size_t of_program = ptx::program_passes().size();
  const std::vector<ptx::PassInfo> all = ptx::lowering_passes();
  for (size_t k = 0; k < all.size(); ++k) {
    if (all[k].kind == ptx::PassKind::kRequired || all[k].name == "divide") continue;
    if (!done.insert(all[k].name).second) continue;
    Without w;
    w.name = "without " + std::string(all[k].name);
    w.decoded = k < of_program;
    w.passes.set(all[k].name, false);
    w.lowering.control = w.passes.control;
    if (all[k].name == "dead_code" || all[k].name == "split_webs") w.passes.set("contract", false);
    out.push_back(std::move(w));
  }
  return out;
}

std::string difference(const RandomKernel& kernel, const std::vector<uint8_t>& got,
                       const std::vector<uint8_t>& wanted) {
  size_t at = 0, words = 0;
  for (size_t k = got.size(); k >= 4; k -= 4)
    if (std::memcmp(&got[k - 4], &wanted[k - 4], 4) != 0) {
      at = k - 4;
      ++words;
    }
  uint32_t a = 0, b = 0;
  std::memcpy(&a, &got[at], 4);
  std::memcpy(&b, &wanted[at], 4);
  if (at >= kMaxThreads * kSlotBytes)
    return fmt::format("{} words differ; shared word {}: {:08x}, wanted {:08x}", words,
                       (at - kMaxThreads * kSlotBytes) / 4, a, b);
  return fmt::format("{} words differ; thread {} of {}, byte {}: {:08x}, wanted {:08x}", words,
                     at / kSlotBytes, kernel.threads(), at % kSlotBytes, a, b);
}

}  // namespace

std::vector<Way> ways(uint64_t turn, bool every_way) {
  ptx::PassOptions plain;
  plain.set("unroll", false);
  std::vector<Way> out = {functional("functional", plain),
                          functional("functional, passes of timed mode", timed_passes())};
  out.push_back(timed("timed, lowered", timed_passes()));
  out.push_back(timed("timed, not lowered", timed_passes(), ptx::Lowering::kNone));
  const std::vector<Without> each = without_each();
  std::vector<Way> turns;
  for (const Without& w : each) {
    if (w.decoded) {
      out.push_back(functional("functional, " + w.name, w.passes));
      turns.push_back(timed("timed, not lowered, " + w.name, w.passes, ptx::Lowering::kNone));
    }
    turns.push_back(timed("timed, lowered, " + w.name, w.passes));
    turns.back().how.lowering = w.lowering;
  }
  turns.push_back(timed("timed, lowered, 32 registers", timed_passes()));
  turns.back().how.lowering->max_registers = 32;
  for (size_t k = 0; k < turns.size(); ++k)
    if (every_way || turn % turns.size() == k) out.push_back(turns[k]);
  if (every_way || turn % 16 == 0) {
    out.push_back(timed("timed, lowered, two host threads", timed_passes()));
    out.back().threads = 2;
  }
  return out;
}

struct Checker::Machine {
  sim::Mode mode;
  unsigned threads;
  sim::Device device;
  uint64_t in = 0, out = 0;

  static sim::DeviceOptions options(sim::Mode mode, unsigned threads) {
    sim::DeviceOptions o;
    o.config = "tiny";
    o.mode = mode;
    o.threads = threads;
    o.per_instruction = false;
    return o;
  }
  Machine(sim::Mode m, unsigned t) : mode(m), threads(t), device(options(m, t)) {
    in = device.memory().allocate(kInputBytes, "in");
    out = device.memory().allocate(kOutputBytes, "out");
    const std::vector<uint8_t> input = input_bytes();
    device.memory().write(in, input.data(), input.size());
  }
};

Checker::Checker() : fresh_(output_bytes()) {}
Checker::~Checker() = default;

Checker::Machine& Checker::machine(const Way& way) {
  Machine* found = nullptr;
  for (const auto& m : machines_)
    if (m->mode == way.mode && m->threads == way.threads) found = m.get();
  if (found == nullptr) {
    machines_.push_back(std::make_unique<Machine>(way.mode, way.threads));
    found = machines_.back().get();
  }
  if (way.mode == sim::Mode::kTimed)  // a process has one architecture model
    for (const auto& m : machines_)
      if (m.get() != found) m->device.release_simulation();
  return *found;
}

std::vector<uint8_t> Checker::run(const RandomKernel& kernel, const Way& way) {
  Machine& m = machine(way);
  sim::LoadedModule& module = m.device.load_text(render_module(kernel), kernel.name + ".ptx", way.how);
  std::vector<uint8_t> got(kOutputBytes);
  try {
    m.device.memory().write(m.out, fresh_.data(), fresh_.size());
    sim::LaunchRequest request;
    request.kernel = &module.kernel(kernel.name);
    request.grid = kernel.grid;
    request.block = kernel.block;
    request.dynamic_shared_bytes = kernel.dynamic_shared;
    request.params = kernel.arguments;
    const uint64_t in = m.in + kernel.input_offset;
    std::memcpy(request.params.data(), &in, 8);
    std::memcpy(request.params.data() + 8, &m.out, 8);
    request.params.resize(request.kernel->program->param_bytes);
    sim::LaunchOptions options;
    options.max_instructions = kMaxInstructions;
    options.max_cycles = kMaxCycles;
    options.cold_caches = (++launches_ & 1) != 0;
    m.device.launch(request, options);
    m.device.memory().read(m.out, got.data(), got.size());
  } catch (...) {
    m.device.unload(module);
    throw;
  }
  m.device.unload(module);
  return got;
}

Verdict Checker::check(const RandomKernel& kernel, const std::vector<Way>& ways) {
  std::vector<uint8_t> wanted[2];
  for (const Way& way : ways) {
    try {
      std::vector<uint8_t> got = run(kernel, way);
      std::vector<uint8_t>& measure = wanted[way.contract() ? 1 : 0];
      if (measure.empty()) {
        measure = std::move(got);
      } else if (got != measure) {
        return {Outcome::kDiffers, way.name, difference(kernel, got, measure)};
      }
    } catch (const Error& error) {
      const bool refused = error.kind() == ErrorKind::kInput || error.kind() == ErrorKind::kUnsupported;
      return {refused ? Outcome::kRefused : Outcome::kFailed, way.name, error.what()};
    }
  }
  return {};
}

}  // namespace gpuloom::fuzz
