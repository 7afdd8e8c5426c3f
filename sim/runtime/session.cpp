// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/session.h"

#include <fmt/core.h>

#include <chrono>

#include "base/config/config_changes.h"
#include "base/error.h"
#include "base/version.h"
#include "sim/memory/files.h"
#include "sim/runtime/arguments.h"
#include "sim/runtime/buffer_data.h"
#include "sim/runtime/source_place.h"
#include "sim/runtime/symbols.h"

namespace gpuloom::sim {
namespace {

// Which module of a file that has several: that of the first launch.
frontend::PtxRequest request_of(const LaunchFile& file) {
  frontend::PtxRequest request;
  if (!file.launches.empty()) request.kernel = file.launches[0].kernel;
  request.compiler_arguments = file.compiler_arguments;
  request.link = file.link;
  return request;
}

// What the device has noted and its checks have found.
void add_remarks(const Device& device, RunReport& report) {
  report.notes = device.notes();
  for (const ptx::Finding& f : device.findings())
    report.findings.push_back({name(f.kind), f.kernel, f.file, f.source, f.text(), f.position.line, f.count});
}

void add_speed(uint64_t instructions, double launch_seconds, const Device& device, RunReport& report) {
  report.host.warp_instructions_per_second =
      launch_seconds > 0 ? static_cast<double>(instructions) / launch_seconds : 0;
  report.host.threads = device.options().threads;
}

// Lines of a timeline are those that the result's counters have, where the PTX knows of a source.
void name_places(const ptx::Program& program, LineRule rule, traces::Timeline& timeline) {
  for (size_t i = 0; i < timeline.instructions.size(); ++i) {
    const SourcePlace place = source_place(program, i, rule);
    if (place.line != 0) timeline.instructions[i] = fmt::format("{}:{}", place.file, place.line);
  }
}

// Of a finished launch: its timeline and, where the device analyses, how it used memory.
void add_observations(const LaunchOutcome& outcome, const ReportKernel& kernel, const Device& device,
                      const std::string& config, RunReport& report) {
  if (outcome.timed && outcome.timed->timeline) {
    name_places(*outcome.program, device.options().line_rule, *outcome.timed->timeline);
    report.timelines.push_back(outcome.timed->timeline);
  }
  if (outcome.timed && outcome.timed->intervals) report.intervals.push_back(outcome.timed->intervals);
  if (!outcome.accesses) return;
  report.accesses.push_back(*outcome.accesses);
  AccessReport& accesses = report.accesses.back();
  accesses.config = config;
  accesses.grid = kernel.grid;
  accesses.block = kernel.block;
}

class Session {
 public:
  Session(Device& device, const LaunchFile& file, const LaunchOptions& options,
          const std::string& save_folder)
      : device_(device), file_(file), options_(options), save_folder_(save_folder), symbols_(file.symbols) {}

  RunReport run() {
    const auto begin = std::chrono::steady_clock::now();
    for (const BufferSpec& buffer : file_.buffers)
      if (!buffer.save.empty()) expect_folder_of(save_path(buffer.save));
    for (const SymbolSpec& symbol : symbols_)
      if (!symbol.data.save.empty()) expect_folder_of(save_path(symbol.data.save));
    device_.expect_timed_launch();
    LoadedModule& module = device_.load_file(file_.ptx, request_of(file_), {.contract = contract()});
    for (const BufferSpec& buffer : file_.buffers) addresses_.push_back(create(buffer));
    for (const NamedTensorMap& map : file_.tensor_maps) maps_.push_back(encode(map));
    patch_buffers();
    for (const NamedTexture& texture : file_.textures) textures_.push_back(place(module, texture));
    set_symbols(module, symbols_, addresses_);
    for (const LaunchSpec& launch : file_.launches)
      if (report_.complete) report_.kernels.push_back(this->launch(module, launch));
    for (size_t i = 0; i < textures_.size(); ++i)
      if (file_.textures[i].surface)
        fetch_surface(device_.memory(), textures_[i], addresses_[file_.textures[i].buffer]);
    if (report_.complete) results(module);
    report_.provenance = provenance_of(device_, file_);
    report_.provenance.ptx_sha256 = module.sha256();
    report_.made_ptx = device_.made_ptx();
    add_remarks(device_, report_);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    report_.host.wall_seconds = took.count();
    add_speed(instructions_, launch_seconds_, device_, report_);
    return std::move(report_);
  }

 private:
  uint64_t create(const BufferSpec& spec) {
    DeviceMemory& memory = device_.memory();
    const uint64_t bytes = spec.bytes(), address = memory.allocate(bytes, spec.name);
    if (!spec.file.empty() || !spec.values.empty()) {
      memory.write(address, initial_bytes(spec).data(), bytes);
    } else if (spec.fill.kind != Fill::kZero && bytes != 0) {
      generate(spec.fill, spec.type, {memory.view(address, bytes), bytes});
    }
    if (spec.initialised) memory.mark_written(address, bytes);
    return address;
  }

  // The command line's --no-contract goes before the file's word.
  std::optional<bool> contract() const {
    return device_.options().contract ? file_.contract : std::optional<bool>();
  }

