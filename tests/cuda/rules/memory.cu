// SPDX-License-Identifier: Apache-2.0
// Memory, pools, devices, launches and errors that stay.
#include "rules.h"

CASE(error_launch_stays_until_taken, "InvalidValue InvalidValue Success") {
  add<<<1, 2000>>>(nullptr, 0);
  say(cudaPeekAtLastError());
  say(cudaGetLastError());
  say(cudaGetLastError());
}
CASE(error_success_does_not_clear, "MemoryAllocation MemoryAllocation") {
  int* x;
  say(cudaMalloc(&x, size_t{1} << 60));
  DO(cudaMalloc(&x, 4));
  say(cudaGetLastError());
}
CASE(error_fault_is_sticky,
     "Success IllegalAddress IllegalAddress Success IllegalAddress IllegalAddress") {
  int* x = device_int();
  fault<<<1, 1>>>(x);
  say(cudaGetLastError());
  say(cudaDeviceSynchronize());
  say(cudaGetLastError());
  say(cudaGetLastError());
  say(cudaMalloc(&x, 4));
  say(cudaStreamQuery(nullptr));
}
CASE(error_fault_in_one_stream_ends_others, "IllegalAddress IllegalAddress") {
  int *x = device_int(), *y = device_int();
  fault<<<1, 1, 0, stream()>>>(x);
  say(cudaDeviceSynchronize());
  add<<<1, 1, 0, nullptr>>>(y, 1);
  say(cudaGetLastError());
}
CASE(launch_grid_of_zero, "InvalidValue") {
  add<<<0, 1>>>(nullptr, 0);
  say(cudaGetLastError());
}
CASE(launch_too_much_shared, "InvalidValue") {
  add<<<1, 1, 49153>>>(nullptr, 0);
  say(cudaGetLastError());
}
CASE(launch_more_shared_than_attribute_allows, "Success Success 2 InvalidValue") {
  say(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  int* x = device_int();
  add<<<1, 1, 65536>>>(x, 2);
  say(cudaGetLastError());
  say(value_of(x));
  say(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
}
CASE(device_count_and_selection, "Success InvalidDevice InvalidDevice") {
  say(cudaSetDevice(0));
  say(cudaSetDevice(-1));
  say(cudaSetDevice(1 << 20));
}
CASE(device_flags_after_use, "Success 1") {
  DO(cudaFree(nullptr));
  say(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
  unsigned flags = 0;
  DO(cudaGetDeviceFlags(&flags));
  say(static_cast<int>(flags & cudaDeviceScheduleMask));
}
CASE(peer_of_itself, "Success 0 PeerAccessUnsupported") {
  int can = 9;
  say(cudaDeviceCanAccessPeer(&can, 0, 0));
  say(can);
  say(cudaDeviceEnablePeerAccess(0, 0));
}
CASE(malloc_of_nothing, "Success yes Success") {
  void* x = reinterpret_cast<void*>(8);
  say(cudaMalloc(&x, 0));
  say(x == nullptr);
  say(cudaFree(x));
}
CASE(free_twice, "InvalidValue") {
  int* x = device_int();
  DO(cudaFree(x));
  say(cudaFree(x));
}
CASE(free_of_host_memory, "InvalidValue InvalidValue") {
  static int local;
  say(cudaFree(&local));
  say(cudaFreeHost(&local));
}
CASE(free_pinned_with_cuda_free, "InvalidValue") {
  int* x;
  DO(cudaMallocHost(&x, 4));
  say(cudaFree(x));
}
CASE(memcpy_of_nothing, "Success") { say(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault)); }
CASE(memcpy_null, "InvalidValue") {
  int* x = device_int();
  say(cudaMemcpy(x, nullptr, 4, cudaMemcpyHostToDevice));
}
CASE(memcpy_default_finds_direction, "Success Success 42") {
  int* x = device_int();
  const int in = 42;
  int out = 0;
  say(cudaMemcpy(x, &in, 4, cudaMemcpyDefault));
  say(cudaMemcpy(&out, x, 4, cudaMemcpyDefault));
  say(out);
}
CASE(memcpy_2d_pitch_too_small, "InvalidPitchValue") {
  char* x;
  DO(cudaMalloc(&x, 4096));
  char host[4096];
  say(cudaMemcpy2D(x, 16, host, 64, 32, 4, cudaMemcpyHostToDevice));
}
CASE(memset_past_the_end, "Success InvalidValue") {
  char* x;
  DO(cudaMalloc(&x, 256));
  say(cudaMemset(x, 0, 256));
  say(cudaMemset(x, 0, size_t{1} << 40));
}
CASE(pointer_attributes, "Success 2 Success 1 Success 3 Success 0") {
  int *device = device_int(), *pinned, *managed, local;
  DO(cudaMallocHost(&pinned, 4));
  DO(cudaMallocManaged(&managed, 4));
  cudaPointerAttributes a;
  for (const void* p : {static_cast<void*>(device), static_cast<void*>(pinned), static_cast<void*>(managed),
                        static_cast<void*>(&local)}) {
    say(cudaPointerGetAttributes(&a, p));
    say(static_cast<int>(a.type));
  }
}
CASE(register_twice, "Success HostMemoryAlreadyRegistered Success HostMemoryNotRegistered") {
  static char host[8192];
  say(cudaHostRegister(host, 4096, cudaHostRegisterDefault));
  say(cudaHostRegister(host, 4096, cudaHostRegisterDefault));
  say(cudaHostUnregister(host));
  say(cudaHostUnregister(host));
}
CASE(pool_free_with_cuda_free, "Success") {
  int* x = nullptr;
  DO(cudaMallocAsync(&x, 64, nullptr));
  say(cudaFree(x));
}
CASE(pool_free_async_of_malloc, "Success") {
  int* x = device_int();
  say(cudaFreeAsync(x, nullptr));
}
CASE(pool_free_async_twice, "InvalidValue") {
  int* x = nullptr;
  DO(cudaMallocAsync(&x, 64, nullptr));
  DO(cudaFreeAsync(x, nullptr));
  say(cudaFreeAsync(x, nullptr));
}
CASE(pool_used_and_reserved, "Success Success 1048576 yes") {
  cudaMemPool_t pool;
  DO(cudaDeviceGetDefaultMemPool(&pool, 0));
  int* x = nullptr;
  DO(cudaMallocAsync(&x, 1 << 20, nullptr));
  unsigned long long used = 0, reserved = 0;
  say(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  say(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  say(static_cast<long long>(used));
  say(reserved >= used);
}
CASE(pool_release_threshold_default, "Success 0") {
  cudaMemPool_t pool;
  DO(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long threshold = 9;
  say(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  say(static_cast<long long>(threshold));
}
CASE(managed_after_kernel, "23") {
  int* x;
  DO(cudaMallocManaged(&x, 4));
  *x = 20;
  add<<<1, 1>>>(x, 3);
  DO(cudaDeviceSynchronize());
  say(*x);
}
CASE(limits_are_kept, "Success 4096") {
  size_t value = 0;
  say(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  DO(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  say(static_cast<long long>(value));
}
