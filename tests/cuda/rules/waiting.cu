// SPDX-License-Identifier: Apache-2.0
// Which calls wait for what is under way: default streams, memory, copies, and what the guide calls implicit
// synchronisation.
#include "rules.h"

// A stream that has something to do for a while: 5 ms on an H200.
constexpr long long kVeryLong = 10000000;
static cudaStream_t busy(unsigned flags = cudaStreamNonBlocking) {
  int* x = device_int();  // whatever the first use of the device costs lies behind
  const cudaStream_t s = stream(flags);
  add<<<1, 1, 0, s>>>(x, 1);
  DO(cudaDeviceSynchronize());
  wait<<<1, 1, 0, s>>>(kVeryLong);
  return s;
}

CASE(legacy_leaves_non_blocking_alone, "Success NotReady") {
  const cudaStream_t s = busy();
  say(cudaStreamSynchronize(nullptr));
  say(cudaStreamQuery(s));
}
CASE(per_thread_leaves_non_blocking_alone, "Success NotReady") {
  const cudaStream_t s = busy();
  say(cudaStreamSynchronize(cudaStreamPerThread));
  say(cudaStreamQuery(s));
}
CASE(per_thread_leaves_blocking_alone, "Success NotReady") {
  const cudaStream_t s = busy(cudaStreamDefault);
  say(cudaStreamSynchronize(cudaStreamPerThread));
  say(cudaStreamQuery(s));
}
CASE(legacy_waits_for_per_thread, "NotReady") {
  busy();
  DO(cudaDeviceSynchronize());
  wait<<<1, 1, 0, cudaStreamPerThread>>>(kVeryLong);
  const cudaEvent_t e = event();
  DO(cudaEventRecord(e));
  say(cudaEventQuery(e));
}
CASE(blocking_streams_leave_each_other_alone, "Success NotReady") {
  const cudaStream_t t = stream(cudaStreamDefault), s = busy(cudaStreamDefault);
  say(cudaStreamSynchronize(t));
  say(cudaStreamQuery(s));
}
CASE(synchronising_legacy_waits_for_blocking, "Success Success") {
  const cudaStream_t s = busy(cudaStreamDefault);
  say(cudaStreamSynchronize(nullptr));
  say(cudaStreamQuery(s));
}
CASE(two_blocking_with_legacy_between, "Success Success") {
  const cudaStream_t t = stream(cudaStreamDefault), s = busy(cudaStreamDefault);
  int* x = device_int();
  add<<<1, 1>>>(x, 1);
  add<<<1, 1, 0, t>>>(x, 1);
  say(cudaStreamSynchronize(t));
  say(cudaStreamQuery(s));
}
CASE(malloc_leaves_alone, "NotReady") {
  const cudaStream_t s = busy();
  int* x = nullptr;
  DO(cudaMalloc(&x, 64));
  say(cudaStreamQuery(s));
}
CASE(free_waits_for_all, "Success") {
  int* x = device_int();
  const cudaStream_t s = busy();
  DO(cudaFree(x));
  say(cudaStreamQuery(s));
}
// The H200 said Success: the first pool of a process takes longer there than busy() is.
CASE(malloc_async_leaves_alone, "NotReady") {
  const cudaStream_t s = busy();
  int* x = nullptr;
  DO(cudaMallocAsync(&x, 64, s));
  DO(cudaFreeAsync(x, s));
  say(cudaStreamQuery(s));
}
CASE(malloc_host_leaves_alone, "NotReady") {
  const cudaStream_t s = busy();
  int* x = nullptr;
  DO(cudaMallocHost(&x, 64));
  say(cudaStreamQuery(s));
}
CASE(free_host_waits_for_all, "Success") {
  int* x = nullptr;
  DO(cudaMallocHost(&x, 64));
  const cudaStream_t s = busy();
  DO(cudaFreeHost(x));
  say(cudaStreamQuery(s));
}
CASE(fill_of_device_memory_leaves_alone, "NotReady") {
  int* x = device_int();
  const cudaStream_t s = busy(cudaStreamDefault);
  DO(cudaMemset(x, 0, 4));
  say(cudaStreamQuery(s));
}
CASE(fill_of_pinned_memory_waits, "Success") {
  int* x = nullptr;
  DO(cudaMallocHost(&x, 64));
  const cudaStream_t s = busy(cudaStreamDefault);
  DO(cudaMemset(x, 0, 64));
  say(cudaStreamQuery(s));
}
CASE(copy_within_the_device_leaves_alone, "NotReady") {
  int *x = device_int(), *y = device_int();
  const cudaStream_t s = busy(cudaStreamDefault);
  DO(cudaMemcpy(x, y, 4, cudaMemcpyDeviceToDevice));
  say(cudaStreamQuery(s));
}
CASE(small_copy_from_pageable_waits_before, "Success") {
  int *x = device_int(), in = 3;
  const cudaStream_t s = busy(cudaStreamDefault);
  DO(cudaMemcpy(x, &in, 4, cudaMemcpyHostToDevice));
  say(cudaStreamQuery(s));
}
CASE(async_copy_from_pinned_leaves_alone, "NotReady") {
  int *x = device_int(), *pinned = nullptr;
  DO(cudaMallocHost(&pinned, 64));
  const cudaStream_t s = busy();
  DO(cudaMemcpyAsync(x, pinned, 4, cudaMemcpyHostToDevice, s));
  say(cudaStreamQuery(s));
}
CASE(async_copy_to_pageable_waits, "Success 8") {
  int *x = device_int(8), out = 0;
  const cudaStream_t s = busy();
  DO(cudaMemcpyAsync(&out, x, 4, cudaMemcpyDeviceToHost, s));
  say(cudaStreamQuery(s));
  say(out);
}
CASE(small_async_copy_from_pageable_leaves_alone, "NotReady 8") {
  int *x = device_int(), in = 8;
  const cudaStream_t s = busy();
  DO(cudaMemcpyAsync(x, &in, 4, cudaMemcpyHostToDevice, s));
  say(cudaStreamQuery(s));
  in = 9;
  DO(cudaStreamSynchronize(s));
  say(value_of(x));
}
CASE(large_async_copy_from_pageable_waits, "NotReady") {
  static char in[4 << 20];
  char* x = nullptr;
  DO(cudaMalloc(&x, sizeof in));
  const cudaStream_t s = busy();
  DO(cudaMemcpyAsync(x, in, sizeof in, cudaMemcpyHostToDevice, s));
  say(cudaStreamQuery(s));
}
static void changed_behind_the_call(size_t bytes) {
  char *x = nullptr, *in = static_cast<char*>(std::malloc(bytes)), out = 0;
  for (size_t i = 0; i < bytes; ++i) in[i] = 1;
  DO(cudaMalloc(&x, bytes));
  const cudaStream_t s = busy();
  DO(cudaMemcpyAsync(x, in, bytes, cudaMemcpyHostToDevice, s));
  say(cudaStreamQuery(s));
  for (size_t i = 0; i < bytes; ++i) in[i] = 2;
  DO(cudaStreamSynchronize(s));
  DO(cudaMemcpy(&out, x + bytes - 1, 1, cudaMemcpyDeviceToHost));
  say(static_cast<int>(out));
}
CASE(async_copy_of_256_kib_from_pageable, "NotReady 1") { changed_behind_the_call(256 << 10); }
CASE(async_copy_of_4_mib_from_pageable, "NotReady 1") { changed_behind_the_call(4 << 20); }
CASE(async_copy_of_128_mib_from_pageable, "NotReady 1") { changed_behind_the_call(128 << 20); }
CASE(new_streams_and_events_leave_alone, "NotReady") {
  const cudaStream_t s = busy();
  DO(cudaStreamDestroy(stream()));
  DO(cudaEventDestroy(event()));
  say(cudaStreamQuery(s));
}
CASE(function_attribute_leaves_alone, "NotReady") {
  const cudaStream_t s = busy();
  DO(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  say(cudaStreamQuery(s));
}
CASE(managed_malloc_leaves_alone, "NotReady") {
  const cudaStream_t s = busy();
  int* x = nullptr;
  DO(cudaMallocManaged(&x, 64));
  say(cudaStreamQuery(s));
}
CASE(register_leaves_alone, "NotReady") {
  static char host[8192];
  const cudaStream_t s = busy();
  DO(cudaHostRegister(host, 8192, cudaHostRegisterDefault));
  say(cudaStreamQuery(s));
}
CASE(graph_instantiate_leaves_alone, "NotReady") {
  const cudaStream_t s = busy();
  cudaGraph_t g = nullptr;
  cudaGraphExec_t exec = nullptr;
  DO(cudaGraphCreate(&g, 0));
  DO(cudaGraphInstantiate(&exec, g, 0));
  say(cudaStreamQuery(s));
}
CASE(event_before_work_leaves_it_alone, "Success NotReady") {
  const cudaStream_t s = stream();
  const cudaEvent_t e = event();
  DO(cudaEventRecord(e, s));
  wait<<<1, 1, 0, s>>>(kVeryLong);
  say(cudaEventSynchronize(e));
  say(cudaStreamQuery(s));
}
