// SPDX-License-Identifier: Apache-2.0
// Runs cases.txt on a GPU:  probe FOLDER cases.txt results.txt raw.bin
// FOLDER holds <module>.cubin or <module>.ptx. One result a line: id, CUDA's error number, hash of the
// output. A fault or a hang ends the CUDA context for good, so a child process runs the cases up to it, then
// the next one.

#include <chrono>
#include <map>

#include "../driver.h"
#include "case_file.h"

using namespace grid_cases;

static CUmodule load(const std::string& folder, const std::string& name) {
  for (const char* ending : {".cubin", ".ptx"})
    if (std::ifstream(folder + "/" + name + ending)) return load_module(folder + "/" + name + ending);
  std::fprintf(stderr, "no module %s\n", name.c_str());
  std::exit(2);
}

// CUDA's error number; 702 (timeout) where nothing ends within five seconds.
static int launch(CUfunction f, const Case& c, CUtensorMap& map, CUdeviceptr out, CUdeviceptr in) {
  const bool cluster = c.cluster[0] != 0;
  if (cluster) {
    const CUresult r = cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (r != CUDA_SUCCESS) return r;
  }
  CUlaunchAttribute attributes[2] = {};
  CUlaunchConfig config = {};
  config.gridDimX = c.grid[0], config.gridDimY = c.grid[1], config.gridDimZ = c.grid[2];
  config.blockDimX = c.block, config.blockDimY = config.blockDimZ = 1;
  config.attrs = attributes;
  if (cluster) {
    CUlaunchAttribute& a = attributes[config.numAttrs++];
    a.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    a.value.clusterDim.x = c.cluster[0], a.value.clusterDim.y = c.cluster[1],
    a.value.clusterDim.z = c.cluster[2];
  }
  if (c.cooperative) {
    CUlaunchAttribute& a = attributes[config.numAttrs++];
    a.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    a.value.cooperative = 1;
  }
  void* args[] = {&map, &out, &in};
  const CUresult r = cuLaunchKernelEx(&config, f, args, nullptr);
  if (r != CUDA_SUCCESS) return r;
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    const CUresult q = cuStreamQuery(nullptr);
    if (q != CUDA_ERROR_NOT_READY) return q;
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(5)) return CUDA_ERROR_LAUNCH_TIMEOUT;
  }
}

// Runs cases from `first` on until one faults; returns the number of the next case.
static size_t run(const std::string& folder, const std::vector<std::string>& lines, size_t first,
                  FILE* results, FILE* raw) {
  open_device();
  CUdeviceptr in, out;
  CHECK(cuMemAlloc(&in, kInWords * 8));
  CHECK(cuMemAlloc(&out, kOutWords * 8));
  const std::vector<uint64_t> words = input();
  CHECK(cuMemcpyHtoD(in, words.data(), kInWords * 8));
  CUtensorMap map;
  const cuuint64_t dims[2] = {kMapColumns, kMapRows}, stride[1] = {kMapColumns * 4};
  const cuuint32_t box[2] = {kBoxColumns, kBoxRows}, ones[2] = {1, 1};
  CHECK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, reinterpret_cast<void*>(in), dims,
                               stride, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  std::map<std::string, CUmodule> modules;
  for (size_t i = first; i < lines.size(); ++i) {
    const Case c = parse_case(lines[i]);
    if (modules.count(c.module) == 0) modules[c.module] = load(folder, c.module);
    CUfunction f;
    CHECK(cuModuleGetFunction(&f, modules[c.module], c.kernel.c_str()));
    CHECK(cuMemsetD8(out, 0, kOutWords * 8));
    int error = launch(f, c, map, out, in);
    std::vector<uint64_t> after(c.words);
    if (error == 0) error = cuMemcpyDtoH(after.data(), out, c.words * 8);
    std::fprintf(results, "%s error=%d hash=%016llx\n", c.id.c_str(), error,
                 error != 0 ? 0ull : static_cast<unsigned long long>(hash_of(after.data(), c.words)));
    if (error != 0 && cuCtxSynchronize() != CUDA_SUCCESS) return i + 1;
    const uint64_t head[2] = {i, error == 0 ? c.words : 0};
    std::fwrite(head, 8, 2, raw);
    if (error == 0) std::fwrite(after.data(), 8, c.words, raw);
  }
  return lines.size();
}

int main(int, char** argv) {
  return run_cases(argv[2], argv[3], argv[4],
                   [&](const std::vector<std::string>& lines, size_t first, FILE* results, FILE* raw) {
                     return run(argv[1], lines, first, results, raw);
                   });
}
