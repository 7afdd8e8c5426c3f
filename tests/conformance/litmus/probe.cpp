// SPDX-License-Identifier: Apache-2.0
// Runs cases.txt on a GPU:  probe kernels.cubin cases.txt results.txt [iterations] [groups]
// One result a line: the case's number, then outcome:count for all that were seen. "error=N" where CUDA has
// one.

#include <chrono>

#include "../driver.h"
#include "case_file.h"

using namespace litmus_cases;

int main(int argc, char** argv) {
  const unsigned all_iterations = argc > 4 ? std::atoi(argv[4]) : 200,
                 groups = argc > 5 ? std::atoi(argv[5]) : 64;
  open_device();
  const CUmodule module = load_module(argv[1]);
  const unsigned instances = groups * 32;
  const size_t runs = size_t{all_iterations} * instances;
  CUdeviceptr mem, out, sync;
  CHECK(cuMemAlloc(&mem, runs * 12));
  CHECK(cuMemAlloc(&out, runs * 16));
  CHECK(cuMemAlloc(&sync, instances * 4));
  std::ifstream cases(argv[2]);
  FILE* results = std::fopen(argv[3], "w");
  std::vector<uint32_t> words(runs * 4), memory(runs * 3);
  size_t number = 0;
  for (std::string line; std::getline(cases, line); ++number) {
    const Case c = parse_case(line);
    unsigned iterations = c.space == "shared" ? std::min(all_iterations, kSharedIterations) : all_iterations;
    CHECK(cuMemsetD8(mem, 0, runs * 12));
    CHECK(cuMemsetD8(out, 0, runs * 16));
    CHECK(cuMemsetD8(sync, 0, instances * 4));
    CUfunction f;
    CHECK(cuModuleGetFunction(&f, module, c.kernel.c_str()));
    const Shape shape = shape_of(c, groups);
    CUlaunchAttribute attribute = {};
    CUlaunchConfig config = {};
    config.gridDimX = shape.grid, config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = shape.block, config.blockDimY = config.blockDimZ = 1;
    if (shape.cluster != 0) {
      attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      attribute.value.clusterDim.x = shape.cluster,
      attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
      config.attrs = &attribute;
      config.numAttrs = 1;
    }
    unsigned all = instances, placement = placement_of(c);
    void* args[] = {&mem, &out, &sync, &iterations, &all, &placement};
    CUresult r = cuLaunchKernelEx(&config, f, args, nullptr);
    const auto begin = std::chrono::steady_clock::now();
    while (r == CUDA_SUCCESS && (r = cuStreamQuery(nullptr)) == CUDA_ERROR_NOT_READY) {
      r = CUDA_SUCCESS;
      if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(5)) r = CUDA_ERROR_LAUNCH_TIMEOUT;
      if (r == CUDA_SUCCESS && cuStreamQuery(nullptr) == CUDA_SUCCESS) break;
    }
    if (r != CUDA_SUCCESS) {
      std::fprintf(results, "%zu error=%d\n", number, static_cast<int>(r));
      std::fprintf(stderr, "case %zu: error %d\n", number, static_cast<int>(r));
      std::fflush(results);
      return 2;
    }
    const size_t count = size_t{iterations} * instances;
    CHECK(cuMemcpyDtoH(words.data(), out, count * 16));
    CHECK(cuMemcpyDtoH(memory.data(), mem, count * 12));
    std::fprintf(results, "%zu", number);
    for (const auto& [outcome, n] : histogram(c, words.data(), memory.data(), count))
      std::fprintf(results, " %s:%zu", outcome.c_str(), n);
    std::fprintf(results, "\n");
  }
  std::fclose(results);
  return 0;
}
