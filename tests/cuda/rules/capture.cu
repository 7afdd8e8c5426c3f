// SPDX-License-Identifier: Apache-2.0
// Capture of streams: what it takes, what it forbids, what ends it.
#include "capturing.h"

static void end(cudaStream_t s) {
  cudaGraph_t graph = nullptr;
  say(cudaStreamEndCapture(s, &graph));
  say(graph != nullptr);
  size_t nodes = 99;
  if (graph != nullptr && cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess)
    say(static_cast<int>(nodes));
}

CASE(capture_empty, "Success yes 0") { end(capturing()); }
CASE(capture_end_without_begin, "IllegalState no") { end(stream()); }
CASE(capture_begin_twice, "IllegalState Success 1") {
  const cudaStream_t s = capturing();
  say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  state(s);
}
CASE(capture_legacy_stream, "StreamCaptureUnsupported") {
  say(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
}
CASE(capture_per_thread_stream, "Success Success yes 0") {
  say(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
  end(cudaStreamPerThread);
}
CASE(capture_does_not_run, "Success yes 1 1") {
  int* x = device_int(1);
  const cudaStream_t s = capturing(cudaStreamCaptureModeRelaxed);
  add<<<1, 1, 0, s>>>(x, 1);
  end(s);
  say(value_of(x));
}
CASE(capture_synchronise_stream, "StreamCaptureUnsupported Success 2 StreamCaptureInvalidated no") {
  const cudaStream_t s = capturing();
  say(cudaStreamSynchronize(s));
  state(s);
  end(s);
}
CASE(capture_query_stream, "StreamCaptureUnsupported Success 2 StreamCaptureInvalidated no") {
  const cudaStream_t s = capturing();
  say(cudaStreamQuery(s));
  state(s);
  end(s);
}
CASE(capture_synchronise_device, "StreamCaptureUnsupported Success 2 StreamCaptureInvalidated no") {
  const cudaStream_t s = capturing();
  say(cudaDeviceSynchronize());
  state(s);
  end(s);
}
CASE(capture_synchronise_device_relaxed, "StreamCaptureUnsupported Success 2 StreamCaptureInvalidated no") {
  const cudaStream_t s = capturing(cudaStreamCaptureModeRelaxed);
  say(cudaDeviceSynchronize());
  state(s);
  end(s);
}
CASE(capture_malloc_global, "StreamCaptureUnsupported Success 2 StreamCaptureInvalidated no") {
  const cudaStream_t s = capturing();
  int* x = nullptr;
  say(cudaMalloc(&x, 4));
  state(s);
  end(s);
}
CASE(capture_malloc_relaxed, "Success Success 1 Success yes 0") {
  const cudaStream_t s = capturing(cudaStreamCaptureModeRelaxed);
  int* x = nullptr;
  say(cudaMalloc(&x, 4));
  state(s);
  end(s);
}
CASE(capture_free_global, "StreamCaptureUnsupported Success 2") {
  int* x = device_int();
  const cudaStream_t s = capturing();
  say(cudaFree(x));
  state(s);
}
CASE(capture_memcpy_pageable, "Success Success yes 1") {
  int* x = device_int();
  const cudaStream_t s = capturing();
  static int value = 0;
  say(cudaMemcpyAsync(&value, x, 4, cudaMemcpyDeviceToHost, s));
  end(s);
}
CASE(capture_legacy_use_by_blocking, "StreamCaptureImplicit Success 2 StreamCaptureInvalidated no") {
  int* x = device_int();
  const cudaStream_t s = capturing(cudaStreamCaptureModeGlobal, cudaStreamDefault);
  add<<<1, 1>>>(x, 1);
  say(cudaGetLastError());
  state(s);
  end(s);
}
CASE(capture_legacy_use_by_non_blocking, "Success Success 1 Success yes 0") {
  int* x = device_int();
  const cudaStream_t s = capturing();
  add<<<1, 1>>>(x, 1);
  say(cudaGetLastError());
  state(s);
  end(s);
}
CASE(capture_event_synchronise, "CapturedEvent") {
  const cudaStream_t s = capturing();
  const cudaEvent_t e = event();
  DO(cudaEventRecord(e, s));
  say(cudaEventSynchronize(e));
}
CASE(capture_wait_for_event_from_outside, "StreamCaptureIsolation Success 2 StreamCaptureInvalidated no") {
  const cudaEvent_t e = event();
  const cudaStream_t other = stream();
  DO(cudaEventRecord(e, other));
  const cudaStream_t s = capturing();
  say(cudaStreamWaitEvent(s, e, 0));
  state(s);
  end(s);
}
CASE(capture_fork_and_join, "Success 1 Success yes 2") {
  int* x = device_int();
  const cudaStream_t t = stream(), s = capturing();
  const cudaEvent_t fork = event(), join = event();
  DO(cudaEventRecord(fork, s));
  DO(cudaStreamWaitEvent(t, fork, 0));
  state(t);
  add<<<1, 1, 0, t>>>(x, 1);
  add<<<1, 1, 0, s>>>(x, 1);
  DO(cudaEventRecord(join, t));
  DO(cudaStreamWaitEvent(s, join, 0));
  end(s);
}
CASE(capture_unjoined, "StreamCaptureUnjoined no Success 0") {
  int* x = device_int();
  const cudaStream_t t = stream(), s = capturing();
  const cudaEvent_t fork = event();
  DO(cudaEventRecord(fork, s));
  DO(cudaStreamWaitEvent(t, fork, 0));
  add<<<1, 1, 0, t>>>(x, 1);
  end(s);
  state(t);
}
CASE(capture_end_on_forked_stream, "StreamCaptureUnmatched no") {
  const cudaStream_t t = stream(), s = capturing();
  const cudaEvent_t fork = event();
  DO(cudaEventRecord(fork, s));
  DO(cudaStreamWaitEvent(t, fork, 0));
  end(t);
}
CASE(capture_two_merge, "StreamCaptureMerge") {
  const cudaStream_t s = capturing(), t = capturing();
  const cudaEvent_t e = event();
  DO(cudaEventRecord(e, t));
  say(cudaStreamWaitEvent(s, e, 0));
}
CASE(capture_host_function, "Success Success yes 1") {
  const cudaStream_t s = capturing();
  say(cudaLaunchHostFunc(
      s, [](void*) {}, nullptr));
  end(s);
}
CASE(capture_callback, "StreamCaptureUnsupported") {
  const cudaStream_t s = capturing();
  say(cudaStreamAddCallback(
      s, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0));
}
CASE(capture_malloc_async_becomes_node, "Success Success Success yes 2") {
  const cudaStream_t s = capturing();
  void* x = nullptr;
  say(cudaMallocAsync(&x, 64, s));
  say(cudaFreeAsync(x, s));
  end(s);
}
CASE(capture_exchange_mode, "Success 0 Success Success 1") {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  say(cudaThreadExchangeStreamCaptureMode(&mode));
  say(static_cast<int>(mode));
  const cudaStream_t s = capturing();
  int* x = nullptr;
  say(cudaMalloc(&x, 4));
  state(s);
}
