// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/launch_setup.h"

#include <algorithm>

#include "base/error.h"
#include "sim/memory/files.h"
#include "sim/runtime/buffer_data.h"
#include "sim/runtime/element_match.h"
#include "sim/runtime/session.h"
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

}  // namespace

// What the device has noted and its checks have found.
void add_remarks(const Device& device, RunReport& report) {
  report.notes = device.notes();
  for (const ptx::Finding& f : device.findings())
    report.findings.push_back({name(f.kind), f.kernel, f.file, f.source, f.text(), f.position.line, f.count});
}

LaunchSetup::LaunchSetup(std::vector<Device*> devices, const LaunchFile& file, const std::string& save_folder)
    : devices_(std::move(devices)),
      device_(*devices_.front()),
      file_(file),
      save_folder_(save_folder),
      symbols_(file.symbols) {
  for (const BufferSpec& buffer : file_.buffers)
    if (!buffer.save.empty()) expect_folder_of(save_path(buffer.save));
  for (const SymbolSpec& symbol : symbols_)
    if (!symbol.data.save.empty()) expect_folder_of(save_path(symbol.data.save));
  device_.expect_timed_launch();
  reserve_places();
  for (Device* device : devices_)
    modules_.push_back(&device->load_file(file_.ptx, request_of(file_), module_options()));
  module_ = modules_.front();
  for (size_t i = 0; i < file_.buffers.size(); ++i) create(i);
  for (const NamedTensorMap& map : file_.tensor_maps) maps_.push_back(encode(map));
  patch_buffers();
  for (const NamedTexture& texture : file_.textures) textures_.push_back(place(texture));
  for (LoadedModule* module : modules_) set_symbols(*module, symbols_, addresses_);
}

void LaunchSetup::fetch_surfaces() {
  for (size_t i = 0; i < textures_.size(); ++i)
    if (file_.textures[i].surface)
      fetch_surface(device_.memory(), textures_[i], addresses_[file_.textures[i].buffer]);
}

// Before anything else takes the addresses that buffers ask for.
void LaunchSetup::reserve_places() {
  addresses_.resize(file_.buffers.size());
  for (size_t i = 0; i < file_.buffers.size(); ++i)
    if (const BufferSpec& b = file_.buffers[i]; b.address) try {
        addresses_[i] = memory_of(i).allocate_at(*b.address, b.bytes(), b.name);
      } catch (const Error& error) {
        throw Error(ErrorKind::kInput, error.message(), b.where, error.hint());
      }
}

ModuleOptions LaunchSetup::module_options() const {
  ModuleOptions options;
  options.contract = contract();
  for (const SymbolSpec& s : symbols_)
    if (s.data.address) options.places[s.data.name] = *s.data.address;
  return options;
}

// A buffer with two sides begins as `init` says on the host, and as zeros on the device.
void LaunchSetup::create(size_t index) {
  const BufferSpec& spec = file_.buffers[index];
  DeviceMemory& memory = memory_of(index);
  const uint64_t bytes = spec.bytes();
  if (!spec.address) addresses_[index] = memory.allocate(bytes, spec.name);
  const uint64_t address = addresses_[index];
  host_sides_.emplace_back();
  std::span<uint8_t> target{memory.view(address, bytes), bytes};
  if (spec.host != HostSide::kNone) {
    host_sides_.back().resize(bytes);
    target = host_sides_.back();
  } else if (spec.initialised) {
    memory.mark_written(address, bytes);
  }
  if (!spec.file.empty() || !spec.values.empty()) {
    const std::vector<uint8_t> data = initial_bytes(spec);
    std::copy(data.begin(), data.end(), target.begin());
  } else if (spec.fill.kind != Fill::kZero && bytes != 0) {
    generate(spec.fill, spec.type, target);
  }
}

// The command line's --no-contract goes before the file's word.
std::optional<bool> LaunchSetup::contract() const {
  return device_.options().contract ? file_.contract : std::optional<bool>();
}

