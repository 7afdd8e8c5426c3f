// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/conformance.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/parallel.h"
#include "sim/memory/files.h"
#include "sim/runtime/device.h"

namespace gpuloom::validation {
namespace {

constexpr uint64_t kPoison = 0xDEADBEEFDEADBEEFull;  // what the silicon run wrote before each case
// No case runs longer than this many warp instructions unless it hangs.
constexpr uint64_t kInstructionLimit = 2'000'000;

std::vector<uint64_t> words_in(const std::string& path) {
  const std::string bytes = sim::read_file(path);
  std::vector<uint64_t> out(bytes.size() / 8);
  std::memcpy(out.data(), bytes.data(), out.size() * 8);
  return out;
}

CompareRule rule_of(const nlohmann::json& j, std::string& as) {
  CompareRule rule;
  const auto& compare = j.at("compare");
  if (compare.is_object()) {
    rule.kind = compare.contains("ulp") ? CompareRule::Kind::kUlp : CompareRule::Kind::kClose;
    rule.ulp = compare.value("ulp", 0.0);
    rule.rel = compare.value("rel", 0.0);
    rule.abs = compare.value("abs", 0.0);
    as = compare.value("as", "");
  } else if (compare != "bits") {
    throw Error(ErrorKind::kInput, "unknown comparison " + compare.dump());
  }
  rule.any_nan = j.value("nan", "") == "any";
  return rule;
}

ConformanceCase parse_case(const nlohmann::json& j) {
  ConformanceCase c;
  c.id = j.at("id").get<std::string>();
  c.group = j.at("group").get<std::string>();
  c.kernel = j.at("kernel").get<std::string>();
  c.module = j.at("module").get<std::string>();
  c.inputs = j.at("inputs").get<std::vector<std::string>>();
  c.outputs = j.at("outputs").get<std::vector<std::string>>();
  c.rule = rule_of(j, c.compare_as);
  c.raw = j.value("raw", false);
  c.implementation_defined = j.value("impl", false);
  c.in_offset = j.at("in_offset").get<uint64_t>();
  c.out_offset = j.at("out_offset").get<uint64_t>();
  c.threads = j.at("n").get<uint32_t>();
  return c;
}

void check_case(const ConformanceSuite& suite, const ConformanceCase& c) {
  ValueLayout layout;
  for (const std::string& type : c.outputs)
    if (!value_layout(type, layout))
      throw Error(ErrorKind::kInput, "case " + c.id + ": unknown type " + type);
  if (c.in_offset + c.threads * c.inputs.size() > suite.inputs.size() ||
      c.out_offset + c.threads * c.outputs.size() > suite.outputs.size())
    throw Error(ErrorKind::kInput, "case " + c.id + " lies beyond the end of the data");
}

ValueLayout layout_of(const ConformanceCase& c, size_t output) {
  ValueLayout layout;
  value_layout(c.compare_as.empty() ? c.outputs[output] : c.compare_as, layout);
  return layout;
}

// Everything that runs the cases of one module: a device of its own, so that modules may run side by side.
class ModuleRunner {
 public:
  ModuleRunner(const ConformanceSuite& suite, const ConformanceOptions& options) : suite_(suite) {
    sim::DeviceOptions device;
    device.config = options.config;
    device.mode = sim::Mode::kFunctional;
    device.per_instruction = false;
    device_ = std::make_unique<sim::Device>(device);
  }

  void run(const std::string& module, const std::vector<size_t>& cases, std::vector<CaseResult>& results) {
    load(suite_.folder + "/" + module, module);
    for (const size_t index : cases) results[index] = one(index);
  }

 private:
  // As a whole where that works; else kernel by kernel.
  void load(const std::string& path, const std::string& name) {
    std::string text = sim::read_file(path);
    try {
      whole_ = &device_->load_text(text, name);
      return;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kInternal) throw;
    }
    std::vector<std::string> names;
    const std::vector<std::string> pieces = split_kernels(text, names);
    for (size_t i = 0; i < names.size(); ++i) {
      try {
        pieces_[names[i]] = &device_->load_text(pieces[i], name);
      } catch (const Error& error) {
        refused_[names[i]] = error.what();
      }
    }
  }

  CaseResult one(size_t index) {
    const ConformanceCase& c = suite_.cases[index];
    CaseResult result;
    result.index = index;
    sim::Kernel* kernel = nullptr;
    try {
      if (const auto refused = refused_.find(c.kernel); refused != refused_.end())
        throw Error(ErrorKind::kUnsupported, refused->second);
      sim::LoadedModule* module = whole_ != nullptr ? whole_ : pieces_[c.kernel];
      if (module == nullptr) throw Error(ErrorKind::kInput, "the module has no kernel " + c.kernel);
      kernel = &module->kernel(c.kernel);
    } catch (const Error& error) {
      result.status = CaseStatus::kRefused;
      result.message = error.what();
      return result;
    }
    try {
      return compare_case(suite_, index, execute(c, *kernel));
    } catch (const Error& error) {
      result.status = CaseStatus::kFaulted;
      result.message = error.what();
      return result;
    }
  }

