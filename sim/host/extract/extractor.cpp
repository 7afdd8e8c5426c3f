// SPDX-License-Identifier: Apache-2.0
#include "sim/host/extract/extractor.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <span>

#include "base/demangle.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "sim/host/extract/extracted_launch.h"
#include "sim/memory/files.h"

namespace gpuloom::host {
namespace {

bool all_zero(std::span<const uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
}

// Writes what it holds now, unless that is zeros.
void keep(KeptMemory& m, std::span<const uint8_t> bytes, const std::string& root, const std::string& file) {
  m.before = m.after = fnv1a64(bytes.data(), bytes.size());
  if (all_zero(bytes)) return;
  m.file = file + ".npy";
  const uint64_t count = bytes.size() / sim::bytes_of(m.type);
  sim::write_npy(root + "/" + m.file, m.type, std::span(&count, 1), bytes);
}

}  // namespace

Extractor::Extractor(sim::Device& device, const Settings& settings) : device_(device), settings_(settings) {
  sim::make_folder(settings.extract);
}

Extractor::~Extractor() = default;

std::string Extractor::module_file(const Image& image) {
  std::string& file = modules_[&image];
  if (file.empty()) {
    file = fmt::format("module_{}.ptx", launch_->number);  // of its first launch here
    sim::write_file(settings_.extract + "/" + file, image.ptx_for(device_));
  }
  return file;
}

void Extractor::begin(const sim::LaunchRequest& request, const Image& image, uint64_t number) {
  launch_ = std::make_unique<ExtractedLaunch>();
  ExtractedLaunch& l = *launch_;
  l.number = number;
  l.request = request;
  l.module = module_file(image);
  l.config = settings_.configs.front();
  l.contract = settings_.contract;
  const uint64_t heap = device_.options().limits.heap_bytes;
  l.heap_bytes = heap == sim::DeviceLimits{}.heap_bytes ? 0 : heap;
  const sim::LoadedModule& module = *request.kernel->module;
  const ReachedMemory reached = memory_in_reach(device_.memory(), module, request.params);
  if (reached.registered)
    std::fprintf(
        stderr,
        "gpuloom: launch %llu: memory of cudaHostRegister is in reach; it is left out of the launch file, "
        "which faults where it is used (cudaMallocHost gives memory that can be kept)\n",
        static_cast<unsigned long long>(number));
  for (const sim::Allocation& a : reached.allocations)
    l.buffers.push_back(
        {.name = fmt::format("b{}", l.buffers.size()), .address = a.address, .bytes = a.size});
  infer_types(l);
  const std::string folder = fmt::format("launch_{}", number);
  sim::make_folder(settings_.extract + "/" + folder);
  for (KeptMemory& b : l.buffers)
    keep(b, {device_.memory().view(b.address, b.bytes), b.bytes}, settings_.extract, folder + "/" + b.name);
  for (const PlacedVariable& v : variables_of(module)) {
    l.variables.push_back(
        {.name = v.name, .address = v.place.address, .bytes = v.place.size, .placed = !v.constant});
    keep(l.variables.back(), contents(module, v), settings_.extract,
         fmt::format("{}/v{}", folder, l.variables.size() - 1));
  }
}

void Extractor::end(const sim::LaunchOutcome& outcome) {
  if (!outcome.complete) return write("stopped by --max-seconds", false);
  for (KeptMemory& b : launch_->buffers)
    b.after = fnv1a64(device_.memory().view(b.address, b.bytes), b.bytes);
  const sim::LoadedModule& module = *launch_->request.kernel->module;
  const std::vector<PlacedVariable> variables = variables_of(module);
  for (size_t i = 0; i < variables.size(); ++i) {
    const std::vector<uint8_t> bytes = contents(module, variables[i]);
    launch_->variables[i].after = fnv1a64(bytes.data(), bytes.size());
  }
  write(with_thousands(outcome.warp_instructions) + " warp instructions", true);
}

void Extractor::end_with_fault() { write("refused, or ended with a fault", false); }

void Extractor::write(const std::string& about, bool verified) {
  ExtractedLaunch& l = *launch_;
  l.verified = verified;
  l.about = fmt::format("launch {} of its program: {}", l.number, about);
  const std::string file = fmt::format("{}/launch_{}.yaml", settings_.extract, l.number);
  std::string text = launch_text(l);
  if (!settings_.overrides.empty()) text += "# run with -s " + join(settings_.overrides, " -s ") + "\n";
  sim::write_file(file, text);
  uint64_t bytes = 0;
  for (const KeptMemory& b : l.buffers) bytes += b.bytes;
  std::fprintf(stderr, "gpuloom: %s: %s, %zu %s of %s bytes\n", file.c_str(),
               short_name(l.request.kernel->name()).c_str(), l.buffers.size(),
               l.buffers.size() == 1 ? "buffer" : "buffers", with_thousands(bytes).c_str());
  launch_.reset();
}

}  // namespace gpuloom::host
