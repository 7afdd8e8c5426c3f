// SPDX-License-Identifier: Apache-2.0
// What a launch is refused for, how a kernel fails, and which errors stay; the choice of a device, and peers.
#include <cassert>

#include "rules.h"

static __global__ void idle() {}
static __global__ void trap() { asm volatile("trap;"); }
static __global__ void misaligned(char* x) { *reinterpret_cast<volatile int*>(x + 1) = 1; }
static __global__ void insist(int x) { assert(x == 1); }
static __global__ void shared_fault(int i) {
  __shared__ volatile int a[32];
  a[i] = 1;
}
static void after_fault() {
  say(cudaDeviceSynchronize());
  say(cudaGetLastError());
  int* x = nullptr;
  say(cudaMalloc(&x, 4));
}
CASE(error_trap, "LaunchFailure LaunchFailure LaunchFailure") {
  trap<<<1, 1>>>();
  after_fault();
}
CASE(error_misaligned, "MisalignedAddress MisalignedAddress MisalignedAddress") {
  char* x;
  DO(cudaMalloc(&x, 64));
  misaligned<<<1, 1>>>(x);
  after_fault();
}
CASE(error_assert, "Assert Assert Assert") {
  insist<<<1, 1>>>(2);
  after_fault();
}
CASE(error_shared_out_of_range, "IllegalAddress IllegalAddress IllegalAddress") {
  shared_fault<<<1, 1>>>(1 << 20);
  after_fault();
}
// The H200 said DevicesUnavailable behind the reset, where several processes had just faulted on it. CUDA runtime API,
// cudaDeviceReset: the next call makes a new context.
CASE(error_reset_heals, "IllegalAddress Success Success Success") {
  fault<<<1, 1>>>(device_int());
  say(cudaDeviceSynchronize());
  say(cudaDeviceReset());
  int* x = nullptr;
  cudaGetLastError();
  say(cudaMalloc(&x, 4));
  say(cudaGetLastError());
}
CASE(error_of_last_call_not_of_launch, "InvalidValue Success") {
  add<<<1, 0>>>(nullptr, 0);
  say(cudaDeviceSynchronize() == cudaSuccess ? cudaPeekAtLastError() : cudaErrorUnknown);
  cudaGetLastError();
  say(cudaGetLastError());
}
CASE(error_name_of_unknown, "unrecognized error code") {
  say(std::string(cudaGetErrorName(static_cast<cudaError_t>(12345))));
}
CASE(launch_block_of_zero, "InvalidValue") {
  add<<<1, 0>>>(nullptr, 0);
  say(cudaGetLastError());
}
CASE(launch_block_z_too_large, "InvalidValue") {
  add<<<1, dim3(1, 1, 65)>>>(nullptr, 0);
  say(cudaGetLastError());
}
CASE(launch_grid_y_too_large, "InvalidValue") {
  add<<<dim3(1, 65536), 1>>>(nullptr, 0);
  say(cudaGetLastError());
}
CASE(launch_of_what_is_not_a_kernel, "InvalidResourceHandle InvalidResourceHandle") {
  static int local;
  say(cudaLaunchKernel(&local, dim3(1), dim3(1), nullptr, 0, nullptr));
  say(cudaGetLastError());
}
static cudaError_t launch_with_cluster(int grid, int cluster, size_t shared = 0) {
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(grid);
  c.blockDim = dim3(32);
  c.dynamicSmemBytes = shared;
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeClusterDimension;
  a.val.clusterDim.x = cluster, a.val.clusterDim.y = a.val.clusterDim.z = 1;
  c.attrs = &a;
  c.numAttrs = 1;
  return cudaLaunchKernelEx(&c, idle);
}
CASE(launch_cluster_must_divide_the_grid, "InvalidClusterSize") { say(launch_with_cluster(4, 3)); }
CASE(launch_cluster_of_eight, "Success") { say(launch_with_cluster(8, 8)); }
CASE(launch_cluster_of_sixteen_needs_leave, "InvalidClusterSize Success Success") {
  say(launch_with_cluster(16, 16));
  say(cudaFuncSetAttribute(idle, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  say(launch_with_cluster(16, 16));
}
CASE(launch_cluster_of_32, "InvalidClusterSize") {
  DO(cudaFuncSetAttribute(idle, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  say(launch_with_cluster(32, 32));
}
CASE(launch_cooperative_too_large, "CooperativeLaunchTooLarge Success") {
  int n = 1;
  int* x = device_int();
  void* arguments[] = {&x, &n};
  const void* f = reinterpret_cast<const void*>(add);
  say(cudaLaunchCooperativeKernel(f, dim3(100000), dim3(1024), arguments, 0, nullptr));
  cudaGetLastError();
  say(cudaLaunchCooperativeKernel(f, dim3(132), dim3(1024), arguments, 0, nullptr));
}
CASE(launch_of_another_streams_error_is_told_once, "InvalidValue Success Success") {
  add<<<1, 2000, 0, stream()>>>(nullptr, 0);
  say(cudaGetLastError());
  add<<<1, 1, 0, stream()>>>(device_int(), 0);
  say(cudaGetLastError());
  say(cudaDeviceSynchronize());
}
CASE(device_bad_choice_keeps_the_old, "InvalidDevice 0") {
  DO(cudaSetDevice(0));
  say(cudaSetDevice(1 << 20));
  int device = 9;
  DO(cudaGetDevice(&device));
  say(device);
}
CASE(device_properties_of_none, "InvalidDevice") {
  cudaDeviceProp p;
  say(cudaGetDeviceProperties(&p, 1 << 20));
}
CASE(device_attribute_unknown, "InvalidValue InvalidDevice") {
  int value = 0;
  say(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(100000), 0));
  say(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1 << 20));
}
CASE(device_flags_before_use, "Success 4") {
  say(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  unsigned flags = 0;
  DO(cudaGetDeviceFlags(&flags));
  say(static_cast<int>(flags & cudaDeviceScheduleMask));
}
CASE(device_flags_unknown, "InvalidValue") { say(cudaSetDeviceFlags(1 << 20)); }
CASE(device_reset_frees, "Success InvalidValue") {
  int* x = device_int();
  say(cudaDeviceReset());
  say(cudaFree(x));
}
CASE(peer_bad_device, "InvalidDevice InvalidDevice") {
  int can = 9;
  say(cudaDeviceCanAccessPeer(&can, 0, 1 << 20));
  say(cudaDeviceEnablePeerAccess(1 << 20, 0));
}
CASE(peer_disable_what_is_not_enabled, "PeerAccessNotEnabled") { say(cudaDeviceDisablePeerAccess(0)); }
CASE(peer_copy_to_itself, "Success 6") {
  int *x = device_int(6), *y = device_int();
  say(cudaMemcpyPeer(y, 0, x, 0, 4));
  say(value_of(y));
}
CASE(peer_copy_bad_device, "InvalidDevice") {
  int *x = device_int(6), *y = device_int();
  say(cudaMemcpyPeer(y, 1 << 20, x, 0, 4));
}
CASE(symbol_that_is_none, "InvalidSymbol") {
  static int local;
  void* address = nullptr;
  say(cudaGetSymbolAddress(&address, &local));
}
CASE(limit_unknown, "InvalidValue InvalidValue") {
  size_t value = 0;
  say(cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1));
  say(cudaDeviceGetLimit(&value, static_cast<cudaLimit>(99)));
}
