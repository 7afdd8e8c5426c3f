// SPDX-License-Identifier: Apache-2.0
// What a launch file asks for before its first launch and after its last: the module loaded, buffers, maps,
// textures and variables in their places, results saved and verified. What happens in between is the
// caller's.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/report/result.h"
#include "sim/runtime/arguments.h"
#include "sim/runtime/device.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {

class LaunchSetup {
 public:
  // `save_folder` replaces the launch file's folder for relative `save` paths; "" keeps it. Throws Error
  // where the module, a file or a folder is missing, or memory does not suffice.
  LaunchSetup(Device& device, const LaunchFile& file, const std::string& save_folder)
      : LaunchSetup(std::vector<Device*>{&device}, file, save_folder) {}
  // With several devices: the module on each, each buffer on its own; all else on the first.
  LaunchSetup(std::vector<Device*> devices, const LaunchFile& file, const std::string& save_folder);
  LaunchSetup(const LaunchSetup&) = delete;
  LaunchSetup& operator=(const LaunchSetup&) = delete;

  // A launch with its arguments as the kernel takes them.
  LaunchRequest request(const LaunchSpec& spec, unsigned device = 0) const;
  uint64_t address_of(size_t buffer) const { return addresses_[buffer]; }
  // A buffer's host side (BufferSpec::host), which has what `init` says; empty: it has none.
  std::span<uint8_t> host_side(size_t buffer) { return host_sides_[buffer]; }

  // After the last launch: what surfaces hold goes back to their buffers.
  void fetch_surfaces();
  // Outputs, saved files and checks, of the host's side where a buffer has one.
  void finish(RunReport& report) const;
  // Where the numbers come from, and what the device has to say about them.
  void describe(RunReport& report) const;

 private:
  void reserve_places();
  ModuleOptions module_options() const;
  void create(size_t index);
  std::optional<bool> contract() const;
  void patch_buffers();
  PlacedTexture place(const NamedTexture& texture);
  PlacedTensorMap encode(const NamedTensorMap& named);
  std::string save_path(const std::string& path) const;
  void output(const BufferSpec& spec, std::span<const uint8_t> data, RunReport& report) const;
  std::span<const uint8_t> bytes_of(size_t buffer) const;
  ReportCheck verify(const VerifySpec& spec) const;

  DeviceMemory& memory_of(size_t buffer) const { return devices_[file_.buffers[buffer].device]->memory(); }

  std::vector<Device*> devices_;
  Device& device_;  // the first
  const LaunchFile& file_;
  std::string save_folder_;
  std::vector<LoadedModule*> modules_;  // by device
  LoadedModule* module_ = nullptr;      // the first's
  std::vector<SymbolSpec> symbols_;     // completed from the module
  std::vector<uint64_t> addresses_;
  std::vector<std::vector<uint8_t>> host_sides_;  // by buffer
  std::vector<PlacedTensorMap> maps_;
  std::vector<PlacedTexture> textures_;
};

// What the device has noted and its checks have found.
void add_remarks(const Device& device, RunReport& report);

}  // namespace gpuloom::sim
