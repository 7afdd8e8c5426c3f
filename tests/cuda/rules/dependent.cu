// SPDX-License-Identifier: Apache-2.0
// Programmatic dependent launch: what the second kernel may see, and when it may begin. Spins make the
// outcome certain.
#include "rules.h"

static __device__ void spin(long long cycles) {
  for (const long long begin = clock64(); clock64() - begin < cycles;) {
  }
}
static __global__ void first(int* x, int value, bool trigger, long long cycles) {
  if (trigger) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  spin(cycles);
  *x = value;
}
static __global__ void second(const int* x, int* seen, bool waits, bool trigger) {
  if (trigger) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  if (seen != nullptr) seen[0] = *static_cast<const volatile int*>(x);
  if (waits) asm volatile("griddepcontrol.wait;" ::: "memory");
  if (seen != nullptr) seen[1] = *static_cast<const volatile int*>(x);
}
template <typename... P, typename... A>
static void launch(void (*kernel)(P...), cudaStream_t s, bool dependent, A... arguments) {
  cudaLaunchConfig_t c = {};
  c.gridDim = c.blockDim = dim3(1);
  c.stream = s;
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  a.val.programmaticStreamSerializationAllowed = 1;
  c.attrs = &a;
  c.numAttrs = dependent ? 1 : 0;
  DO(cudaLaunchKernelEx(&c, kernel, arguments...));
}
struct Setting {
  cudaStream_t s = stream();
  int* x = device_int();
  int* seen = nullptr;
  Setting() {  // both kernels are on the device, and the stream is at rest
    DO(cudaMalloc(&seen, 16));
    DO(cudaMemset(seen, 255, 16));
    launch(first, s, false, x, 0, false, 1LL);
    launch(second, s, true, static_cast<const int*>(x), static_cast<int*>(nullptr), true, false);
    DO(cudaDeviceSynchronize());
  }
  void report() {
    DO(cudaDeviceSynchronize());
    int both[2];
    DO(cudaMemcpy(both, seen, 8, cudaMemcpyDeviceToHost));
    say(both[0]);
    say(both[1]);
  }
};
CASE(dependent_begins_early_and_waits, "0 7 or 7 7") {
  Setting t;
  launch(first, t.s, false, t.x, 7, true, kLong);
  launch(second, t.s, true, static_cast<const int*>(t.x), t.seen, true, false);
  t.report();
}
CASE(dependent_without_wait_sees_the_old, "0 0 or 7 7") {
  Setting t;
  launch(first, t.s, false, t.x, 7, true, kLong);
  launch(second, t.s, true, static_cast<const int*>(t.x), t.seen, false, false);
  t.report();
}
CASE(dependent_without_trigger_begins_at_the_end, "7 7") {
  Setting t;
  launch(first, t.s, false, t.x, 7, false, kLong);
  launch(second, t.s, true, static_cast<const int*>(t.x), t.seen, true, false);
  t.report();
}
CASE(dependent_needs_the_attribute, "7 7") {
  Setting t;
  launch(first, t.s, false, t.x, 7, true, kLong);
  launch(second, t.s, false, static_cast<const int*>(t.x), t.seen, true, false);
  t.report();
}
CASE(dependent_wait_without_a_first, "0 0") {
  Setting t;
  launch(second, t.s, true, static_cast<const int*>(t.x), t.seen, true, false);
  t.report();
}
CASE(dependent_after_an_event_record, "7 7") {
  Setting t;
  launch(first, t.s, false, t.x, 7, true, kLong);
  DO(cudaEventRecord(event(), t.s));
  launch(second, t.s, true, static_cast<const int*>(t.x), t.seen, true, false);
  t.report();
}
CASE(dependent_after_a_fill, "7 7") {
  Setting t;
  int* other = device_int();
  launch(first, t.s, false, t.x, 7, true, kLong);
  DO(cudaMemsetAsync(other, 0, 4, t.s));
  launch(second, t.s, true, static_cast<const int*>(t.x), t.seen, true, false);
  t.report();
}
// The one in the middle neither waits nor sees anything: does the third's wait reach to the first?
CASE(dependent_chain_through_one_that_does_not_wait, "0 7 or 7 7") {
  Setting t;
  launch(first, t.s, false, t.x, 7, true, kLong);
  launch(second, t.s, true, static_cast<const int*>(t.x), static_cast<int*>(nullptr), false, true);
  launch(second, t.s, true, static_cast<const int*>(t.x), t.seen, true, false);
  t.report();
}
CASE(dependent_chain_through_one_that_waits, "0 7 or 7 7") {
  Setting t;
  launch(first, t.s, false, t.x, 7, true, kLong);
  launch(second, t.s, true, static_cast<const int*>(t.x), static_cast<int*>(nullptr), true, true);
  launch(second, t.s, true, static_cast<const int*>(t.x), t.seen, true, false);
  t.report();
}
CASE(dependent_stream_ends_after_both, "7") {
  Setting t;
  int* pinned;
  DO(cudaMallocHost(&pinned, 4));
  launch(first, t.s, false, t.x, 7, true, kLong);
  launch(second, t.s, true, static_cast<const int*>(t.x), t.seen, false, false);
  DO(cudaMemcpyAsync(pinned, t.x, 4, cudaMemcpyDeviceToHost, t.s));
  DO(cudaStreamSynchronize(t.s));
  say(*pinned);
}
CASE(dependent_plain_third_comes_after_both, "7 7") {
  Setting t;
  launch(first, t.s, false, t.x, 7, true, kLong);
  launch(second, t.s, true, static_cast<const int*>(t.x), static_cast<int*>(nullptr), false, false);
  launch(second, t.s, false, static_cast<const int*>(t.x), t.seen, false, false);
  t.report();
}
CASE(dependent_captured_is_a_programmatic_edge, "Success 1 1 0 7 or Success 1 1 7 7") {
  Setting t;
  DO(cudaStreamBeginCapture(t.s, cudaStreamCaptureModeRelaxed));
  launch(first, t.s, false, t.x, 7, true, kLong);
  launch(second, t.s, true, static_cast<const int*>(t.x), t.seen, true, false);
  cudaGraph_t g = nullptr;
  say(cudaStreamEndCapture(t.s, &g));
  cudaGraphNode_t from[4], to[4];
  cudaGraphEdgeData edges[4] = {};
  size_t count = 4;
  DO(cudaGraphGetEdges(g, from, to, edges, &count));
  say(static_cast<int>(count));
  say(static_cast<int>(edges[0].type));
  cudaGraphExec_t exec = nullptr;
  DO(cudaGraphInstantiate(&exec, g, 0));
  DO(cudaGraphLaunch(exec, t.s));
  t.report();
}
