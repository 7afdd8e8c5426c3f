// SPDX-License-Identifier: Apache-2.0
// What questions about graphs share.
#pragma once
#include "rules.h"

inline cudaGraph_t graph() {
  cudaGraph_t g = nullptr;
  DO(cudaGraphCreate(&g, 0));
  return g;
}
inline cudaGraphExec_t instance(cudaGraph_t g, unsigned long long flags = 0) {
  cudaGraphExec_t exec = nullptr;
  DO(cudaGraphInstantiate(&exec, g, flags));
  return exec;
}
inline cudaMemAllocNodeParams four_bytes() {
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = 4;
  return p;
}
// A node that allocates four bytes, and their address.
struct Allocation {
  cudaGraphNode_t node = nullptr;
  void* at = nullptr;
};
inline Allocation allocation(cudaGraph_t g) {
  cudaMemAllocNodeParams p = four_bytes();
  Allocation a;
  DO(cudaGraphAddMemAllocNode(&a.node, g, nullptr, 0, &p));
  a.at = p.dptr;
  return a;
}
