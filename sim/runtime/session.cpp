// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/session.h"

#include <fmt/core.h>

#include <chrono>
#include <cmath>

#include "sim/base/error.h"
#include "sim/base/hash.h"
#include "sim/base/version.h"
#include "sim/memory/files.h"
#include "sim/runtime/arguments.h"

namespace gpuloom::sim {
namespace {

std::vector<uint8_t> bytes_of_file(const std::string& path) {
  if (path.ends_with(".npy")) return read_npy(path).data;
  const std::string data = read_file(path);
  return {data.begin(), data.end()};
}

class Session {
 public:
  Session(Device& device, const LaunchFile& file, const SessionOptions& options)
      : device_(device), file_(file), options_(options) {}

  RunReport run() {
    const auto begin = std::chrono::steady_clock::now();
    for (const BufferSpec& buffer : file_.buffers)
      if (!buffer.save.empty()) expect_folder_of(save_path(buffer.save));
    device_.expect_timed_launch();
    LoadedModule& module = device_.load_file(file_.ptx);
    for (const BufferSpec& buffer : file_.buffers) addresses_.push_back(create(buffer));
    for (const NamedTensorMap& map : file_.tensor_maps) maps_.push_back(encode(map));
    for (const NamedTexture& texture : file_.textures) textures_.push_back(place(module, texture));
    for (const LaunchSpec& launch : file_.launches) report_.kernels.push_back(this->launch(module, launch));
    for (size_t i = 0; i < textures_.size(); ++i)
      if (file_.textures[i].surface)
        fetch_surface(device_.memory(), textures_[i], addresses_[file_.textures[i].buffer]);
    outputs();
    for (const VerifySpec& check : file_.verify) report_.checks.push_back(verify(check));
    provenance(module);
    report_.notes = device_.notes();
    for (const ptx::Finding& f : device_.findings())
      report_.findings.push_back(
          {name(f.kind), f.kernel, f.file, f.source, f.text(), f.position.line, f.count});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    report_.host.wall_seconds = took.count();
    report_.host.warp_instructions_per_second =
        launch_seconds_ > 0 ? static_cast<double>(instructions_) / launch_seconds_ : 0;
    report_.host.threads = device_.options().threads;
    return std::move(report_);
  }

 private:
  uint64_t create(const BufferSpec& spec) {
    DeviceMemory& memory = device_.memory();
    const uint64_t bytes = spec.bytes(), address = memory.allocate(bytes, spec.name);
    if (!spec.file.empty()) {
      const std::vector<uint8_t> data = bytes_of_file(spec.file);
      if (data.size() != bytes)
        throw Error(
            ErrorKind::kInput,
            fmt::format("'{}' has {} bytes, buffer '{}' {}", spec.file, data.size(), spec.name, bytes),
            spec.where);
      memory.write(address, data.data(), bytes);
    } else if (spec.fill.kind != Fill::kZero && bytes != 0) {
      generate(spec.fill, spec.type, {memory.view(address, bytes), bytes});
    }
    if (spec.initialised) memory.mark_written(address, bytes);
    return address;
  }

  PlacedTexture place(const LoadedModule& module, const NamedTexture& texture) {
    const PlacedTexture placed = place_texture(device_.memory(), texture, addresses_[texture.buffer],
                                               file_.buffers[texture.buffer].bytes());
    if (texture.bind.empty()) return placed;
    const SymbolPlace variable = module.symbol(texture.bind);
    if (variable.address == 0 || variable.size != sizeof(ptx::TextureState))
      throw Error(ErrorKind::kInput, "the module has no texture or surface reference '" + texture.bind + "'",
                  texture.where);
    bind_object(device_.memory(), variable.address, placed.handle);
    return placed;
  }

  // In global memory too, for kernels that take a pointer to it.
  PlacedTensorMap encode(const NamedTensorMap& named) {
    TensorMapSpec spec = named.map;
    spec.address += addresses_[named.buffer];
    PlacedTensorMap placed;
    placed.map = encode_tensor_map(spec, named.where);
    placed.address = device_.memory().allocate(sizeof placed.map, named.name);
    device_.memory().write(placed.address, &placed.map, sizeof placed.map);
    return placed;
  }

  LaunchRequest request(LoadedModule& module, const LaunchSpec& spec) {
    LaunchRequest r;
    try {
      r.kernel = &module.kernel(spec.kernel);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      throw Error(ErrorKind::kInput, error.message(), spec.where, error.hint());  // the launch file names it
    }
    r.grid = spec.grid;
    r.block = spec.block;
    r.cluster = spec.cluster;
    r.dynamic_shared_bytes = spec.dynamic_shared_bytes;
    r.max_dynamic_shared_bytes = spec.max_dynamic_shared_bytes;
    r.nonportable_cluster = spec.nonportable_cluster;
    r.carveout_pct = spec.carveout_pct;
    r.cooperative = spec.cooperative;
    r.params = pack_arguments(*r.kernel->program, spec, addresses_, maps_, textures_);
    if (spec.window) {
      const AccessWindow& w = *spec.window;
      r.window = PolicyWindow{
          addresses_[w.buffer],           w.bytes,          w.hit_ratio, w.hit_property == "persisting",
          w.miss_property == "streaming", w.set_aside_bytes};
    }
    return r;
  }

