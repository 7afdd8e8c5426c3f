// SPDX-License-Identifier: Apache-2.0
// What questions about two GPUs share. Two H200s answered them (NVLink, driver 580.159, CUDA 13.0,
// 2026-11-26).
#pragma once
#include "tests/cuda/rules/rules.h"

// Memory, streams and events of a device, whatever is current.
struct On {
  explicit On(int device) {
    DO(cudaGetDevice(&before_));
    DO(cudaSetDevice(device));
  }
  On(const On&) = delete;
  On& operator=(const On&) = delete;
  ~On() { DO(cudaSetDevice(before_)); }

 private:
  int before_ = 0;
};
inline int* int_on(int device, int value = 0) {
  const On there(device);
  return device_int(value);
}
inline cudaStream_t stream_on(int device, unsigned flags = cudaStreamNonBlocking) {
  const On there(device);
  return stream(flags);
}
inline cudaEvent_t event_on(int device, unsigned flags = cudaEventDefault) {
  const On there(device);
  return event(flags);
}
// Both ways.
inline void enable_peers() {
  for (int k = 0; k < 2; ++k) {
    const On there(k);
    DO(cudaDeviceEnablePeerAccess(1 - k, 0));
  }
}
inline int current() {
  int device = -1;
  DO(cudaGetDevice(&device));
  return device;
}
static __global__ void load(int* to, const int* from) { *to = *from; }
static __global__ void store(int* to, int value) { *to = value; }
