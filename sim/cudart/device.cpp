// SPDX-License-Identifier: Apache-2.0
// Devices: which there are, what they are, their limits and settings.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "sim/cudart/process.h"
#include "sim/host/properties.h"
#include "sim/host/visible_devices.h"

namespace gpuloom::cudart {
namespace {

int attribute(host::Context& c, int number) {
  const auto value = c.attributes().value(number);
  host::require(value.has_value());
  return *value;
}

// Each device has a bus of its own, from 01 on.
std::string pci_bus_id(unsigned device) { return fmt::format("0000:{:02x}:00.0", device + 1); }

// Runs of fields whose values are attributes.
struct Field {
  int DeviceProperties::*field;
  int attribute;
};
constexpr Field kFields[] = {
    {&DeviceProperties::registers_per_block, 12},
    {&DeviceProperties::warp_size, 10},
    {&DeviceProperties::threads_per_block, 1},
    {&DeviceProperties::major, 75},
    {&DeviceProperties::minor, 76},
    {&DeviceProperties::processors, 16},
    {&DeviceProperties::integrated, 18},
    {&DeviceProperties::maps_host_memory, 19},
    {&DeviceProperties::texture_1d, 21},
    {&DeviceProperties::texture_1d_mipmap, 77},
    {&DeviceProperties::texture_cube, 52},
    {&DeviceProperties::surface_1d, 55},
    {&DeviceProperties::surface_cube, 66},
    {&DeviceProperties::concurrent_kernels, 31},
    {&DeviceProperties::ecc, 32},
    {&DeviceProperties::pci_bus, 33},
    {&DeviceProperties::pci_device, 34},
    {&DeviceProperties::pci_domain, 50},
    {&DeviceProperties::tcc, 35},
    {&DeviceProperties::async_engines, 40},
    {&DeviceProperties::unified_addressing, 41},
    {&DeviceProperties::bus_width, 37},
    {&DeviceProperties::l2_size, 38},
    {&DeviceProperties::persisting_l2, 108},
    {&DeviceProperties::threads_per_processor, 39},
    {&DeviceProperties::priorities, 78},
    {&DeviceProperties::l1_global, 79},
    {&DeviceProperties::l1_local, 80},
    {&DeviceProperties::registers_per_processor, 82},
    {&DeviceProperties::managed, 83},
    {&DeviceProperties::multi_gpu_board, 84},
    {&DeviceProperties::board_group, 85},
    {&DeviceProperties::host_atomics, 86},
    {&DeviceProperties::pageable_access, 88},
    {&DeviceProperties::concurrent_managed, 89},
    {&DeviceProperties::preemption, 90},
    {&DeviceProperties::host_pointer_for_registered, 91},
    {&DeviceProperties::cooperative, 95},
    {&DeviceProperties::pageable_by_host_tables, 100},
    {&DeviceProperties::direct_managed_from_host, 101},
    {&DeviceProperties::blocks_per_processor, 106},
    {&DeviceProperties::window_max, 109},
    {&DeviceProperties::host_register, 99},
    {&DeviceProperties::sparse_arrays, 112},
    {&DeviceProperties::host_register_read_only, 113},
    {&DeviceProperties::timeline_semaphores, 114},
    {&DeviceProperties::pools, 115},
    {&DeviceProperties::gpu_direct, 116},
    {&DeviceProperties::deferred_arrays, 121},
    {&DeviceProperties::ipc_events, 125},
    {&DeviceProperties::cluster, 120},
    {&DeviceProperties::numa_config, 130},
    {&DeviceProperties::numa_id, 131},
    {&DeviceProperties::host_numa, 134},
};

template <size_t N>
void fill(host::Context& c, int (&field)[N], const int (&attributes)[N]) {
  for (size_t k = 0; k < N; ++k) field[k] = attribute(c, attributes[k]);
}

void fill_extents(host::Context& c, DeviceProperties& p) {
  fill(c, p.block_max, {2, 3, 4});
  fill(c, p.grid_max, {5, 6, 7});
  fill(c, p.texture_2d, {22, 23});
  fill(c, p.texture_2d_mipmap, {73, 74});
  fill(c, p.texture_2d_linear, {70, 71, 72});
  fill(c, p.texture_2d_gather, {45, 46});
  fill(c, p.texture_3d, {24, 25, 26});
  fill(c, p.texture_3d_alt, {47, 48, 49});
  fill(c, p.texture_1d_layered, {42, 43});
  fill(c, p.texture_2d_layered, {27, 28, 29});
  fill(c, p.texture_cube_layered, {53, 54});
  fill(c, p.surface_2d, {56, 57});
  fill(c, p.surface_3d, {58, 59, 60});
  fill(c, p.surface_1d_layered, {61, 62});
  fill(c, p.surface_2d_layered, {63, 64, 65});
  fill(c, p.surface_cube_layered, {67, 68});
}

void fill_properties(host::Context& c, DeviceProperties& p) {
  p = {};
  const std::string name = host::device_name(c.device().gpu());
  std::memcpy(p.name, name.c_str(), std::min(name.size(), sizeof p.name - 1));
  const std::string identity = host::device_identity(c.device().config(), c.place());
  std::memcpy(p.uuid, identity.data(), std::min(identity.size(), sizeof p.uuid));
  p.global_memory = c.memory().capacity();
  p.shared_per_block = static_cast<size_t>(attribute(c, 8));
  p.pitch_max = static_cast<size_t>(attribute(c, host::kMaxPitchAttribute));
  p.const_memory = static_cast<size_t>(attribute(c, 9));
  p.texture_alignment = static_cast<size_t>(attribute(c, 14));
  p.texture_pitch_alignment = static_cast<size_t>(attribute(c, 51));
  p.surface_alignment = static_cast<size_t>(attribute(c, 30));
  p.shared_per_processor = static_cast<size_t>(attribute(c, 81));
  p.shared_optin = static_cast<size_t>(attribute(c, 97));
  p.shared_reserved = static_cast<size_t>(attribute(c, 111));
  for (const Field& f : kFields) p.*f.field = attribute(c, f.attribute);
  fill_extents(c, p);
}

}  // namespace

GPULOOM_CUDA int cudaGetDeviceCount(int* count) {
  return call_anyway([&](host::Runtime& r) {
    host::require(count != nullptr);
    *count = r.device_count();
    r.require_some_device();
  });
}

GPULOOM_CUDA int cudaGetDevice(int* device) {
  return call_anyway([&](host::Runtime& r) {
    host::require(device != nullptr);
    r.require_some_device();
    *device = thread_state().device;
  });
}

GPULOOM_CUDA int cudaSetDevice(int device) {
  // Also after a fault (two H200s: tests/cuda/peers).
  return call_anyway([&](host::Runtime& r) {
    r.context(checked_device(r, device));
    thread_state().device = device;
  });
}

GPULOOM_CUDA int cudaInitDevice(int device, unsigned, unsigned) {
  return guarded(Touches::kDevice, [&](host::Runtime& r) { r.context(checked_device(r, device)); });
}

GPULOOM_CUDA int cudaSetValidDevices(int* devices, int count) {
  return call_anyway([&](host::Runtime& r) {
    for (int k = 0; k < count; ++k) checked_device(r, devices[k]);
  });
}

GPULOOM_CUDA int cudaChooseDevice(int* device, const DeviceProperties*) {
  return call_anyway([&](host::Runtime& r) {
    host::require(device != nullptr);
    r.require_some_device();
    *device = 0;
  });
}

// How the host waits makes no difference here.
GPULOOM_CUDA int cudaSetDeviceFlags(unsigned flags) {
  return call_anyway([&](host::Runtime& r) {
    constexpr unsigned kKnown = 0xff;  // how to wait, mapped memory, local memory, IPC memory
    host::require((flags & ~kKnown) == 0);
    r.flags = flags;
  });
}

GPULOOM_CUDA int cudaGetDeviceFlags(unsigned* flags) {
  return call_anyway([&](host::Runtime& r) {
    host::require(flags != nullptr);
    constexpr unsigned kMapHost = 8;
    *flags = r.flags | kMapHost;
  });
}

GPULOOM_CUDA int cudaGetDeviceProperties(DeviceProperties* properties, int device) {
  return call([&](host::Runtime& r, host::Context&) {
    host::Context& c = r.context(checked_device(r, device));
    host::require(properties != nullptr);
    fill_properties(c, *properties);
  });
}

GPULOOM_CUDA int cudaDeviceGetAttribute(int* value, int number, int device) {
  return call([&](host::Runtime& r, host::Context&) {
    host::Context& c = r.context(checked_device(r, device));
    host::require(value != nullptr);
    *value = attribute(c, number);
  });
}

GPULOOM_CUDA int cudaDeviceSynchronize() {
  return call([&](host::Runtime&, host::Context& c) {
    c.captures().forbid_wait_for_all();
    c.synchronise();
  });
}

GPULOOM_CUDA int cudaDeviceReset() {
  return call_anyway([&](host::Runtime& r) {
    host::require(!r.in_host_function(), Status::kNotPermitted);
    r.reset(static_cast<unsigned>(thread_state().device));
  });
}

GPULOOM_CUDA int cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return call_anyway([&](host::Runtime& r) {
    const std::string id = pci_bus_id(checked_device(r, device));
    host::require(text != nullptr && length > static_cast<int>(id.size()));
    std::strcpy(text, id.c_str());
  });
}