  void patch_buffers() {
    for (const PatchSpec& patch : file_.patches) {
      const uint64_t address = addresses_[patch.target], bytes = file_.buffers[patch.target].bytes();
      apply_patch(patch, addresses_, maps_, {device_.memory().view(address, bytes), bytes});
      device_.memory().mark_written(address + patch.at, patch.bytes());
    }
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
    placed.map = ptx::pack_tensor_map(encode_tensor_map(spec, named.where));
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
      r.window = spec.window;
      r.window->address = addresses_[spec.window_buffer];
    }
    return r;
  }

  ReportKernel launch(LoadedModule& module, const LaunchSpec& spec) {
    const LaunchRequest r = request(module, spec);
    LaunchOptions options = options_;
    const auto begin = std::chrono::steady_clock::now();
    // Only the last of the repeats is reported; from cold caches it does not depend on when the others ran.
    options.functional = options_.functional || options_.cold_caches;
    for (uint32_t k = 1; k < spec.repeat && report_.complete; ++k)
      report_.complete = device_.launch(r, options).complete;
    options.functional = options_.functional;
    const LaunchOutcome outcome = device_.launch(r, options);
    report_.complete = report_.complete && outcome.complete;
    launch_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    instructions_ += outcome.warp_instructions;
    ReportKernel kernel = report_kernel(device_, r, outcome);
    add_observations(outcome, kernel, device_, provenance_of(device_, file_).config, report_);
    kernel.repeat = spec.repeat;
    return kernel;
  }

  std::string save_path(const std::string& path) const {
    const bool absolute =
        path.starts_with("/") && file_.folder.empty();  // from a command line, not from a file
    if (save_folder_.empty() || absolute || !path.starts_with(file_.folder)) return path;
    return save_folder_ + "/" + path.substr(file_.folder.size());
  }

  void output(const BufferSpec& spec, std::span<const uint8_t> data) {
    if (!spec.output && spec.save.empty()) return;
    report_.outputs.push_back(report_buffer(spec, data));
    if (!spec.save.empty()) save_buffer(spec, save_path(spec.save), data);
  }

  void outputs(const LoadedModule& module) {
    for (size_t i = 0; i < file_.buffers.size(); ++i) output(file_.buffers[i], bytes_of(i));
    for (const SymbolSpec& symbol : symbols_)
      if (symbol.data.output || !symbol.data.save.empty()) output(symbol.data, symbol_bytes(module, symbol));
  }

  std::span<const uint8_t> bytes_of(size_t buffer) const {
    const uint64_t bytes = file_.buffers[buffer].bytes();
    return {device_.memory().view(addresses_[buffer], bytes), bytes};
  }

  void results(const LoadedModule& module) {
    outputs(module);
    for (const VerifySpec& check : file_.verify) report_.checks.push_back(verify(module, check));
  }

  ReportCheck verify(const LoadedModule& module, const VerifySpec& spec) const {
    if (!spec.symbol) return verify_buffer(spec, file_.buffers[spec.buffer], bytes_of(spec.buffer));
    return verify_buffer(spec, symbols_[spec.buffer].data, symbol_bytes(module, symbols_[spec.buffer]));
  }

  Device& device_;
  const LaunchFile& file_;
  const LaunchOptions& options_;
  const std::string& save_folder_;
  std::vector<SymbolSpec> symbols_;  // completed from the module
  std::vector<uint64_t> addresses_;
  std::vector<PlacedTensorMap> maps_;
  std::vector<PlacedTexture> textures_;
  RunReport report_;
  double launch_seconds_ = 0;
  uint64_t instructions_ = 0;
};

}  // namespace

ReportProvenance provenance_of(const Device& device, const LaunchFile& file) {
  ReportProvenance p;
  p.version = std::string(version());
  p.sources = std::string(source_digest());
  for (const ConfigChange& c : changes_of(device.config(), device.gpu().name))
    p.changes.push_back({c.key, c.from, c.to});
  p.config = changed_name(device.gpu().name, p.changes.size());
  p.config_sha256 = device.config().digest();
  p.ptx = file.ptx;
  p.launch = file.path;
  const bool timed = device.options().mode == Mode::kTimed;
  p.mode = timed ? "timed" : "functional";
  if (timed) p.lowering = device.options().lowering == Lowering::kMachine ? "machine" : "none";
  return p;
}

RunReport report_launch(Device& device, const LaunchRequest& request, const LaunchOptions& options,
                        const ReportProvenance& origin) {
  const auto begin = std::chrono::steady_clock::now();
  const LoadedModule& module = *request.kernel->module;
  RunReport report;
  const LaunchOutcome outcome = device.launch(request, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report.complete = outcome.complete;
  report.kernels.push_back(report_kernel(device, request, outcome));
  report.provenance = origin;
  report.provenance.ptx = module.module().file_name;
  if (!outcome.timed) {
    report.provenance.mode = "functional";
    report.provenance.lowering.clear();
  }
  report.provenance.ptx_sha256 = module.sha256();
  add_observations(outcome, report.kernels.back(), device, report.provenance.config, report);
  add_remarks(device, report);
  add_speed(outcome.warp_instructions, seconds, device, report);
  report.host.wall_seconds = seconds;
  return report;
}

RunReport run_launch_file(Device& device, const LaunchFile& file, const LaunchOptions& options,
                          const std::string& save_folder) {
  return Session(device, file, options, save_folder).run();
}

bool verified(const RunReport& run) {
  for (const ReportCheck& check : run.checks)
    if (!check.passed) return false;
  return true;
}

}  // namespace gpuloom::sim
