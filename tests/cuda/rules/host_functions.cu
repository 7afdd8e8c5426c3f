// SPDX-License-Identifier: Apache-2.0
// Host functions and callbacks; what threads of the host share; the edges that events make.
#include <thread>

#include "rules.h"

struct Notes {
  std::string text;
  int* x = nullptr;
};
static void CUDART_CB note_a(void* data) { static_cast<Notes*>(data)->text += "a"; }
static void CUDART_CB note_b(void* data) { static_cast<Notes*>(data)->text += "b"; }
static void CUDART_CB sleep_then_note(void* data) {
  usleep(3000);
  note_a(data);
}
static void CUDART_CB callback_b(cudaStream_t, cudaError_t, void* data) { note_b(data); }

CASE(host_functions_run_in_order, "aba") {
  Notes n;
  const cudaStream_t s = stream();
  DO(cudaLaunchHostFunc(s, sleep_then_note, &n));
  DO(cudaStreamAddCallback(s, callback_b, &n, 0));
  DO(cudaLaunchHostFunc(s, note_a, &n));
  DO(cudaStreamSynchronize(s));
  say(n.text);
}
CASE(host_function_is_waited_for_by_the_stream, "a Success") {
  Notes n;
  const cudaStream_t s = stream();
  const cudaEvent_t e = event();
  DO(cudaLaunchHostFunc(s, sleep_then_note, &n));
  DO(cudaEventRecord(e, s));
  DO(cudaEventSynchronize(e));
  say(n.text);
  say(cudaStreamQuery(s));
}
CASE(host_function_comes_after_its_kernel, "7") {
  static int* const pinned = pinned_int();
  static int seen = -1;
  const cudaStream_t s = stream();
  wait<<<1, 1, 0, s>>>(kLong);
  add<<<1, 1, 0, s>>>(pinned, 7);
  DO(cudaLaunchHostFunc(
      s, [](void*) { seen = *static_cast<volatile int*>(pinned); }, nullptr));
  DO(cudaStreamSynchronize(s));
  say(seen);
}
CASE(host_function_on_legacy_holds_blocking, "ab") {
  Notes n;
  const cudaStream_t s = stream(cudaStreamDefault);
  DO(cudaLaunchHostFunc(nullptr, sleep_then_note, &n));
  DO(cudaLaunchHostFunc(s, note_b, &n));
  DO(cudaDeviceSynchronize());
  say(n.text);
}
static void CUDART_CB forbidden(void* data) { *static_cast<cudaError_t*>(data) = cudaStreamQuery(nullptr); }
CASE(host_function_may_not_call_cuda, "NotPermitted") {
  static cudaError_t got = cudaErrorUnknown;
  const cudaStream_t s = stream();
  DO(cudaLaunchHostFunc(s, forbidden, &got));
  DO(cudaStreamSynchronize(s));
  say(got);
}
CASE(host_function_null, "InvalidValue") { say(cudaLaunchHostFunc(nullptr, nullptr, nullptr)); }
static void CUDART_CB status_of(cudaStream_t, cudaError_t status, void* data) {
  *static_cast<cudaError_t*>(data) = status;
}
CASE(callback_hears_of_fault, "IllegalAddress IllegalAddress") {
  static cudaError_t got = cudaErrorUnknown;
  int* x = device_int();
  const cudaStream_t s = stream();
  fault<<<1, 1, 0, s>>>(x);
  DO(cudaStreamAddCallback(s, status_of, &got, 0));
  say(cudaStreamSynchronize(s));
  usleep(20000);
  say(got);
}
CASE(host_function_after_fault_is_not_called, "IllegalAddress none") {
  static Notes n;
  int* x = device_int();
  const cudaStream_t s = stream();
  fault<<<1, 1, 0, s>>>(x);
  DO(cudaLaunchHostFunc(s, note_a, &n));
  say(cudaStreamSynchronize(s));
  usleep(20000);
  say(n.text.empty() ? std::string("none") : n.text);
}
CASE(last_error_is_of_the_thread, "Success InvalidValue") {
  DO(cudaFree(nullptr));
  cudaMemcpy(device_int(), nullptr, 4, cudaMemcpyHostToDevice);
  cudaError_t there = cudaErrorUnknown;
  std::thread([&] { there = cudaGetLastError(); }).join();
  say(there);
  say(cudaGetLastError());
}
CASE(sticky_error_is_of_all_threads, "IllegalAddress IllegalAddress") {
  fault<<<1, 1>>>(device_int());
  say(cudaDeviceSynchronize());
  cudaError_t there = cudaSuccess;
  std::thread([&] {
    int* x;
    there = cudaMalloc(&x, 4);
  }).join();
  say(there);
}
CASE(per_thread_streams_differ, "Success NotReady") {
  DO(cudaFree(nullptr));
  wait<<<1, 1, 0, cudaStreamPerThread>>>(10000000);
  cudaError_t there = cudaErrorUnknown;
  std::thread([&] { there = cudaStreamSynchronize(cudaStreamPerThread); }).join();
  say(there);
  say(cudaStreamQuery(cudaStreamPerThread));
}
CASE(wait_takes_the_record_before_it, "Success NotReady") {
  const cudaStream_t s = stream(), t = stream();
  const cudaEvent_t e = event();
  DO(cudaEventRecord(e, s));
  DO(cudaStreamWaitEvent(t, e, 0));
  wait<<<1, 1, 0, s>>>(kLong);
  DO(cudaEventRecord(e, s));
  say(cudaStreamSynchronize(t));
  say(cudaEventQuery(e));
}
// `after` waits for an event behind five that are added in `before`.
struct Waiting {
  int *x = device_int(), *pinned = pinned_int();
  cudaStream_t before = stream(), after = stream();
  cudaEvent_t e = event();
  Waiting() {
    wait<<<1, 1, 0, before>>>(kLong);
    add<<<1, 1, 0, before>>>(x, 5);
    DO(cudaEventRecord(e, before));
    DO(cudaStreamWaitEvent(after, e, 0));
  }
  int seen_after() const {
    DO(cudaMemcpyAsync(pinned, x, 4, cudaMemcpyDeviceToHost, after));
    DO(cudaStreamSynchronize(after));
    return *pinned;
  }
};
CASE(wait_holds_the_other_stream, "NotReady 5") {
  const Waiting w;
  say(cudaStreamQuery(w.after));
  say(w.seen_after());
}
CASE(wait_outlives_its_event, "Success 5") {
  const Waiting w;
  say(cudaEventDestroy(w.e));
  say(w.seen_after());
}
CASE(elapsed_backwards_is_negative, "Success yes") {
  const cudaEvent_t a = event(), b = event();
  DO(cudaEventRecord(b));
  wait<<<1, 1>>>(kLong);
  DO(cudaEventRecord(a));
  DO(cudaDeviceSynchronize());
  float ms = 0;
  say(cudaEventElapsedTime(&ms, a, b));
  say(ms < 0);
}
CASE(event_interprocess_needs_no_timing, "InvalidValue Success") {
  cudaEvent_t e;
  say(cudaEventCreateWithFlags(&e, cudaEventInterprocess));
  say(cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming));
}
CASE(event_record_bad_flags, "InvalidValue") { say(cudaEventRecordWithFlags(event(), nullptr, 8)); }
CASE(event_external_outside_of_capture, "IllegalState") {
  say(cudaEventRecordWithFlags(event(), nullptr, cudaEventRecordExternal));
}
CASE(stream_destroy_default_streams, "InvalidResourceHandle InvalidResourceHandle InvalidResourceHandle") {
  DO(cudaFree(nullptr));
  say(cudaStreamDestroy(nullptr));
  say(cudaStreamDestroy(cudaStreamLegacy));
  say(cudaStreamDestroy(cudaStreamPerThread));
}
CASE(stream_priority_of_default_streams, "0 0") {
  int priority = 9;
  DO(cudaStreamGetPriority(nullptr, &priority));
  say(priority);
  DO(cudaStreamGetPriority(cudaStreamPerThread, &priority));
  say(priority);
}
CASE(higher_priority_overtakes_waiting_blocks, "NotReady Success or Success Success") {
  cudaStream_t low, high;
  DO(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, 0));
  DO(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -5));
  wait<<<132 * 2 * 6, 1024, 0, low>>>(200000);
  wait<<<8, 1024, 0, high>>>(1000);
  DO(cudaStreamSynchronize(high));
  say(cudaStreamQuery(low));
  say(cudaStreamSynchronize(low));
}
CASE(equal_priority_waits_for_the_grid_before, "Success") {
  const cudaStream_t s = stream(), t = stream();
  const cudaEvent_t e = event();
  wait<<<132 * 2 * 3, 1024, 0, s>>>(200000);
  DO(cudaEventRecord(e, s));
  wait<<<132 * 2, 1024, 0, t>>>(200000);
  DO(cudaStreamSynchronize(t));
  say(cudaEventQuery(e));
}
CASE(small_grids_of_two_streams_run_at_once, "Success NotReady or Success Success") {
  const cudaStream_t s = stream(), t = stream();
  wait<<<1, 1, 0, s>>>(10000000);
  wait<<<1, 1, 0, t>>>(1000);
  say(cudaStreamSynchronize(t));
  say(cudaStreamQuery(s));
}