  ReportKernel launch(LoadedModule& module, const LaunchSpec& spec) {
    const LaunchRequest r = request(module, spec);
    LaunchOptions options;
    options.cold_caches = options_.cold_caches;
    options.max_cycles = options_.max_cycles;
    options.max_instructions = options_.max_instructions;
    options.progress = options_.progress;
    const auto begin = std::chrono::steady_clock::now();
    // Only the last of the repeats is reported; from cold caches it does not depend on when the others ran.
    options.functional = options_.cold_caches;
    for (uint32_t k = 1; k < spec.repeat; ++k) device_.launch(r, options);
    options.functional = false;
    const LaunchOutcome outcome = device_.launch(r, options);
    launch_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    instructions_ += outcome.warp_instructions;
    ReportKernel kernel = report_kernel(device_, r, outcome);
    if (outcome.timed && outcome.timed->timeline) report_.timelines.push_back(outcome.timed->timeline);
    if (outcome.accesses) {
      report_.accesses.push_back(*outcome.accesses);
      AccessReport& accesses = report_.accesses.back();
      accesses.config = device_.gpu().name;
      accesses.grid = kernel.grid;
      accesses.block = kernel.block;
    }
    kernel.repeat = spec.repeat;
    return kernel;
  }

  std::string save_path(const std::string& path) const {
    if (options_.save_folder.empty() || !path.starts_with(file_.folder)) return path;
    return options_.save_folder + "/" + path.substr(file_.folder.size());
  }

  void outputs() {
    for (size_t i = 0; i < file_.buffers.size(); ++i) {
      const BufferSpec& spec = file_.buffers[i];
      if (!spec.output && spec.save.empty()) continue;
      const uint64_t bytes = spec.bytes();
      const uint8_t* data = device_.memory().view(addresses_[i], bytes);
      ReportBuffer out{spec.name, std::string(info(spec.type).name), spec.count(), fnv1a64(data, bytes), {}};
      for (uint64_t k = 0; spec.count() <= 4 && k < spec.count(); ++k)
        out.values.push_back(element_value(spec.type, data + k * bytes_of(spec.type)));
      report_.outputs.push_back(std::move(out));
      if (spec.save.empty()) continue;
      const std::string path = save_path(spec.save);
      if (path.ends_with(".npy")) {
        write_npy(path, spec.type, spec.shape, {data, bytes});
      } else {
        write_file(path, {reinterpret_cast<const char*>(data), bytes});
      }
    }
  }

  ReportCheck verify(const VerifySpec& spec) const {
    const BufferSpec& buffer = file_.buffers[spec.buffer];
    const uint64_t bytes = buffer.bytes();
    const uint8_t* data = device_.memory().view(addresses_[spec.buffer], bytes);
    ReportCheck check;
    check.buffer = buffer.name;
    check.count = buffer.count();
    if (spec.fnv1a) {
      const uint64_t hash = fnv1a64(data, bytes);
      check.against = fmt::format("hash {:016x}", *spec.fnv1a);
      check.passed = hash == *spec.fnv1a;
      check.mismatches = check.passed ? 0 : 1;
      if (!check.passed) check.first = fmt::format("the hash is {:016x}", hash);
      return check;
    }
    check.against = spec.against;
    const std::vector<uint8_t> expected = bytes_of_file(spec.against);
    if (expected.size() != bytes)
      throw Error(ErrorKind::kInput,
                  fmt::format("'{}' has {} bytes of data, buffer '{}' {}", spec.against, expected.size(),
                              buffer.name, bytes),
                  spec.where);
    const size_t size = sim::bytes_of(buffer.type);
    for (uint64_t i = 0; i < check.count; ++i) {
      const double got = element_value(buffer.type, data + i * size),
                   want = element_value(buffer.type, expected.data() + i * size);
      const bool same = std::equal(data + i * size, data + (i + 1) * size, expected.data() + i * size);
      if (same || (std::isnan(got) && std::isnan(want)) ||
          std::fabs(got - want) <= spec.atol + spec.rtol * std::fabs(want))
        continue;
      if (check.mismatches++ == 0) check.first = fmt::format("element {} is {}, expected {}", i, got, want);
    }
    check.passed = check.mismatches == 0;
    return check;
  }

  void provenance(const LoadedModule& module) {
    ReportProvenance& p = report_.provenance;
    p.version = std::string(version());
    p.sources = std::string(source_digest());
    p.config = device_.gpu().name;
    p.config_sha256 = device_.config().digest();
    p.ptx = file_.ptx;
    p.ptx_sha256 = module.sha256();
    p.launch = file_.path;
    const bool timed = device_.options().mode == Mode::kTimed;
    p.mode = timed ? "timed" : "functional";
    if (timed) p.lowering = device_.options().lowering == Lowering::kMachine ? "machine" : "none";
  }

  Device& device_;
  const LaunchFile& file_;
  const SessionOptions& options_;
  std::vector<uint64_t> addresses_;
  std::vector<PlacedTensorMap> maps_;
  std::vector<PlacedTexture> textures_;
  RunReport report_;
  double launch_seconds_ = 0;
  uint64_t instructions_ = 0;
};

}  // namespace

RunReport run_launch_file(Device& device, const LaunchFile& file, const SessionOptions& options) {
  return Session(device, file, options).run();
}

bool verified(const RunReport& run) {
  for (const ReportCheck& check : run.checks)
    if (!check.passed) return false;
  return true;
}

}  // namespace gpuloom::sim