  std::vector<uint64_t> execute(const ConformanceCase& c, sim::Kernel& kernel) {
    sim::DeviceMemory& memory = device_->memory();
    const uint64_t in_bytes = 8 * c.threads * c.inputs.size(), out_bytes = 8 * c.threads * c.outputs.size();
    // `red` cases with one result use the words behind it as the location that they reduce to.
    const uint64_t scratch = 8 * c.threads;
    const uint64_t in = memory.allocate(in_bytes, "in"), out = memory.allocate(out_bytes + scratch, "out");
    memory.write(in, suite_.inputs.data() + c.in_offset, in_bytes);
    std::vector<uint64_t> got(out_bytes / 8, kPoison);
    memory.write(out, got.data(), out_bytes);
    sim::LaunchRequest request;
    request.kernel = &kernel;
    request.block.x = c.threads;
    request.params.resize(16);
    std::memcpy(request.params.data(), &in, 8);
    std::memcpy(request.params.data() + 8, &out, 8);
    sim::LaunchOptions options;
    options.max_instructions = kInstructionLimit;
    try {
      device_->launch(request, options);
    } catch (...) {
      memory.free(in);
      memory.free(out);
      throw;
    }
    memory.read(out, got.data(), out_bytes);
    memory.free(in);
    memory.free(out);
    return got;
  }

  const ConformanceSuite& suite_;
  std::unique_ptr<sim::Device> device_;
  sim::LoadedModule* whole_ = nullptr;
  std::map<std::string, sim::LoadedModule*> pieces_;
  std::map<std::string, std::string> refused_;
};

bool chosen(const ConformanceCase& c, const ConformanceOptions& options) {
  const auto in = [](const std::vector<std::string>& list, const std::string& name) {
    return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
  };
  return in(options.groups, c.group) && in(options.ids, c.id);
}

}  // namespace

ConformanceSuite load_conformance_suite(const std::string& folder) {
  ConformanceSuite suite;
  suite.folder = folder;
  suite.inputs = words_in(folder + "/inputs.bin");
  suite.outputs = words_in(folder + "/outputs.bin");
  const std::string path = folder + "/cases.jsonl";
  const std::string text = sim::read_file(path);
  uint32_t line = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    ++line;
    try {
      if (end > at)
        suite.cases.push_back(parse_case(nlohmann::json::parse(text.begin() + static_cast<ptrdiff_t>(at),
                                                               text.begin() + static_cast<ptrdiff_t>(end))));
    } catch (const nlohmann::json::exception& error) {
      throw Error(ErrorKind::kInput, error.what(), {path, line, 0});
    }
    at = end + 1;
  }
  for (const ConformanceCase& c : suite.cases) check_case(suite, c);
  return suite;
}

bool has_tolerance(const ConformanceCase& c) { return c.rule.kind != CompareRule::Kind::kBits; }

CaseResult compare_case(const ConformanceSuite& suite, size_t index, const std::vector<uint64_t>& got) {
  const ConformanceCase& c = suite.cases[index];
  CaseResult result;
  result.index = index;
  for (size_t k = 0; k < c.outputs.size(); ++k) {
    const ValueLayout layout = layout_of(c, k);
    for (uint32_t thread = 0; thread < c.threads; ++thread) {
      const size_t at = k * c.threads + thread;
      const uint64_t expected = suite.outputs[c.out_offset + at];
      result.inexact += got[at] != expected;
      if (acceptable(c.rule, layout, got[at], expected)) continue;
      result.status = CaseStatus::kFailed;
      if (result.wrong++ != 0) continue;
      std::string in;
      for (size_t i = 0; i < c.inputs.size() && !c.raw; ++i) {
        ValueLayout input;
        value_layout(c.inputs[i], input);
        in += (in.empty() ? "" : ", ") + show_word(input, suite.inputs[c.in_offset + i * c.threads + thread]);
      }
      result.message = fmt::format(
          "thread {}, result {}: inputs {}; got {}, expected {}", thread, k, c.raw ? "in memory" : in,
          got[at] == kPoison ? "nothing written" : show_word(layout, got[at]), show_word(layout, expected));
    }
  }
  return result;
}

std::vector<std::string> split_kernels(std::string_view text, std::vector<std::string>& names) {
  std::vector<size_t> starts;
  for (size_t at = 0; at != std::string_view::npos; at = text.find("\n// ", at + 1))
    if (at != 0 || text.substr(0, 3) == "// ") starts.push_back(at);
  const std::string header(text.substr(0, starts.empty() ? text.size() : starts[0]));
  std::vector<std::string> pieces;
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t end = i + 1 < starts.size() ? starts[i + 1] : text.size();
    const std::string_view body = text.substr(starts[i], end - starts[i]);
    const size_t entry = body.find(".entry ");
    if (entry == std::string_view::npos) continue;
    const size_t name = entry + 7;
    names.emplace_back(body.substr(name, body.find('(', name) - name));
    pieces.push_back(header + std::string(body));
  }
  return pieces;
}

std::vector<CaseResult> run_conformance(const ConformanceSuite& suite, const ConformanceOptions& options) {
  std::map<std::string, std::vector<size_t>> by_module;
  std::vector<size_t> order;
  for (size_t i = 0; i < suite.cases.size(); ++i) {
    if (!chosen(suite.cases[i], options)) continue;
    by_module[suite.cases[i].module].push_back(i);
    order.push_back(i);
  }
  std::vector<std::pair<std::string, std::vector<size_t>>> modules(by_module.begin(), by_module.end());
  std::vector<CaseResult> all(suite.cases.size());
  ThreadPool pool(options.threads);
  pool.for_each_index(modules.size(), [&](size_t m) {
    ModuleRunner(suite, options).run(modules[m].first, modules[m].second, all);
  });
  std::vector<CaseResult> results;
  for (const size_t i : order) results.push_back(std::move(all[i]));
  return results;
}

}  // namespace gpuloom::validation
