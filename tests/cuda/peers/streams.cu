// SPDX-License-Identifier: Apache-2.0
// Streams and events of two GPUs.
#include "two.h"

CASE(stream_knows_its_device, "1 0") {
  int device = -1;
  DO(cudaStreamGetDevice(stream_on(1), &device));
  say(device);
  DO(cudaStreamGetDevice(nullptr, &device));
  say(device);
}
CASE(numbers_of_streams_differ, "yes") {
  unsigned long long a = 0, b = 0;
  DO(cudaStreamGetId(stream_on(0), &a));
  DO(cudaStreamGetId(stream_on(1), &b));
  say(a != b);
}
// The guide says that it fails; CUDA 13 runs it on the stream's device.
CASE(launch_in_a_stream_of_another, "Success") {
  int* x = int_on(0);
  add<<<1, 1, 0, stream_on(1)>>>(x, 1);
  say(cudaGetLastError());
}
CASE(launch_after_changing_the_device, "Success") {
  const cudaStream_t s = stream_on(1);
  int* x = int_on(1);
  DO(cudaSetDevice(1));
  add<<<1, 1, 0, s>>>(x, 1);
  say(cudaGetLastError());
}
CASE(record_an_event_of_another, "InvalidResourceHandle") { say(cudaEventRecord(event_on(1), stream_on(0))); }
CASE(record_an_event_of_another_in_its_stream, "Success") { say(cudaEventRecord(event_on(1), stream_on(1))); }
CASE(record_in_default_stream_of_current, "InvalidResourceHandle") { say(cudaEventRecord(event_on(1), nullptr)); }
CASE(wait_for_an_event_of_another, "Success") {
  const cudaEvent_t e = event_on(1);
  DO(cudaEventRecord(e, stream_on(1)));
  say(cudaStreamWaitEvent(stream_on(0), e, 0));
}
CASE(wait_for_an_event_that_nobody_recorded, "Success") { say(cudaStreamWaitEvent(stream_on(0), event_on(1), 0)); }
CASE(a_stream_waits_for_another_device, "10") {
  int* x = int_on(0, 0);
  enable_peers();
  const cudaStream_t s = stream_on(1), t = stream_on(0);
  const cudaEvent_t e = event_on(1);
  {
    const On there(1);
    wait<<<1, 1, 0, s>>>(kLong);
    store<<<1, 1, 0, s>>>(x, 5);
    DO(cudaEventRecord(e, s));
  }
  DO(cudaStreamWaitEvent(t, e, 0));
  twice<<<1, 1, 0, t>>>(x);
  DO(cudaStreamSynchronize(t));
  say(value_of(x));
}
CASE(a_chain_over_both, "1023") {
  int* x = int_on(0, 0);
  enable_peers();
  cudaStream_t s[2] = {stream_on(0), stream_on(1)};
  cudaEvent_t e[2] = {event_on(0), event_on(1)};
  for (int k = 0; k < 10; ++k) {
    const On there(k % 2);
    if (k != 0) DO(cudaStreamWaitEvent(s[k % 2], e[1 - k % 2], 0));
    twice<<<1, 1, 0, s[k % 2]>>>(x);
    add<<<1, 1, 0, s[k % 2]>>>(x, 1);
    DO(cudaEventRecord(e[k % 2], s[k % 2]));
  }
  DO(cudaStreamSynchronize(s[1]));
  say(value_of(x));
}
CASE(synchronise_a_stream_of_another, "Success 1") {
  int* x = int_on(1);
  const cudaStream_t s = stream_on(1);
  {
    const On there(1);
    wait<<<1, 1, 0, s>>>(kLong);
    add<<<1, 1, 0, s>>>(x, 1);
  }
  say(cudaStreamSynchronize(s));
  say(value_of(x));
}
CASE(query_a_stream_of_another, "NotReady") {
  int* x = int_on(1);
  const cudaStream_t s = stream_on(1);
  const On there(1);
  add<<<1, 1, 0, s>>>(x, 1);
  DO(cudaDeviceSynchronize());
  wait<<<1, 1, 0, s>>>(5 * kLong);
  DO(cudaSetDevice(0));
  say(cudaStreamQuery(s));
  DO(cudaSetDevice(1));
}
CASE(destroy_a_stream_of_another, "Success") { say(cudaStreamDestroy(stream_on(1))); }
CASE(synchronise_an_event_of_another, "Success") {
  const cudaEvent_t e = event_on(1);
  DO(cudaEventRecord(e, stream_on(1)));
  say(cudaEventSynchronize(e));
}
CASE(query_an_event_of_another, "Success") {
  const cudaEvent_t e = event_on(1);
  const cudaStream_t s = stream_on(1);
  DO(cudaEventRecord(e, s));
  DO(cudaStreamSynchronize(s));
  say(cudaEventQuery(e));
}
CASE(destroy_an_event_of_another, "Success") { say(cudaEventDestroy(event_on(1))); }
CASE(time_between_events_of_two, "InvalidResourceHandle") {
  const cudaEvent_t a = event_on(0), b = event_on(1);
  DO(cudaEventRecord(a, stream_on(0)));
  DO(cudaEventRecord(b, stream_on(1)));
  DO(cudaEventSynchronize(a));
  DO(cudaEventSynchronize(b));
  float ms = 0;
  say(cudaEventElapsedTime(&ms, a, b));
}
CASE(time_between_events_of_another, "Success yes") {
  const cudaEvent_t a = event_on(1), b = event_on(1);
  const cudaStream_t s = stream_on(1);
  DO(cudaEventRecord(a, s));
  DO(cudaEventRecord(b, s));
  DO(cudaStreamSynchronize(s));
  float ms = -1;
  say(cudaEventElapsedTime(&ms, a, b));
  say(ms >= 0);
}
CASE(synchronising_a_device_leaves_the_other_alone, "Success NotReady") {
  int* x = int_on(1);
  const cudaStream_t s = stream_on(1);
  {
    const On there(1);
    add<<<1, 1, 0, s>>>(x, 1);
    DO(cudaDeviceSynchronize());
    wait<<<1, 1, 0, s>>>(5 * kLong);
  }
  say(cudaDeviceSynchronize());
  say(cudaStreamQuery(s));
}
CASE(default_streams_of_two_leave_each_other_alone, "NotReady or Success") {
  int* x = int_on(1);
  const cudaEvent_t e = event_on(1);
  {
    const On there(1);
    add<<<1, 1>>>(x, 1);
    DO(cudaDeviceSynchronize());
    wait<<<1, 1>>>(5 * kLong);
    DO(cudaEventRecord(e, nullptr));
  }
  wait<<<1, 1>>>(1);
  DO(cudaStreamSynchronize(nullptr));
  say(cudaEventQuery(e));
}
CASE(host_function_in_a_stream_of_another, "Success 1") {
  static int called = 0;
  const cudaStream_t s = stream_on(1);
  say(cudaLaunchHostFunc(s, [](void*) { called = 1; }, nullptr));
  DO(cudaStreamSynchronize(s));
  say(called);
}
CASE(malloc_async_in_a_stream_of_another, "Success 1") {
  int* x = nullptr;
  const cudaStream_t s = stream_on(1);
  say(cudaMallocAsync(&x, sizeof *x, s));
  DO(cudaStreamSynchronize(s));
  cudaPointerAttributes a{};
  DO(cudaPointerGetAttributes(&a, x));
  say(a.device);
}
CASE(free_async_in_a_stream_of_another, "Success Success") {
  int* x = nullptr;
  DO(cudaMallocAsync(&x, sizeof *x, nullptr));
  DO(cudaDeviceSynchronize());
  const cudaStream_t s = stream_on(1);
  say(cudaFreeAsync(x, s));
  say(cudaStreamSynchronize(s));
}
CASE(reset_of_one_leaves_the_other_alone, "7") {
  int* x = int_on(1, 7);
  DO(cudaSetDevice(0));
  DO(cudaDeviceReset());
  DO(cudaSetDevice(1));
  say(value_of(x));
}
CASE(peer_copy_does_not_wait_for_the_host, "Success NotReady") {
  int *to = int_on(1), *from = int_on(0);
  enable_peers();
  const cudaEvent_t e = event_on(0);
  add<<<1, 1>>>(from, 1);
  DO(cudaDeviceSynchronize());
  wait<<<1, 1>>>(5 * kLong);
  say(cudaMemcpyPeer(to, 1, from, 0, sizeof(int)));
  DO(cudaEventRecord(e, nullptr));
  say(cudaEventQuery(e));
}
