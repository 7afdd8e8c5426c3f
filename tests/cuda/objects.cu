// SPDX-License-Identifier: Apache-2.0
// Objects with virtual functions that live from one kernel to the next, on the device's heap.
#include <vector>

#include "check.h"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
  int side;
};
struct Box : Shape {
  __device__ Box(int width, int height) : width(width), height(height) {}
  __device__ int area() const override { return width * height; }
  int width, height;
};

__global__ void make(Shape** shapes) {
  const int i = threadIdx.x;
  if (i % 2 != 0)
    shapes[i] = new Square(i);
  else
    shapes[i] = new Box(i, 3);
}
__global__ void measure(Shape** shapes, int* areas) { areas[threadIdx.x] = shapes[threadIdx.x]->area(); }
__global__ void drop(Shape** shapes) { delete shapes[threadIdx.x]; }

int main() {
  constexpr int kCount = 40;
  Shape** shapes;
  int* areas;
  CUDA(cudaMalloc(&shapes, kCount * sizeof(Shape*)));
  CUDA(cudaMalloc(&areas, kCount * sizeof(int)));
  make<<<1, kCount>>>(shapes);
  measure<<<1, kCount>>>(shapes, areas);
  drop<<<1, kCount>>>(shapes);
  std::vector<int> out(kCount);
  CUDA(cudaMemcpy(out.data(), areas, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i) CHECK(out[i] == (i % 2 != 0 ? i * i : i * 3));
  return verdict();
}
