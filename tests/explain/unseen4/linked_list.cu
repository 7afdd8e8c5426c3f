// SPDX-License-Identifier: Apache-2.0
// Buckets of a hash table as linked lists: each step waits for the pointer of the one before. Repaired, a bucket's items
// lie one after the other, so their addresses are known.
struct Node {
  int next;
  float value;
};
extern "C" __global__ void planted(const Node* nodes, const int* heads, float* out, int length) {
  const int bucket = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  int at = heads[bucket];
  for (int k = 0; k < length; ++k) {
    const Node node = nodes[at & 32767];  // defect
    sum += node.value;
    at = node.next;
  }
  out[bucket] = sum;
}
extern "C" __global__ void repaired(const Node* nodes, const int* heads, float* out, int length) {
  const int bucket = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  const int at = heads[bucket];
#pragma unroll 8
  for (int k = 0; k < length; ++k) sum += nodes[(at + 977 * k) & 32767].value;
  out[bucket] = sum;
}
