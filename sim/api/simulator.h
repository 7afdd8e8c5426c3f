// SPDX-License-Identifier: Apache-2.0
// The public C++ of gpuloom: a GPU on which PTX runs.
//
//   gpuloom::sim::Simulator gpu({.config = "h200"});
//   auto& module = gpu.load("vecadd.ptx");
//   auto a = gpu.upload<float>({1, 2, 3, 4}), c = gpu.allocate(16);
//   auto run = gpu.launch(module.kernel("vecadd"), {.grid = {1}, .block = {32}}, a, a, c, 4);
//   run.find("sm__cycles_elapsed.max")->value;
//   std::vector<float> result = gpu.download<float>(c, 4);
//
// Errors are gpuloom::Error with a kind (base/error.h). One Simulator with timing at a time in a process;
// any number one after another.
#pragma once
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/runtime/device.h"
#include "sim/runtime/launch_file.h"
#include "sim/runtime/session.h"
#include "sim/runtime/texture.h"
#include "sim/streams/program_run.h"

namespace gpuloom::sim {

// An address in device memory; trivially an argument of a kernel.
struct DevicePointer {
  uint64_t address = 0;
};

struct LaunchShape {
  ptx::Dim3 grid, block;              // blocks of the grid; threads of a block
  std::optional<ptx::Dim3> cluster;   // blocks of a cluster; the kernel's own where it is not given
  uint32_t dynamic_shared_bytes = 0;  // of a block
  bool cooperative = false;           // all blocks are resident together (cudaLaunchCooperativeKernel)
  std::optional<uint32_t> max_dynamic_shared_bytes{};  // as LaunchRequest's
  bool nonportable_cluster = true;  // clusters of more than limits.cluster_portable blocks are allowed
  LaunchOptions options;            // limits of the run, and how it is shown
};

class Simulator {
 public:
  // Throws Error: kInput with every problem of the configuration, each with its position, kUsage where it or
  // an override does not exist, or where another Simulator with timing lives.
  explicit Simulator(const DeviceOptions& options = {}) : device_(options) {}

  // A .ptx or .ptx.gz; the module lives as long as the simulator. Throws Error: kInput with every problem of
  // the text, each with its position, kUnsupported where all that is wrong is not modelled yet.
  // `contract`: whether mul + add become fma in this module (-fmad), whatever the device says.
  LoadedModule& load(const std::string& path, std::optional<bool> contract = {}) {
    return device_.load_file(path, {}, {.contract = contract});
  }
  LoadedModule& load_text(std::string text, const std::string& name = "ptx",
                          std::optional<bool> contract = {}) {
    return device_.load_text(std::move(text), name, {.contract = contract});
  }

  // Device memory, zero-filled. `name` appears in messages about it. Throws Error (kProgram,
  // cudaErrorMemoryAllocation) where the device has not so many bytes left.
  DevicePointer allocate(uint64_t bytes, std::string name = {}) {
    return {device_.memory().allocate(bytes, std::move(name))};
  }
  // Throws Error (kUsage) where `p` is not the begin of an allocation.
  void free(DevicePointer p) { device_.memory().free(p.address); }
  // A copy in memory of its own, which the caller frees or leaves to the simulator's end.
  template <class T>
  DevicePointer upload(std::span<const T> data, std::string name = {}) {
    static_assert(std::is_trivially_copyable_v<T>);
    const DevicePointer p = allocate(data.size_bytes(), std::move(name));
    device_.memory().write(p.address, data.data(), data.size_bytes());
    return p;
  }
  template <class T>
  DevicePointer upload(std::initializer_list<T> data, std::string name = {}) {
    return upload(std::span<const T>(data.begin(), data.size()), std::move(name));
  }
  // `count` elements from `p` on. Throws Error where they are not all within one allocation.
  template <class T>
  std::vector<T> download(DevicePointer p, size_t count) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> data(count);
    device_.memory().read(p.address, data.data(), count * sizeof(T));
    return data;
  }

  // Runs a grid to its end and gives its metrics. Arguments are taken by their own bytes, so their types must
  // be the kernel's. Throws Error (kInput) where a size differs or the launch breaks a limit (with CUDA's
  // name). Throws Fault (kProgram) where the kernel fails: bad access, deadlock, limit of cycles or
  // instructions.
  template <class... Args>
  ReportKernel launch(Kernel& kernel, const LaunchShape& shape, const Args&... args) {
    return launch_bytes(kernel, shape, {bytes_of_argument(args)...});
  }
  // The same with each argument as its bytes, in the order of the parameters.
  ReportKernel launch_bytes(Kernel& kernel, const LaunchShape& shape,
                            const std::vector<std::vector<uint8_t>>& args);

  // A launch file from beginning to end: host::run_file.
  RunReport run(const LaunchFile& file, const LaunchOptions& options = {},
                const std::string& save_folder = {}) {
    return host::run_file(device_, file, options, save_folder);
  }

  // Arrays, and objects of textures and surfaces by the rules of PTX ISA 5.3 and CUDA's runtime API. What is
  // refused throws Error with CUDA's name.
  // An array of zeros, with all its levels.
  ptx::TextureState allocate_array(const ArraySpec& spec) {
    return sim::allocate_array(device_.memory(), spec);
  }
  // Texels of a level (0: the largest) are packed: x first, then y, then z or layer. Throws Error (kUsage)
  // where there are not as many as the level has.
  template <class T>
  void upload_level(const ptx::TextureState& array, unsigned level, std::span<const T> texels) {
    if (texels.size_bytes() != level_bytes(array, level))
      throw Error(ErrorKind::kUsage, "the texels are not as many as the level has");
    write_level(device_.memory(), array, level, texels.data());
  }
  template <class T>
  std::vector<T> download_level(const ptx::TextureState& array, unsigned level) const {
    std::vector<T> texels(level_bytes(array, level) / sizeof(T));
    read_level(device_.memory(), array, level, texels.data());
    return texels;
  }
  // Handles, which kernels take as u64. They are valid as long as the simulator.
  uint64_t create_texture(const ptx::TextureState& resource, const ptx::SamplerState& sampler) {
    return sim::create_texture(device_.memory(), resource, sampler);
  }
  uint64_t create_surface(const ptx::TextureState& array) {
    return sim::create_surface(device_.memory(), array);
  }

  // What is below: configuration, memory, findings of checks, printf.
  Device& device() { return device_; }
  const Device& device() const { return device_; }

 private:
  template <class T>
  static std::vector<uint8_t> bytes_of_argument(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<uint8_t> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  Device device_;
};

}  // namespace gpuloom::sim
