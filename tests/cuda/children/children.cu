// SPDX-License-Identifier: Apache-2.0
// Dynamic parallelism: in which order grids that kernels launch run, and what the host sees of them.
#include "tests/cuda/rules/rules.h"

static __device__ void spin(long long cycles) {
  for (const long long begin = clock64(); clock64() - begin < cycles;) {
  }
}
static __global__ void slow_add(int* x, int n) {
  spin(200000);
  atomicAdd(x, n);
}
static __global__ void parent_of_one(int* x) { slow_add<<<1, 1>>>(x, 1); }
static __global__ void parent_of_two(int* x) {
  slow_add<<<1, 1>>>(x, 3);
  twice<<<1, 1>>>(x);
}
static __global__ void parent_that_writes(int* x) {
  *x = 4;
  twice<<<1, 1>>>(x);
}
static __global__ void parent_of_fire_and_forget(int* x) {
  slow_add<<<1, 1, 0, cudaStreamFireAndForget>>>(x, 6);
}
static __global__ void parent_with_tail(int* x) {
  twice<<<1, 1, 0, cudaStreamTailLaunch>>>(x);
  spin(200000);
  *static_cast<volatile int*>(x) = 5;
}
static __global__ void parent_with_two_tails(int* x) {
  slow_add<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 3);
  twice<<<1, 1, 0, cudaStreamTailLaunch>>>(x);
}
static __global__ void parent_with_child_and_tail(int* x) {
  twice<<<1, 1, 0, cudaStreamTailLaunch>>>(x);
  slow_add<<<1, 1>>>(x, 3);
}
static __global__ void grandparent(int* x) {
  parent_with_tail<<<1, 1>>>(x);
  slow_add<<<1, 1>>>(x, 1);
}
static __global__ void parent_of_fault(int* x) { fault<<<1, 1>>>(x); }
static __global__ void parents_of_many(int* x) { add<<<2, 32>>>(x, 1); }

static void show(int* x) {
  say(cudaDeviceSynchronize());
  say(value_of(x));
}
CASE(child_is_waited_for_by_the_host, "Success 1") {
  int* x = device_int();
  parent_of_one<<<1, 1>>>(x);
  show(x);
}
CASE(child_is_waited_for_by_the_next_kernel, "Success 2") {
  int* x = device_int();
  parent_of_one<<<1, 1>>>(x);
  twice<<<1, 1>>>(x);
  show(x);
}
CASE(child_holds_the_event_after_its_parent, "NotReady Success 1") {
  int* x = device_int();
  const cudaStream_t s = stream();
  parent_of_one<<<1, 1, 0, s>>>(x);
  say(cudaStreamQuery(s));
  show(x);
}
CASE(children_of_one_stream_run_in_order, "Success 6") {
  int* x = device_int();
  parent_of_two<<<1, 1>>>(x);
  show(x);
}
CASE(child_sees_what_its_parent_wrote, "Success 8") {
  int* x = device_int();
  parent_that_writes<<<1, 1>>>(x);
  show(x);
}
CASE(child_fire_and_forget, "Success 6") {
  int* x = device_int();
  parent_of_fire_and_forget<<<1, 1>>>(x);
  show(x);
}
CASE(child_tail_comes_after_its_parent, "Success 10") {
  int* x = device_int();
  parent_with_tail<<<1, 1>>>(x);
  show(x);
}
CASE(child_tails_run_in_order, "Success 6") {
  int* x = device_int();
  parent_with_two_tails<<<1, 1>>>(x);
  show(x);
}
CASE(child_tail_comes_after_other_children, "Success 6") {
  int* x = device_int();
  parent_with_child_and_tail<<<1, 1>>>(x);
  show(x);
}
CASE(child_tail_belongs_to_its_grid, "Success 11") {
  int* x = device_int();
  grandparent<<<1, 1>>>(x);
  show(x);
}
CASE(child_fault_is_the_parents, "IllegalAddress IllegalAddress") {
  int* x = device_int();
  parent_of_fault<<<1, 1>>>(x);
  say(cudaDeviceSynchronize());
  say(cudaGetLastError());
}
CASE(children_of_many_threads, "Success 4096") {
  int* x = device_int();
  parents_of_many<<<2, 32>>>(x);
  show(x);
}
CASE(child_pending_limit, "Success 2048") {
  size_t n = 0;
  say(cudaDeviceGetLimit(&n, cudaLimitDevRuntimePendingLaunchCount));
  say(static_cast<long long>(n));
}
