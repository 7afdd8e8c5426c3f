// SPDX-License-Identifier: Apache-2.0
// Managed memory and managed variables: one pointer for both sides, structures with pointers inside.
#include "check.h"

struct Node {
  int value;
  Node* next;
};

__managed__ int total = 3;
__managed__ float weights[4] = {1, 2, 4, 8};

__global__ void walk(Node* node) {
  int sum = 0;
  for (; node != nullptr; node = node->next) {
    sum += node->value * static_cast<int>(weights[node->value % 4]);
    node->value = -node->value;
  }
  total += sum;
}

int main() {
  Node* nodes;
  CUDA(cudaMallocManaged(&nodes, 100 * sizeof(Node)));
  int expected = 3;
  weights[1] = 3;
  for (int i = 0; i < 100; ++i) {
    nodes[i] = {i, i + 1 < 100 ? &nodes[i + 1] : nullptr};
    expected += i * static_cast<int>(weights[i % 4]);
  }
  cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  CUDA(cudaMemAdvise(nodes, 100 * sizeof(Node), cudaMemAdviseSetPreferredLocation, device));
  CUDA(cudaMemPrefetchAsync(nodes, 100 * sizeof(Node), device, 0, nullptr));
  walk<<<1, 1>>>(nodes);
  CUDA(cudaMemPrefetchAsync(nodes, 100 * sizeof(Node), host, 0, nullptr));
  CUDA(cudaDeviceSynchronize());
  CHECK(total == expected);
  int wrong = 0;
  for (int i = 0; i < 100; ++i) wrong += nodes[i].value != -i;
  CHECK(wrong == 0);
  cudaPointerAttributes attributes;
  CUDA(cudaPointerGetAttributes(&attributes, nodes + 5));
  CHECK(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == nodes + 5);
  CUDA(cudaFree(nodes));
  return verdict();
}
