// SPDX-License-Identifier: Apache-2.0
// Managed memory, and which memory of a pool comes back when.
#include "rules.h"

static cudaMemLocation on_device() {
  cudaMemLocation l = {};
  l.type = cudaMemLocationTypeDevice;
  return l;
}
static cudaMemLocation on_host() {
  cudaMemLocation l = {};
  l.type = cudaMemLocationTypeHost;
  return l;
}
CASE(managed_prefetch_there_and_back, "Success Success 9") {
  int* x;
  DO(cudaMallocManaged(&x, 4096));
  *x = 4;
  say(cudaMemPrefetchAsync(x, 4096, on_device(), 0, nullptr));
  add<<<1, 1>>>(x, 5);
  say(cudaMemPrefetchAsync(x, 4096, on_host(), 0, nullptr));
  DO(cudaDeviceSynchronize());
  say(*x);
}
CASE(managed_prefetch_of_device_memory, "InvalidValue") {
  say(cudaMemPrefetchAsync(device_int(), 4, on_device(), 0, nullptr));
}
CASE(managed_advice, "Success Success InvalidValue") {
  int* x;
  DO(cudaMallocManaged(&x, 4096));
  say(cudaMemAdvise(x, 4096, cudaMemAdviseSetReadMostly, on_device()));
  int value = 9;
  say(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly, x, 4096));
  say(cudaMemAdvise(device_int(), 4, cudaMemAdviseSetReadMostly, on_device()));
}
CASE(managed_advice_is_kept, "1 0") {
  int *x, value = 9;
  DO(cudaMallocManaged(&x, 4096));
  DO(cudaMemAdvise(x, 4096, cudaMemAdviseSetReadMostly, on_device()));
  DO(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly, x, 4096));
  say(value);
  DO(cudaMemAdvise(x, 4096, cudaMemAdviseUnsetReadMostly, on_device()));
  DO(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly, x, 4096));
  say(value);
}
CASE(managed_bad_flags, "InvalidValue") {
  int* x;
  say(cudaMallocManaged(&x, 4, 8));
}
CASE(managed_of_nothing, "Success") {
  int* x;
  say(cudaMallocManaged(&x, 0));
}
CASE(managed_attach, "Success Success InvalidValue") {
  int* x;
  const cudaStream_t s = stream();
  DO(cudaMallocManaged(&x, 4096));
  say(cudaStreamAttachMemAsync(s, x, 0, cudaMemAttachSingle));
  say(cudaStreamSynchronize(s));
  say(cudaStreamAttachMemAsync(s, device_int(), 0, cudaMemAttachSingle));
}
CASE(managed_read_by_the_host_while_a_kernel_runs, "1 3") {
  int can = 0, *x, *y;
  DO(cudaDeviceGetAttribute(&can, cudaDevAttrConcurrentManagedAccess, 0));
  say(can);
  DO(cudaMallocManaged(&x, 4096));
  DO(cudaMallocManaged(&y, 4096));
  *y = 3;
  add<<<1, 1>>>(x, 1);
  say(*y);
}
CASE(managed_set_by_fill_and_copy, "257 257") {
  int *x, *y = device_int();
  DO(cudaMallocManaged(&x, 4));
  DO(cudaMemset(x, 1, 2));
  DO(cudaMemset(x + 0, 1, 2));
  DO(cudaMemset(reinterpret_cast<char*>(x) + 2, 0, 2));
  DO(cudaDeviceSynchronize());
  say(*x);
  DO(cudaMemcpy(y, x, 4, cudaMemcpyDefault));
  say(value_of(y));
}
CASE(pinned_needs_no_flags_to_be_mapped, "Success yes 2") {
  int *x, *there = nullptr;
  DO(cudaMallocHost(&x, 4));
  *x = 1;
  say(cudaHostGetDevicePointer(&there, x, 0));
  say(there == x);
  add<<<1, 1>>>(there, 1);
  DO(cudaDeviceSynchronize());
  say(*x);
}
CASE(registered_part_is_not_all, "Success InvalidValue") {
  static char host[3 << 12];
  char* page = reinterpret_cast<char*>((reinterpret_cast<size_t>(host) + 4095) & ~size_t{4095});
  say(cudaHostRegister(page, 4096, cudaHostRegisterDefault));
  void* there = nullptr;
  say(cudaHostGetDevicePointer(&there, page + 8192, 0));
}

