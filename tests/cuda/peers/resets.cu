// SPDX-License-Identifier: Apache-2.0
// Devices that are used again after cudaDeviceReset. The answers are those of the CUDA runtime API, where the next call
// makes a new context. Two H200s gave them where nothing had faulted (2026-11-27). After a fault they answered
// DevicesUnavailable to the next call that needs a context, on whichever device.
#include "tests/cuda/peers/two.h"

namespace {

__global__ void add_to(int* to, const int* from) { *to += *from; }

void fault_on(int device) {
  DO(cudaSetDevice(device));
  fault<<<1, 1>>>(nullptr);
  say(cudaDeviceSynchronize());
}

void reset(int device) {
  DO(cudaSetDevice(device));
  say(cudaDeviceReset());
}

// On the current device.
void say_sum(int value, int more) {
  int* x = device_int(value);
  add<<<1, 1>>>(x, more);
  say(value_of(x));
}

}  // namespace

CASE(device_is_used_again_after_its_reset, "Success 8 7 7") {
  int* kept = int_on(1, 7);
  DO(cudaSetDevice(0));
  int* gone = device_int(1);
  add<<<1, 1>>>(gone, 1);
  DO(cudaDeviceSynchronize());
  say(cudaDeviceReset());
  int* x = device_int(3);
  add<<<1, 1>>>(x, 5);
  say(value_of(x));
  enable_peers();
  add_to<<<1, 1>>>(x, kept);
  DO(cudaDeviceSynchronize());
  say(value_of(kept));
  int* copy = device_int(0);
  DO(cudaMemcpyPeer(copy, 0, kept, 1, sizeof(int)));
  say(value_of(copy));
}

CASE(both_are_used_again_after_their_resets, "Success Success 4 5") {
  for (int k = 0; k < 2; ++k) {
    DO(cudaSetDevice(k));
    add<<<1, 1>>>(device_int(1), 1);
    DO(cudaDeviceSynchronize());
  }
  for (int k = 0; k < 2; ++k) {
    DO(cudaSetDevice(k));
    say(cudaDeviceReset());
  }
  for (int k = 0; k < 2; ++k) {
    DO(cudaSetDevice(k));
    int* x = device_int(3 + k);
    add<<<1, 1>>>(x, 1);
    say(value_of(x));
  }
}

CASE(both_are_used_again_after_a_fault, "IllegalAddress Success Success 4 5 9") {
  add<<<1, 1>>>(int_on(1), 1);
  fault_on(0);
  for (int k = 0; k < 2; ++k) reset(k);
  for (int k = 0; k < 2; ++k) {
    DO(cudaSetDevice(k));
    say_sum(3 + k, 1);
  }
  enable_peers();
  int *near = int_on(0, 4), *far = int_on(1, 5);
  DO(cudaSetDevice(0));
  add_to<<<1, 1>>>(far, near);
  say(value_of(far));
}

// The other stays lost until it is reset too.
CASE(each_is_lost_until_its_own_reset, "IllegalAddress Success 8 IllegalAddress 9 Success 10") {
  fault_on(1);
  reset(0);
  say_sum(3, 5);
  DO(cudaSetDevice(1));
  say(cudaDeviceSynchronize());
  DO(cudaSetDevice(0));
  say_sum(3, 6);
  reset(1);
  say_sum(3, 7);
}

CASE(faults_again_after_a_reset, "IllegalAddress Success Success 8 IllegalAddress Success Success 9") {
  for (int turn = 0; turn < 2; ++turn) {
    fault_on(turn);
    for (int k = 0; k < 2; ++k) reset(k);
    say_sum(3, 5 + turn);
  }
}