void LaunchSetup::patch_buffers() {
  for (const PatchSpec& patch : file_.patches) {
    const uint64_t address = addresses_[patch.target], bytes = file_.buffers[patch.target].bytes();
    apply_patch(patch, addresses_, maps_, {memory_of(patch.target).view(address, bytes), bytes});
    memory_of(patch.target).mark_written(address + patch.at, patch.bytes());
  }
}

PlacedTexture LaunchSetup::place(const NamedTexture& texture) {
  const PlacedTexture placed = place_texture(device_.memory(), texture, addresses_[texture.buffer],
                                             file_.buffers[texture.buffer].bytes());
  if (texture.bind.empty()) return placed;
  const SymbolPlace variable = module_->symbol(texture.bind);
  if (variable.address == 0 || variable.size != sizeof(ptx::TextureState))
    throw Error(ErrorKind::kInput, "the module has no texture or surface reference '" + texture.bind + "'",
                texture.where);
  bind_object(device_.memory(), variable.address, placed.handle);
  return placed;
}

// In global memory too, for kernels that take a pointer to it.
PlacedTensorMap LaunchSetup::encode(const NamedTensorMap& named) {
  TensorMapSpec spec = named.map;
  spec.address += addresses_[named.buffer];
  PlacedTensorMap placed;
  placed.map = ptx::pack_tensor_map(encode_tensor_map(spec, named.where));
  placed.address = device_.memory().allocate(sizeof placed.map, named.name);
  device_.memory().write(placed.address, &placed.map, sizeof placed.map);
  return placed;
}

LaunchRequest LaunchSetup::request(const LaunchSpec& spec, unsigned device) const {
  LaunchRequest r;
  try {
    r.kernel = &modules_[device]->kernel(spec.kernel);
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
  r.dependent = spec.dependent;
  r.params = pack_arguments(*r.kernel->program, spec, addresses_, maps_, textures_);
  expect_elements(file_, spec, *r.kernel);
  if (spec.window) {
    r.window = spec.window;
    r.window->address = addresses_[spec.window_buffer];
  }
  return r;
}

std::string LaunchSetup::save_path(const std::string& path) const {
  const bool absolute =
      path.starts_with("/") && file_.folder.empty();  // from a command line, not from a file
  if (save_folder_.empty() || absolute || !path.starts_with(file_.folder)) return path;
  return save_folder_ + "/" + path.substr(file_.folder.size());
}

void LaunchSetup::output(const BufferSpec& spec, std::span<const uint8_t> data, RunReport& report) const {
  if (!spec.output && spec.save.empty()) return;
  report.outputs.push_back(report_buffer(spec, data));
  if (!spec.save.empty()) save_buffer(spec, save_path(spec.save), data);
}

std::span<const uint8_t> LaunchSetup::bytes_of(size_t buffer) const {
  if (file_.buffers[buffer].host != HostSide::kNone) return host_sides_[buffer];
  const uint64_t bytes = file_.buffers[buffer].bytes();
  return {memory_of(buffer).view(addresses_[buffer], bytes), bytes};
}

void LaunchSetup::finish(RunReport& report) const {
  for (size_t i = 0; i < file_.buffers.size(); ++i) output(file_.buffers[i], bytes_of(i), report);
  for (const SymbolSpec& symbol : symbols_)
    if (symbol.data.output || !symbol.data.save.empty())
      output(symbol.data, symbol_bytes(*module_, symbol), report);
  for (const VerifySpec& check : file_.verify) report.checks.push_back(verify(check));
}

ReportCheck LaunchSetup::verify(const VerifySpec& spec) const {
  if (!spec.symbol) return verify_buffer(spec, file_.buffers[spec.buffer], bytes_of(spec.buffer));
  return verify_buffer(spec, symbols_[spec.buffer].data, symbol_bytes(*module_, symbols_[spec.buffer]));
}

void LaunchSetup::describe(RunReport& report) const {
  report.provenance.ptx_sha256 = module_->sha256();
  report.made_ptx = device_.made_ptx();
  add_remarks(device_, report);
}

}  // namespace gpuloom::sim
