// SPDX-License-Identifier: Apache-2.0
// Types of CUDA 13's runtime ABI, by our own declarations: sizes and offsets as compiled programs have them
// (tests/cuda/abi_check.cu compares them with the headers of a toolkit where there is one).
#pragma once
#include <cstddef>
#include <cstdint>

namespace gpuloom::cudart {

// The name of a function of the ABI, as programs link to it.
#define GPULOOM_CUDA extern "C" __attribute__((visibility("default")))

struct Dim3 {
  unsigned x, y, z;
};

// Handles: pointers to what the runtime keeps, opaque to programs.
using StreamHandle = struct StreamHandleTag*;
using EventHandle = struct EventHandleTag*;
using GraphHandle = struct GraphHandleTag*;
using NodeHandle = struct NodeHandleTag*;
using GraphExecHandle = struct GraphExecHandleTag*;
using ArrayHandle = struct ArrayHandleTag*;
using MipmappedArrayHandle = struct MipmappedArrayHandleTag*;
using KernelHandle = struct KernelHandleTag*;
using LibraryHandle = struct LibraryHandleTag*;
using PoolHandle = struct PoolHandleTag*;
using UserObjectHandle = struct UserObjectHandleTag*;
using TextureHandle = unsigned long long;
using HostFunction = void (*)(void*);
using StreamCallback = void (*)(StreamHandle, int, void*);

struct ExtentAbi {
  size_t width, height, depth;
};
struct PositionAbi {
  size_t x, y, z;
};
struct PitchedPointer {
  void* pointer;
  size_t pitch, xsize, ysize;
};
struct ChannelDescAbi {
  int x, y, z, w, kind;
};

struct Copy3D {  // cudaMemcpy3DParms
  ArrayHandle source_array;
  PositionAbi source_position;
  PitchedPointer source;
  ArrayHandle target_array;
  PositionAbi target_position;
  PitchedPointer target;
  ExtentAbi extent;
  int kind;
};
static_assert(sizeof(Copy3D) == 160);

struct Copy3DPeer {  // cudaMemcpy3DPeerParms
  ArrayHandle source_array;
  PositionAbi source_position;
  PitchedPointer source;
  int source_device;
  ArrayHandle target_array;
  PositionAbi target_position;
  PitchedPointer target;
  int target_device;
  ExtentAbi extent;
};

struct MemsetAbi {  // cudaMemsetParams
  void* target;
  size_t pitch;
  unsigned value, element;
  size_t width, height;
};

struct HostNode {  // cudaHostNodeParams
  HostFunction function;
  void* data;
};

struct KernelNode {  // cudaKernelNodeParams
  void* function;
  Dim3 grid, block;
  unsigned shared;
  void** arguments;
  void** extra;
};
static_assert(sizeof(KernelNode) == 56);

struct AccessWindow {  // cudaAccessPolicyWindow
  void* base;
  size_t bytes;
  float hit_ratio;
  int hit, miss;
};

enum LaunchAttributeId : int {
  kAttributeIgnore = 0,
  kAttributeAccessWindow = 1,
  kAttributeCooperative = 2,
  kAttributeSynchronizationPolicy = 3,
  kAttributeCluster = 4,
  kAttributeClusterPolicy = 5,
  kAttributeProgrammaticSerialization = 6,
  kAttributeProgrammaticEvent = 7,
  kAttributePriority = 8,
  kAttributeMemorySyncDomainMap = 9,
  kAttributeMemorySyncDomain = 10,
  kAttributePreferredCluster = 11,
  kAttributeLaunchCompletionEvent = 12,
  kAttributeDeviceUpdatable = 13,
  kAttributeCarveout = 14,
  kAttributeNvlinkScheduling = 16,
};

union LaunchAttributeValue {
  char pad[64];
  AccessWindow window;
  int integer;
  Dim3 cluster;
  struct {
    EventHandle event;
    int flags, trigger_at_start;
  } event;
  unsigned carveout;
};

struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[4];
  LaunchAttributeValue value;
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {  // cudaLaunchConfig_t
  Dim3 grid, block;
  size_t shared;
  StreamHandle stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(LaunchConfig) == 56);

struct FunctionAttributes {  // cudaFuncAttributes
  size_t shared_bytes, const_bytes, local_bytes;
  int max_threads, registers, ptx_version, binary_version, cache_ca, max_dynamic_shared, carveout,
      cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy, nonportable_cluster;
  int reserved[16];
};
static_assert(sizeof(FunctionAttributes) == 144);

struct PointerAttributes {  // cudaPointerAttributes
  int type, device;
  void *device_pointer, *host_pointer;
  long reserved[8];
};

struct Location {  // cudaMemLocation
  int type, id;
};

struct DeviceProperties {  // cudaDeviceProp
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_node_mask;
  size_t global_memory, shared_per_block;
  int registers_per_block, warp_size;
  size_t pitch_max;
  int threads_per_block, block_max[3], grid_max[3];
  size_t const_memory;
  int major, minor;
  size_t texture_alignment, texture_pitch_alignment;
  int processors, integrated, maps_host_memory;
  int texture_1d, texture_1d_mipmap, texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3],
      texture_2d_gather[2], texture_3d[3], texture_3d_alt[3], texture_cube, texture_1d_layered[2],
      texture_2d_layered[3], texture_cube_layered[2];
  int surface_1d, surface_2d[2], surface_3d[3], surface_1d_layered[2], surface_2d_layered[3], surface_cube,
      surface_cube_layered[2];
  size_t surface_alignment;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified_addressing,
      bus_width, l2_size, persisting_l2, threads_per_processor, priorities, l1_global, l1_local;
  size_t shared_per_processor;
  int registers_per_processor, managed, multi_gpu_board, board_group, host_atomics, pageable_access,
      concurrent_managed, preemption, host_pointer_for_registered, cooperative;
  size_t shared_optin;
  int pageable_by_host_tables, direct_managed_from_host, blocks_per_processor, window_max;
  size_t shared_reserved;
  int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, pools, gpu_direct;
  unsigned gpu_direct_flush;
  int gpu_direct_ordering;
  unsigned pool_handle_types;
  int deferred_arrays, ipc_events, cluster, unified_functions, numa_config, numa_id, mps, host_numa;
  unsigned pci_device_id, pci_subsystem_id;
  int numa_multinode;
  int reserved[56];
};
static_assert(sizeof(DeviceProperties) == 1008);