static cudaMemPool_t default_pool() {
  cudaMemPool_t pool;
  DO(cudaDeviceGetDefaultMemPool(&pool, 0));
  return pool;
}
static long long attribute(cudaMemPoolAttr a) {
  unsigned long long value = 0;
  if (a == cudaMemPoolReuseFollowEventDependencies || a == cudaMemPoolReuseAllowOpportunistic ||
      a == cudaMemPoolReuseAllowInternalDependencies) {
    int number = 0;
    DO(cudaMemPoolGetAttribute(default_pool(), a, &number));
    return number;
  }
  DO(cudaMemPoolGetAttribute(default_pool(), a, &value));
  return static_cast<long long>(value);
}
CASE(pool_reuse_defaults, "1 1 1") {
  say(attribute(cudaMemPoolReuseFollowEventDependencies));
  say(attribute(cudaMemPoolReuseAllowOpportunistic));
  say(attribute(cudaMemPoolReuseAllowInternalDependencies));
}
CASE(pool_reuse_in_one_stream, "yes") {
  const cudaStream_t s = stream();
  void *a, *b;
  DO(cudaMallocAsync(&a, 1 << 20, s));
  wait<<<1, 1, 0, s>>>(kLong);
  DO(cudaFreeAsync(a, s));
  DO(cudaMallocAsync(&b, 1 << 20, s));
  say(a == b);
}
CASE(pool_reuse_after_an_event, "yes") {
  const cudaStream_t s = stream(), t = stream();
  const cudaEvent_t e = event();
  void *a, *b;
  DO(cudaMallocAsync(&a, 1 << 20, s));
  wait<<<1, 1, 0, s>>>(kLong);
  DO(cudaFreeAsync(a, s));
  DO(cudaEventRecord(e, s));
  DO(cudaStreamWaitEvent(t, e, 0));
  DO(cudaMallocAsync(&b, 1 << 20, t));
  say(a == b);
}
CASE(pool_reuse_by_another_stream_once_done, "yes") {
  const cudaStream_t s = stream(), t = stream();
  void *a, *b;
  DO(cudaMallocAsync(&a, 1 << 20, s));
  DO(cudaFreeAsync(a, s));
  DO(cudaStreamSynchronize(s));
  DO(cudaMallocAsync(&b, 1 << 20, t));
  say(a == b);
}
CASE(pool_no_reuse_without_leave, "no") {
  int off = 0;
  for (const cudaMemPoolAttr a :
       {cudaMemPoolReuseAllowOpportunistic, cudaMemPoolReuseAllowInternalDependencies})
    DO(cudaMemPoolSetAttribute(default_pool(), a, &off));
  const cudaStream_t s = stream(), t = stream();
  void *a, *b;
  DO(cudaMallocAsync(&a, 1 << 20, s));
  wait<<<1, 1, 0, s>>>(kLong);
  DO(cudaFreeAsync(a, s));
  DO(cudaMallocAsync(&b, 1 << 20, t));
  say(a == b);
}
CASE(pool_reserves_in_pieces_of, "33554432") {
  void* a;
  DO(cudaMallocAsync(&a, 64, nullptr));
  say(attribute(cudaMemPoolAttrReservedMemCurrent));
}
CASE(pool_used_rounds_up_to, "1") {
  void* a;
  DO(cudaMallocAsync(&a, 1, nullptr));
  say(attribute(cudaMemPoolAttrUsedMemCurrent));
}
CASE(pool_gives_back_when_synchronised, "0 0") {
  void* a;
  DO(cudaMallocAsync(&a, 64, nullptr));
  DO(cudaFreeAsync(a, nullptr));
  DO(cudaDeviceSynchronize());
  say(attribute(cudaMemPoolAttrUsedMemCurrent));
  say(attribute(cudaMemPoolAttrReservedMemCurrent));
}
CASE(pool_keeps_up_to_its_threshold, "yes Success 0") {
  unsigned long long all = ~0ull;
  DO(cudaMemPoolSetAttribute(default_pool(), cudaMemPoolAttrReleaseThreshold, &all));
  void* a;
  DO(cudaMallocAsync(&a, 64, nullptr));
  DO(cudaFreeAsync(a, nullptr));
  DO(cudaDeviceSynchronize());
  say(attribute(cudaMemPoolAttrReservedMemCurrent) > 0);
  say(cudaMemPoolTrimTo(default_pool(), 0));
  say(attribute(cudaMemPoolAttrReservedMemCurrent));
}
CASE(pool_high_marks, "2097152 0") {
  void *a, *b;
  DO(cudaMallocAsync(&a, 1 << 20, nullptr));
  DO(cudaMallocAsync(&b, 1 << 20, nullptr));
  DO(cudaFreeAsync(a, nullptr));
  DO(cudaFreeAsync(b, nullptr));
  DO(cudaDeviceSynchronize());
  say(attribute(cudaMemPoolAttrUsedMemHigh));
  unsigned long long zero = 0;
  DO(cudaMemPoolSetAttribute(default_pool(), cudaMemPoolAttrUsedMemHigh, &zero));
  say(attribute(cudaMemPoolAttrUsedMemHigh));
}
CASE(pool_free_in_another_stream, "Success Success") {
  const cudaStream_t s = stream(), t = stream();
  void* a;
  DO(cudaMallocAsync(&a, 64, s));
  say(cudaFreeAsync(a, t));
  say(cudaDeviceSynchronize());
}
CASE(pool_malloc_of_nothing, "Success yes") {
  void* a = reinterpret_cast<void*>(8);
  say(cudaMallocAsync(&a, 0, nullptr));
  say(a == nullptr);
}
CASE(pool_destroy_the_default, "InvalidValue") { say(cudaMemPoolDestroy(default_pool())); }
CASE(pool_destroyed_before_its_memory, "Success Success Success") {
  cudaMemPoolProps p = {};
  p.allocType = cudaMemAllocationTypePinned;
  p.location = on_device();
  cudaMemPool_t pool;
  DO(cudaMemPoolCreate(&pool, &p));
  void* a;
  say(cudaMallocFromPoolAsync(&a, 64, pool, nullptr));
  say(cudaMemPoolDestroy(pool));
  say(cudaFreeAsync(a, nullptr));
}
CASE(pool_of_the_device_can_be_changed, "Success yes") {
  cudaMemPoolProps p = {};
  p.allocType = cudaMemAllocationTypePinned;
  p.location = on_device();
  cudaMemPool_t pool, now;
  DO(cudaMemPoolCreate(&pool, &p));
  say(cudaDeviceSetMemPool(0, pool));
  DO(cudaDeviceGetMemPool(&now, 0));
  say(now == pool);
}
CASE(pool_too_much, "MemoryAllocation") {
  void* a;
  say(cudaMallocAsync(&a, size_t{1} << 50, nullptr));
}