GPULOOM_CUDA int cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return call_anyway([&](host::Runtime& r) {
    r.require_some_device();
    host::require(device != nullptr && text != nullptr);
    const std::string_view asked(text);
    for (int k = 0; k < r.device_count(); ++k) {
      const std::string ours = pci_bus_id(static_cast<unsigned>(k));
      if (asked != ours && asked != ours.substr(5) && !ours.starts_with(asked)) continue;
      *device = k;
      return;
    }
    throw Failure(Status::kInvalidDevice);
  });
}

GPULOOM_CUDA int cudaDeviceGetLimit(size_t* value, int limit) {
  return call([&](host::Runtime& r, host::Context&) {
    host::require(value != nullptr);
    const auto known = r.limits.find(limit);
    host::require(known != r.limits.end());
    *value = known->second;
  });
}

GPULOOM_CUDA int cudaDeviceSetLimit(int limit, size_t value) {
  return call([&](host::Runtime& r, host::Context& c) {
    const auto known = r.limits.find(limit);
    host::require(known != r.limits.end());
    not_in_capture(c);
    known->second = value;
    sim::DeviceLimits limits = c.device().options().limits;
    if (limit == host::kLimitHeap) limits.heap_bytes = value;
    // The driver's stack grows to what a kernel declares; the limit matters for calls beyond it.
    if (limit == host::kLimitStack) limits.stack_bytes = 0;
    c.device().set_limits(limits);
  });
}

// Shared memory and L1 are one; the driver decides, and so do we.
GPULOOM_CUDA int cudaDeviceGetCacheConfig(int* config) {
  if (config != nullptr) *config = 0;
  return 0;
}
GPULOOM_CUDA int cudaDeviceSetCacheConfig(int) { return 0; }
GPULOOM_CUDA int cudaDeviceGetSharedMemConfig(int* config) {
  if (config != nullptr) *config = 1;  // banks of four bytes, always
  return 0;
}
GPULOOM_CUDA int cudaDeviceSetSharedMemConfig(int) { return 0; }
GPULOOM_CUDA int cudaCtxResetPersistingL2Cache() { return 0; }

GPULOOM_CUDA int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;  // as an H200 answers
  return 0;
}

}  // namespace gpuloom::cudart
