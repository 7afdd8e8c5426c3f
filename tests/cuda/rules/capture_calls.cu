// SPDX-License-Identifier: Apache-2.0
// Which calls a capture takes or forbids, in its own thread and in others; what it makes of events and
// dependences.
#include <thread>

#include "capturing.h"

static void end(cudaStream_t s) {
  cudaGraph_t graph = nullptr;
  say(cudaStreamEndCapture(s, &graph));
  size_t nodes = 0;
  if (graph != nullptr && cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess)
    say(static_cast<int>(nodes));
}
static cudaError_t elsewhere(cudaError_t (*call)(void*), void* argument = nullptr) {
  cudaError_t status = cudaErrorUnknown;
  std::thread([&] { status = call(argument); }).join();
  return status;
}
static cudaError_t allocate(void*) {
  int* x;
  return cudaMalloc(&x, 4);
}
CASE(capture_global_malloc_of_another_thread, "StreamCaptureUnsupported Success 2") {
  const cudaStream_t s = capturing();
  say(elsewhere(allocate));
  state(s);
}
CASE(capture_thread_local_malloc_of_another_thread, "Success Success 1") {
  const cudaStream_t s = capturing(cudaStreamCaptureModeThreadLocal);
  say(elsewhere(allocate));
  state(s);
}
CASE(capture_thread_local_malloc, "StreamCaptureUnsupported Success 2") {
  const cudaStream_t s = capturing(cudaStreamCaptureModeThreadLocal);
  say(allocate(nullptr));
  state(s);
}
static cudaError_t end_there(void* s) {
  cudaGraph_t graph = nullptr;
  return cudaStreamEndCapture(static_cast<cudaStream_t>(s), &graph);
}
CASE(capture_ended_by_another_thread, "StreamCaptureWrongThread") { say(elsewhere(end_there, capturing())); }
CASE(capture_relaxed_ended_by_another_thread, "Success") {
  say(elsewhere(end_there, capturing(cudaStreamCaptureModeRelaxed)));
}
CASE(capture_new_stream_and_event, "Success Success Success 1") {
  const cudaStream_t s = capturing();
  cudaStream_t t;
  cudaEvent_t e;
  say(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  say(cudaEventCreate(&e));
  state(s);
}
CASE(capture_malloc_host_global, "StreamCaptureUnsupported Success 2") {
  const cudaStream_t s = capturing();
  int* x;
  say(cudaMallocHost(&x, 4));
  state(s);
}
CASE(capture_memcpy_global, "Success Success 1") {
  int *x = device_int(), y = 0;
  const cudaStream_t s = capturing();
  say(cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost));
  state(s);
}
CASE(capture_memcpy_relaxed, "Success Success 1") {
  int *x = device_int(), y = 0;
  const cudaStream_t s = capturing(cudaStreamCaptureModeRelaxed);
  say(cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost));
  state(s);
}
CASE(capture_memcpy_while_blocking_captures, "StreamCaptureImplicit Success 2") {
  int *x = device_int(), y = 0;
  const cudaStream_t s = capturing(cudaStreamCaptureModeRelaxed, cudaStreamDefault);
  say(cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost));
  state(s);
}
CASE(capture_query_legacy_while_blocking_captures, "StreamCaptureImplicit Success 2") {
  const cudaStream_t s = capturing(cudaStreamCaptureModeGlobal, cudaStreamDefault);
  say(cudaStreamQuery(nullptr));
  state(s);
}
CASE(capture_synchronise_other_stream, "StreamCaptureUnsupported Success 2") {
  const cudaStream_t t = stream(), s = capturing();
  say(cudaStreamSynchronize(t));
  state(s);
}
CASE(capture_query_other_event, "StreamCaptureUnsupported Success 2") {
  const cudaEvent_t e = event();
  const cudaStream_t s = capturing();
  say(cudaEventQuery(e));
  state(s);
}
CASE(capture_event_query, "CapturedEvent Success 2") {
  const cudaEvent_t e = event();
  const cudaStream_t s = capturing();
  DO(cudaEventRecord(e, s));
  say(cudaEventQuery(e));
  state(s);
}
CASE(capture_event_elapsed, "CapturedEvent") {
  const cudaEvent_t a = event(), b = event();
  const cudaStream_t s = capturing();
  DO(cudaEventRecord(a, s));
  DO(cudaEventRecord(b, s));
  float ms;
  say(cudaEventElapsedTime(&ms, a, b));
}
CASE(capture_event_waited_for_by_legacy, "StreamCaptureImplicit") {
  const cudaEvent_t e = event();
  const cudaStream_t s = capturing();
  DO(cudaEventRecord(e, s));
  say(cudaStreamWaitEvent(nullptr, e, 0));
}
CASE(capture_event_after_the_end, "Success 0 Success") {
  const cudaEvent_t e = event();
  const cudaStream_t s = capturing();
  DO(cudaEventRecord(e, s));
  end(s);
  DO(cudaEventRecord(e, s));
  say(cudaEventSynchronize(e));
}
CASE(capture_event_of_an_ended_capture, "InvalidValue") {
  const cudaEvent_t e = event();
  const cudaStream_t s = capturing();
  DO(cudaEventRecord(e, s));
  cudaGraph_t graph;
  DO(cudaStreamEndCapture(s, &graph));
  say(cudaEventQuery(e));
}
CASE(capture_external_record_is_a_node, "Success Success 1") {
  const cudaEvent_t e = event();
  const cudaStream_t s = capturing();
  say(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
  end(s);
}
CASE(capture_external_wait_is_a_node, "Success Success 1") {
  const cudaEvent_t e = event();
  DO(cudaEventRecord(e, stream()));
  const cudaStream_t s = capturing();
  say(cudaStreamWaitEvent(s, e, cudaEventWaitExternal));
  end(s);
}
CASE(capture_destroys_its_stream, "Success") { say(cudaStreamDestroy(capturing())); }
CASE(capture_launch_that_fails, "InvalidValue Success 2") {
  const cudaStream_t s = capturing();
  add<<<1, 2000, 0, s>>>(nullptr, 0);
  say(cudaGetLastError());
  state(s);
}
CASE(capture_again_after_invalidation, "Success Success 0") {
  const cudaStream_t s = capturing();
  cudaStreamSynchronize(s);
  cudaGraph_t graph;
  cudaStreamEndCapture(s, &graph);
  say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  end(s);
}
CASE(capture_work_after_invalidation, "StreamCaptureInvalidated") {
  int* x = device_int();
  const cudaStream_t s = capturing();
  cudaStreamSynchronize(s);
  cudaGetLastError();
  add<<<1, 1, 0, s>>>(x, 1);
  say(cudaGetLastError());
}
CASE(capture_dependences_of_the_next, "Success 1 1") {
  int* x = device_int();
  const cudaStream_t s = capturing();
  add<<<1, 1, 0, s>>>(x, 1);
  add<<<1, 1, 0, s>>>(x, 1);
  cudaStreamCaptureStatus status;
  size_t count = 9;
  say(cudaStreamGetCaptureInfo(s, &status, nullptr, nullptr, nullptr, nullptr, &count));
  say(static_cast<int>(status));
  say(static_cast<int>(count));
}
CASE(capture_to_a_graph, "Success Success 2 yes") {
  int* x = device_int();
  cudaGraph_t g;
  DO(cudaGraphCreate(&g, 0));
  cudaGraphNode_t node;
  DO(cudaGraphAddEmptyNode(&node, g, nullptr, 0));
  const cudaStream_t s = stream();
  say(cudaStreamBeginCaptureToGraph(s, g, &node, nullptr, 1, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, s>>>(x, 1);
  cudaGraph_t same = nullptr;
  say(cudaStreamEndCapture(s, &same));
  size_t nodes = 0;
  DO(cudaGraphGetNodes(g, nullptr, &nodes));
  say(static_cast<int>(nodes));
  say(same == g);
}
CASE(capture_launch_of_a_graph_is_a_child, "StreamCaptureUnsupported StreamCaptureInvalidated") {
  cudaGraph_t g;
  cudaGraphExec_t exec;
  DO(cudaGraphCreate(&g, 0));
  cudaGraphNode_t node;
  DO(cudaGraphAddEmptyNode(&node, g, nullptr, 0));
  DO(cudaGraphInstantiate(&exec, g, 0));
  const cudaStream_t s = capturing();
  say(cudaGraphLaunch(exec, s));
  end(s);
}
CASE(capture_instantiate_global, "StreamCaptureUnsupported Success 2") {
  cudaGraph_t g;
  cudaGraphExec_t exec;
  DO(cudaGraphCreate(&g, 0));
  const cudaStream_t s = capturing();
  say(cudaGraphInstantiate(&exec, g, 0));
  state(s);
}
CASE(capture_add_host_memory_free, "StreamCaptureUnsupported Success 2") {
  int* x;
  DO(cudaMallocHost(&x, 4));
  const cudaStream_t s = capturing();
  say(cudaFreeHost(x));
  state(s);
}
