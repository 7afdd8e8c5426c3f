// SPDX-License-Identifier: Apache-2.0
// Copies between two GPUs, and memory of one while the other is current.
#include "two.h"

CASE(copy_by_peer, "Success 7") {
  int *to = int_on(1), *from = int_on(0, 7);
  say(cudaMemcpyPeer(to, 1, from, 0, sizeof(int)));
  say(value_of(to));
}
CASE(copy_by_peer_with_access, "Success 7") {
  enable_peers();
  int *to = int_on(1), *from = int_on(0, 7);
  say(cudaMemcpyPeer(to, 1, from, 0, sizeof(int)));
  say(value_of(to));
}
CASE(copy_by_peer_names_beyond_the_last, "InvalidDevice") {
  int *to = int_on(1), *from = int_on(0, 7);
  say(cudaMemcpyPeer(to, 99, from, 0, sizeof(int)));
}
CASE(copy_by_peer_names_the_wrong_devices, "Success 7") {
  int *to = int_on(1), *from = int_on(0, 7);
  say(cudaMemcpyPeer(to, 0, from, 1, sizeof(int)));
  say(value_of(to));
}
CASE(copy_by_peer_within_one, "Success 7") {
  int *to = int_on(1), *from = int_on(1, 7);
  say(cudaMemcpyPeer(to, 1, from, 1, sizeof(int)));
  say(value_of(to));
}
CASE(copy_by_peer_of_host_memory, "InvalidValue") {
  int *to = int_on(1), from = 7;
  say(cudaMemcpyPeer(to, 1, &from, 0, sizeof(int)));
}
CASE(copy_by_peer_of_nothing, "Success") { say(cudaMemcpyPeer(int_on(1), 1, int_on(0), 0, 0)); }
CASE(copy_by_peer_beyond_the_end, "InvalidValue") {
  say(cudaMemcpyPeer(int_on(1), 1, int_on(0), 0, size_t{1} << 32));
}
CASE(copy_by_default_kind, "Success 7") {
  int *to = int_on(1), *from = int_on(0, 7);
  say(cudaMemcpy(to, from, sizeof(int), cudaMemcpyDefault));
  say(value_of(to));
}
CASE(copy_device_to_device, "Success 7") {
  int *to = int_on(1), *from = int_on(0, 7);
  say(cudaMemcpy(to, from, sizeof(int), cudaMemcpyDeviceToDevice));
  say(value_of(to));
}
CASE(copy_between_others_in_a_stream_of_this, "Success 7") {
  int *to = int_on(1), *from = int_on(0, 7);
  const cudaStream_t s = stream_on(1);
  say(cudaMemcpyPeerAsync(to, 1, from, 0, sizeof(int), s));
  DO(cudaStreamSynchronize(s));
  say(value_of(to));
}
CASE(copy_async_of_another_device_in_this_stream, "Success 7") {
  int *to = int_on(1), *from = int_on(1, 7);
  const cudaStream_t s = stream_on(0);
  say(cudaMemcpyAsync(to, from, sizeof(int), cudaMemcpyDeviceToDevice, s));
  DO(cudaStreamSynchronize(s));
  say(value_of(to));
}
CASE(copy_to_host_from_another_device, "Success 7") {
  int x = 0;
  say(cudaMemcpy(&x, int_on(1, 7), sizeof x, cudaMemcpyDeviceToHost));
  say(x);
}
CASE(copy_from_host_to_another_device, "Success 7") {
  int x = 7, *to = int_on(1);
  say(cudaMemcpy(to, &x, sizeof x, cudaMemcpyHostToDevice));
  say(value_of(to));
}
CASE(copy_2d_between_them, "Success 7") {
  int *to = int_on(1), *from = int_on(0, 7);
  say(cudaMemcpy2D(to, 4, from, 4, 4, 1, cudaMemcpyDefault));
  say(value_of(to));
}
CASE(copy_3d_by_peer, "Success 7") {
  int *to = int_on(1), *from = int_on(0, 7);
  cudaMemcpy3DPeerParms p{};
  p.srcPtr = make_cudaPitchedPtr(from, 4, 4, 1);
  p.dstPtr = make_cudaPitchedPtr(to, 4, 4, 1);
  p.srcDevice = 0;
  p.dstDevice = 1;
  p.extent = make_cudaExtent(4, 1, 1);
  say(cudaMemcpy3DPeer(&p));
  say(value_of(to));
}
// Memory that is not reached cannot be filled.
CASE(fill_of_another_device, "InvalidValue 7") {
  int* x = int_on(1, 7);
  say(cudaMemset(x, 0, sizeof *x));
  say(value_of(x));
}
CASE(fill_of_another_device_in_this_stream, "InvalidValue 7") {
  int* x = int_on(1, 7);
  const cudaStream_t s = stream_on(0);
  say(cudaMemsetAsync(x, 0, sizeof *x, s));
  DO(cudaStreamSynchronize(s));
  say(value_of(x));
}
CASE(free_of_another_device, "Success") { say(cudaFree(int_on(1))); }
CASE(pointer_says_its_device, "1 2") {
  cudaPointerAttributes a{};
  DO(cudaPointerGetAttributes(&a, int_on(1)));
  say(a.device), say(static_cast<int>(a.type));
}
CASE(pinned_pointer_says_who_made_it, "1 1") {
  DO(cudaSetDevice(1));
  int* x = pinned_int();
  DO(cudaSetDevice(0));
  cudaPointerAttributes a{};
  DO(cudaPointerGetAttributes(&a, x));
  say(a.device), say(static_cast<int>(a.type));
}
CASE(memory_is_counted_by_device, "yes") {
  size_t before = 0, after = 0, total = 0;
  void* x = nullptr;
  DO(cudaSetDevice(1));
  DO(cudaMemGetInfo(&before, &total));
  DO(cudaMalloc(&x, 64 << 20));
  DO(cudaMemGetInfo(&after, &total));
  say(before - after >= size_t{64} << 20);
}
// A chain of copies there and back in one stream stays in order.
CASE(copies_of_a_stream_follow_each_other, "100") {
  enable_peers();
  int *a = int_on(0), *b = int_on(1);
  const cudaStream_t s = stream_on(0);
  for (int k = 0; k < 100; ++k) {
    add<<<1, 1, 0, s>>>(a, 1);
    DO(cudaMemcpyPeerAsync(b, 1, a, 0, sizeof(int), s));
    DO(cudaMemcpyPeerAsync(a, 0, b, 1, sizeof(int), s));
  }
  DO(cudaStreamSynchronize(s));
  say(value_of(b));
}
CASE(copy_by_peer_comes_after_both_default_streams, "5") {
  int *to = int_on(1), *from = int_on(0);
  enable_peers();
  wait<<<1, 1>>>(kLong);
  store<<<1, 1>>>(from, 5);
  DO(cudaSetDevice(1));
  DO(cudaMemcpyPeer(to, 1, from, 0, sizeof(int)));
  say(value_of(to));
}
CASE(what_follows_on_the_target_sees_the_copy, "10") {
  int *to = int_on(1), *from = int_on(0);
  enable_peers();
  wait<<<1, 1>>>(kLong);
  store<<<1, 1>>>(from, 5);
  DO(cudaMemcpyPeer(to, 1, from, 0, sizeof(int)));
  DO(cudaSetDevice(1));
  twice<<<1, 1>>>(to);
  DO(cudaDeviceSynchronize());
  say(value_of(to));
}
static __device__ int variable;
CASE(symbols_are_by_device, "0 3") {
  int value = 3, first = -1, second = -1;
  DO(cudaSetDevice(1));
  DO(cudaMemcpyToSymbol(variable, &value, sizeof value));
  DO(cudaMemcpyFromSymbol(&second, variable, sizeof second));
  DO(cudaSetDevice(0));
  DO(cudaMemcpyFromSymbol(&first, variable, sizeof first));
  say(first), say(second);
}
