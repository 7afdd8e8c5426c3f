// SPDX-License-Identifier: Apache-2.0
// What questions about capture share.
#pragma once
#include "rules.h"

inline cudaStream_t capturing(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal,
                              unsigned flags = cudaStreamNonBlocking) {
  static const bool used = cudaFree(nullptr) == cudaSuccess;  // the device, before any capture
  static_cast<void>(used);
  const cudaStream_t s = stream(flags);
  DO(cudaStreamBeginCapture(s, mode));
  return s;
}
inline void state(cudaStream_t s) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  say(cudaStreamIsCapturing(s, &status));
  say(static_cast<int>(status));
}