struct ResourceDesc {  // cudaResourceDesc
  int type;            // 0 array, 1 mipmapped array, 2 linear, 3 pitched
  union {
    ArrayHandle array;
    MipmappedArrayHandle mipmapped;
    struct {
      void* pointer;
      ChannelDescAbi channels;
      size_t bytes;
    } linear;
    struct {
      void* pointer;
      ChannelDescAbi channels;
      size_t width, height, pitch;
    } pitched;
    int reserved[32];
  } resource;
  unsigned flags;
};

struct TextureDesc {  // cudaTextureDesc
  int address[3];
  int filter, read, srgb;
  float border[4];
  int normalized;
  unsigned anisotropy;
  int mip_filter;
  float level_bias, level_min, level_max;
  int no_trilinear_optimization, seamless;
};

struct PoolProperties {  // cudaMemPoolProps
  int allocation, handles;
  Location location;
  void* security;
  size_t most;
  unsigned short usage;
  unsigned char reserved[54];
};

struct AccessDesc {  // cudaMemAccessDesc
  Location location;
  int flags;
};

struct AllocateNode {  // cudaMemAllocNodeParams
  PoolProperties pool;
  const AccessDesc* access;
  size_t access_count, bytes;
  void* pointer;
};

struct ConditionalNode {  // cudaConditionalNodeParams
  unsigned long long handle;
  int type;
  unsigned size;
  GraphHandle* bodies;
  void* context;
};

struct CopyNodeParams {
  int flags, reserved[3];
  Copy3D copy;
};

struct NodeParams {  // cudaGraphNodeParams
  int type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelNode kernel;
    CopyNodeParams copy;
    MemsetAbi memset;
    HostNode host;
    GraphHandle graph;
    EventHandle event;
    AllocateNode allocate;
    void* release;
    ConditionalNode conditional;
  };
  long long reserved2;
};
static_assert(sizeof(NodeParams) == 256);

struct EdgeData {  // cudaGraphEdgeData
  unsigned char from_port, to_port, type, reserved[5];
};

struct InstantiateParams {  // cudaGraphInstantiateParams
  unsigned long long flags;
  StreamHandle upload;
  NodeHandle failed;
  int result;
};

struct UpdateInfo {  // cudaGraphExecUpdateResultInfo
  int result;
  NodeHandle failed, failed_from;
};

// Fatbins as nvcc puts them into .nvFatBinSegment.
struct FatbinWrapper {
  uint32_t magic, version;  // 1: one fatbin; 2: linked by -rdc=true, units in `more`
  const void* data;
  const void* const* more;
};
constexpr uint32_t kFatbinWrapperMagic = 0x466243b1;

}  // namespace gpuloom::cudart
