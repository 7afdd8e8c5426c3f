// SPDX-License-Identifier: Apache-2.0
// Streams, events, default streams, callbacks, priorities.
#include "rules.h"

CASE(event_never_recorded_is_done, "Success") { say(cudaEventQuery(event())); }
CASE(event_never_recorded_synchronises, "Success") { say(cudaEventSynchronize(event())); }
CASE(event_elapsed_never_recorded, "InvalidResourceHandle") {
  float ms = -1;
  say(cudaEventElapsedTime(&ms, event(), event()));
}
CASE(event_elapsed_without_timing, "InvalidResourceHandle") {
  const cudaEvent_t a = event(cudaEventDisableTiming), b = event();
  DO(cudaEventRecord(a));
  DO(cudaEventRecord(b));
  DO(cudaDeviceSynchronize());
  float ms = -1;
  say(cudaEventElapsedTime(&ms, a, b));
}
CASE(event_elapsed_under_way, "NotReady") {
  const cudaEvent_t a = event(), b = event();
  DO(cudaEventRecord(a));
  wait<<<1, 1>>>(kLong);
  DO(cudaEventRecord(b));
  float ms = -1;
  say(cudaEventElapsedTime(&ms, a, b));
}
CASE(event_elapsed_same_event, "Success yes") {
  const cudaEvent_t a = event();
  DO(cudaEventRecord(a));
  DO(cudaEventSynchronize(a));
  float ms = -1;
  say(cudaEventElapsedTime(&ms, a, a));
  say(ms == 0);
}
CASE(event_recorded_again_counts_last, "NotReady") {
  const cudaStream_t s = stream();
  const cudaEvent_t a = event();
  DO(cudaEventRecord(a, s));
  DO(cudaEventSynchronize(a));
  wait<<<1, 1, 0, s>>>(kLong);
  DO(cudaEventRecord(a, s));
  say(cudaEventQuery(a));
}
CASE(event_wait_before_record_is_nothing, "Success NotReady") {
  const cudaStream_t s = stream(), t = stream();
  const cudaEvent_t a = event();
  say(cudaStreamWaitEvent(t, a, 0));
  wait<<<1, 1, 0, s>>>(kLong);
  DO(cudaEventRecord(a, s));
  DO(cudaStreamSynchronize(t));
  say(cudaEventQuery(a));
}
CASE(event_bad_flags, "InvalidValue") {
  cudaEvent_t e;
  say(cudaEventCreateWithFlags(&e, 64));
}
CASE(event_blocking_and_no_timing, "Success") {
  cudaEvent_t e;
  say(cudaEventCreateWithFlags(&e, cudaEventBlockingSync | cudaEventDisableTiming));
}
CASE(event_destroyed_while_under_way, "Success Success") {
  const cudaStream_t s = stream();
  const cudaEvent_t a = event();
  wait<<<1, 1, 0, s>>>(kLong);
  DO(cudaEventRecord(a, s));
  say(cudaEventDestroy(a));
  say(cudaStreamSynchronize(s));
}
CASE(event_null, "InvalidResourceHandle InvalidResourceHandle") {
  say(cudaEventQuery(nullptr));
  say(cudaEventRecord(nullptr));
}
CASE(query_not_ready_is_the_last_error, "NotReady Success") {
  const cudaStream_t s = stream();
  wait<<<1, 1, 0, s>>>(kLong);
  say(cudaStreamQuery(s));
  say(cudaPeekAtLastError());
}
CASE(stream_bad_flags, "InvalidValue") {
  cudaStream_t s;
  say(cudaStreamCreateWithFlags(&s, 7));
}
CASE(stream_priority_is_clamped, "Success -5 0") {
  cudaStream_t s;
  say(cudaStreamCreateWithPriority(&s, cudaStreamDefault, -100));
  int priority = 7;
  DO(cudaStreamGetPriority(s, &priority));
  say(priority);
  DO(cudaStreamCreateWithPriority(&s, cudaStreamDefault, 100));
  DO(cudaStreamGetPriority(s, &priority));
  say(priority);
}
CASE(stream_priority_range, "0 -5") {
  int least = 7, greatest = 7;
  DO(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  say(least);
  say(greatest);
}
CASE(stream_flags_of_default_streams, "0 1") {
  unsigned flags = 9;
  DO(cudaStreamGetFlags(nullptr, &flags));
  say(static_cast<int>(flags));
  DO(cudaStreamGetFlags(stream(), &flags));
  say(static_cast<int>(flags));
}
CASE(stream_destroyed_while_under_way, "Success 3") {
  int* x = device_int();
  const cudaStream_t s = stream();
  wait<<<1, 1, 0, s>>>(kLong);
  add<<<1, 1, 0, s>>>(x, 3);
  say(cudaStreamDestroy(s));
  DO(cudaDeviceSynchronize());
  say(value_of(x));
}
CASE(legacy_waits_for_blocking, "NotReady") {
  const cudaStream_t s = stream(cudaStreamDefault);
  wait<<<1, 1, 0, s>>>(kLong);
  const cudaEvent_t e = event();
  DO(cudaEventRecord(e));
  say(cudaEventQuery(e));
}
CASE(blocking_waits_for_legacy, "NotReady") {
  const cudaStream_t s = stream(cudaStreamDefault);
  wait<<<1, 1>>>(kLong);
  const cudaEvent_t e = event();
  DO(cudaEventRecord(e, s));
  say(cudaEventQuery(e));
}
CASE(per_thread_waits_for_legacy, "NotReady") {
  wait<<<1, 1>>>(kLong);
  const cudaEvent_t e = event();
  DO(cudaEventRecord(e, cudaStreamPerThread));
  say(cudaEventQuery(e));
}
CASE(memcpy_waits_for_blocking_streams, "7") {
  int* x = device_int(5);
  const cudaStream_t s = stream(cudaStreamDefault);
  wait<<<1, 1, 0, s>>>(kLong);
  add<<<1, 1, 0, s>>>(x, 2);
  say(value_of(x));
}
static void CUDART_CB note(void* data) { ++*static_cast<int*>(data); }
CASE(host_function_runs_in_order, "Success 1") {
  int seen = 0;
  int* x = device_int();
  const cudaStream_t s = stream();
  add<<<1, 1, 0, s>>>(x, 1);
  say(cudaLaunchHostFunc(s, note, &seen));
  DO(cudaStreamSynchronize(s));
  say(seen);
}
CASE(callback_flags_must_be_zero, "InvalidValue") {
  say(cudaStreamAddCallback(
      nullptr, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 1));
}
static void CUDART_CB error_of(cudaStream_t, cudaError_t status, void* data) {
  *static_cast<cudaError_t*>(data) = status;
}
CASE(callback_hears_of_success, "Success") {
  cudaError_t got = cudaErrorUnknown;
  DO(cudaStreamAddCallback(nullptr, error_of, &got, 0));
  DO(cudaDeviceSynchronize());
  say(got);
}
CASE(wait_event_bad_flags, "InvalidValue") { say(cudaStreamWaitEvent(nullptr, event(), 8)); }
CASE(stream_id_differs, "yes") {
  unsigned long long a = 0, b = 0;
  DO(cudaStreamGetId(stream(), &a));
  DO(cudaStreamGetId(stream(), &b));
  say(a != b);
}
