// SPDX-License-Identifier: Apache-2.0
// Which calls wait for what is under way: default streams, memory, copies, and what the guide calls implicit
// synchronisation.
#include "rules.h"

constexpr long long kVeryLong = 10000000;
// A stream that has something to do for a while: 5 ms on an H200. At the end of the case it says whether it
// still has.
class Busy {
 public:
  explicit Busy(unsigned flags = cudaStreamNonBlocking) {
    int* x = device_int();  // whatever the first use of the device costs lies behind
    stream_ = stream(flags);
    add<<<1, 1, 0, stream_>>>(x, 1);
    DO(cudaDeviceSynchronize());
    wait<<<1, 1, 0, stream_>>>(kVeryLong);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() {
    if (asked_) return;
    say(cudaStreamQuery(stream_));
  }
  // Before the end of the case.
  void ask() {
    say(cudaStreamQuery(stream_));
    asked_ = true;
  }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
  bool asked_ = false;
};

CASE(legacy_leaves_non_blocking_alone, "Success NotReady") {
  const Busy s;
  say(cudaStreamSynchronize(nullptr));
}
CASE(per_thread_leaves_non_blocking_alone, "Success NotReady") {
  const Busy s;
  say(cudaStreamSynchronize(cudaStreamPerThread));
}
CASE(per_thread_leaves_blocking_alone, "Success NotReady") {
  const Busy s(cudaStreamDefault);
  say(cudaStreamSynchronize(cudaStreamPerThread));
}
CASE(legacy_waits_for_per_thread, "NotReady") {
  add<<<1, 1>>>(device_int(), 1);
  DO(cudaDeviceSynchronize());
  wait<<<1, 1, 0, cudaStreamPerThread>>>(kVeryLong);
  const cudaEvent_t e = event();
  DO(cudaEventRecord(e));
  say(cudaEventQuery(e));
}
CASE(blocking_streams_leave_each_other_alone, "Success NotReady") {
  const cudaStream_t t = stream(cudaStreamDefault);
  const Busy s(cudaStreamDefault);
  say(cudaStreamSynchronize(t));
}
CASE(synchronising_legacy_waits_for_blocking, "Success Success") {
  const Busy s(cudaStreamDefault);
  say(cudaStreamSynchronize(nullptr));
}
CASE(two_blocking_with_legacy_between, "Success Success") {
  const cudaStream_t t = stream(cudaStreamDefault);
  const Busy s(cudaStreamDefault);
  int* x = device_int();
  add<<<1, 1>>>(x, 1);
  add<<<1, 1, 0, t>>>(x, 1);
  say(cudaStreamSynchronize(t));
}
CASE(malloc_leaves_alone, "NotReady") {
  const Busy s;
  int* x = nullptr;
  DO(cudaMalloc(&x, 64));
}
CASE(free_waits_for_all, "Success") {
  int* x = device_int();
  const Busy s;
  DO(cudaFree(x));
}
// The H200 said Success: the first pool of a process takes longer there than the stream is busy.
CASE(malloc_async_leaves_alone, "NotReady") {
  const Busy s;
  int* x = nullptr;
  DO(cudaMallocAsync(&x, 64, s));
  DO(cudaFreeAsync(x, s));
}
CASE(malloc_host_leaves_alone, "NotReady") {
  const Busy s;
  int* x = nullptr;
  DO(cudaMallocHost(&x, 64));
}
CASE(free_host_waits_for_all, "Success") {
  int* x = pinned_int();
  const Busy s;
  DO(cudaFreeHost(x));
}
CASE(fill_of_device_memory_leaves_alone, "NotReady") {
  int* x = device_int();
  const Busy s(cudaStreamDefault);
  DO(cudaMemset(x, 0, 4));
}
CASE(fill_of_pinned_memory_waits, "Success") {
  int* x = pinned_int();
  const Busy s(cudaStreamDefault);
  DO(cudaMemset(x, 0, 4));
}
CASE(copy_within_the_device_leaves_alone, "NotReady") {
  int *x = device_int(), *y = device_int();
  const Busy s(cudaStreamDefault);
  DO(cudaMemcpy(x, y, 4, cudaMemcpyDeviceToDevice));
}
CASE(small_copy_from_pageable_waits_before, "Success") {
  int *x = device_int(), in = 3;
  const Busy s(cudaStreamDefault);
  DO(cudaMemcpy(x, &in, 4, cudaMemcpyHostToDevice));
}
CASE(async_copy_from_pinned_leaves_alone, "NotReady") {
  int *x = device_int(), *pinned = pinned_int();
  const Busy s;
  DO(cudaMemcpyAsync(x, pinned, 4, cudaMemcpyHostToDevice, s));
}
CASE(async_copy_to_pageable_waits, "Success 8") {
  int *x = device_int(8), out = 0;
  Busy s;
  DO(cudaMemcpyAsync(&out, x, 4, cudaMemcpyDeviceToHost, s));
  s.ask();
  say(out);
}
CASE(small_async_copy_from_pageable_leaves_alone, "NotReady 8") {
  int *x = device_int(), in = 8;
  Busy s;
  DO(cudaMemcpyAsync(x, &in, 4, cudaMemcpyHostToDevice, s));
  s.ask();
  in = 9;
  DO(cudaStreamSynchronize(s));
  say(value_of(x));
}
CASE(large_async_copy_from_pageable_waits, "NotReady") {
  static char in[4 << 20];
  char* x = nullptr;
  DO(cudaMalloc(&x, sizeof in));
  const Busy s;
  DO(cudaMemcpyAsync(x, in, sizeof in, cudaMemcpyHostToDevice, s));
}
static void changed_behind_the_call(size_t bytes) {
  char *x = nullptr, *in = static_cast<char*>(std::malloc(bytes)), out = 0;
  for (size_t i = 0; i < bytes; ++i) in[i] = 1;
  DO(cudaMalloc(&x, bytes));
  Busy s;
  DO(cudaMemcpyAsync(x, in, bytes, cudaMemcpyHostToDevice, s));
  s.ask();
  for (size_t i = 0; i < bytes; ++i) in[i] = 2;
  DO(cudaStreamSynchronize(s));
  DO(cudaMemcpy(&out, x + bytes - 1, 1, cudaMemcpyDeviceToHost));
  say(static_cast<int>(out));
}
CASE(async_copy_of_256_kib_from_pageable, "NotReady 1") { changed_behind_the_call(256 << 10); }
CASE(async_copy_of_4_mib_from_pageable, "NotReady 1") { changed_behind_the_call(4 << 20); }
CASE(async_copy_of_128_mib_from_pageable, "NotReady 1") { changed_behind_the_call(128 << 20); }
CASE(new_streams_and_events_leave_alone, "NotReady") {
  const Busy s;
  DO(cudaStreamDestroy(stream()));
  DO(cudaEventDestroy(event()));
}
CASE(function_attribute_leaves_alone, "NotReady") {
  const Busy s;
  DO(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
}
CASE(managed_malloc_leaves_alone, "NotReady") {
  const Busy s;
  int* x = nullptr;
  DO(cudaMallocManaged(&x, 64));
}
CASE(register_leaves_alone, "NotReady") {
  static char host[8192];
  const Busy s;
  DO(cudaHostRegister(host, 8192, cudaHostRegisterDefault));
}
CASE(graph_instantiate_leaves_alone, "NotReady") {
  const Busy s;
  cudaGraph_t g = nullptr;
  cudaGraphExec_t exec = nullptr;
  DO(cudaGraphCreate(&g, 0));
  DO(cudaGraphInstantiate(&exec, g, 0));
}
CASE(event_before_work_leaves_it_alone, "Success NotReady") {
  const cudaStream_t s = stream();
  const cudaEvent_t e = event();
  DO(cudaEventRecord(e, s));
  wait<<<1, 1, 0, s>>>(kVeryLong);
  say(cudaEventSynchronize(e));
  say(cudaStreamQuery(s));
}
