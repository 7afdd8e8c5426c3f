// SPDX-License-Identifier: Apache-2.0
// Runs cases.txt on a GPU:  probe kernels.ptx cases.txt results.txt raw.bin
// One result a line: the number of the case, encode=0/1 (refused), CUDA's error number, a hash of what was
// written. A fault ends the CUDA context for good, so a child process runs the cases up to the first, then
// the next one.

#include "../driver.h"
#include "case_file.h"

using namespace tensor_map_cases;

template <class T>
static std::vector<T> as(const std::vector<int64_t>& in) {
  return {in.begin(), in.end()};
}

static CUresult encode(const Case& c, CUdeviceptr buffer, CUtensorMap& map) {
  static const CUtensorMapDataType kTypes[] = {
      CU_TENSOR_MAP_DATA_TYPE_UINT8,       CU_TENSOR_MAP_DATA_TYPE_UINT16,
      CU_TENSOR_MAP_DATA_TYPE_UINT32,      CU_TENSOR_MAP_DATA_TYPE_INT32,
      CU_TENSOR_MAP_DATA_TYPE_UINT64,      CU_TENSOR_MAP_DATA_TYPE_INT64,
      CU_TENSOR_MAP_DATA_TYPE_FLOAT16,     CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
      CU_TENSOR_MAP_DATA_TYPE_FLOAT64,     CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
      CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
      CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ};
  const auto type = kTypes[index_of(c.text("type"), {"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32",
                                                     "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"})];
  const auto inter = static_cast<CUtensorMapInterleave>(index_of(c.text("inter"), {"none", "16B", "32B"}));
  const auto swz = static_cast<CUtensorMapSwizzle>(index_of(c.text("swz"), {"none", "32B", "64B", "128B"}));
  const auto oob = static_cast<CUtensorMapFloatOOBfill>(index_of(c.text("oob"), {"zero", "nan"}));
  const auto dims = as<cuuint64_t>(c.list("dims")), strides = as<cuuint64_t>(c.list("strides"));
  const auto box = as<cuuint32_t>(c.list("box")), estr = as<cuuint32_t>(c.list("estr"));
  void* base = reinterpret_cast<void*>(buffer + c.number("base"));
  const auto rank = static_cast<cuuint32_t>(dims.size());
  std::memset(&map, 0, sizeof map);
  if (c.text("mode") == "tiled")
    return cuTensorMapEncodeTiled(&map, type, rank, base, dims.data(), strides.data(), box.data(),
                                  estr.data(), inter, swz, CU_TENSOR_MAP_L2_PROMOTION_NONE, oob);
  const auto lower = as<int>(c.list("lower")), upper = as<int>(c.list("upper"));
  return cuTensorMapEncodeIm2col(&map, type, rank, base, dims.data(), strides.data(), lower.data(),
                                 upper.data(), static_cast<cuuint32_t>(c.number("channels")),
                                 static_cast<cuuint32_t>(c.number("pixels")), estr.data(), inter, swz,
                                 CU_TENSOR_MAP_L2_PROMOTION_NONE, oob);
}

// Runs cases from `first` on until one faults; returns the number of the next case.
static size_t run(const std::vector<std::string>& lines, size_t first, const std::string& ptx, FILE* results,
                  FILE* raw) {
  open_device();
  CUmodule module;
  CHECK(cuModuleLoadData(&module, ptx.c_str()));
  CUdeviceptr tensor, out;
  CHECK(cuMemAlloc(&tensor, 1 << 22));
  CHECK(cuMemAlloc(&out, kOutBytes));
  for (size_t i = first; i < lines.size(); ++i) {
    const Case c = parse_case(lines[i]);
    const std::string& kernel = c.text("kernel");
    CUtensorMap map;
    const CUresult encoded = encode(c, tensor, map);
    if (encoded != CUDA_SUCCESS || kernel == "none") {
      std::fprintf(results, "%zu encode=%d error=0 hash=0\n", i, encoded != CUDA_SUCCESS);
      continue;
    }
    const auto bytes = static_cast<size_t>(c.number("bytes"));
    const std::vector<uint8_t> before = data_of(c, bytes, 0), source = data_of(c, 32768, kStoreSalt);
    CHECK(cuMemcpyHtoD(tensor, before.data(), bytes));
    const bool writes = writes_tensor(kernel);
    CHECK(cuMemsetD8(out, 0, kOutBytes));
    CUdeviceptr in = out + 32768;  // the source of a store; a map that a kernel changes
    if (writes) CHECK(cuMemcpyHtoD(in, source.data(), source.size()));
    CUdeviceptr extra = static_cast<CUdeviceptr>(c.number("extra"));
    if (kernel == "replace_address" || kernel == "replace_shared") extra += tensor;
    std::vector<uint32_t> words = {static_cast<uint32_t>(c.number("dump")),
                                   static_cast<uint32_t>(c.number("tx")),
                                   static_cast<uint32_t>(c.number("soff"))};
    std::vector<int64_t> at = c.list("at"), offs = c.list("offs");
    at.resize(5);
    offs.resize(3);
    for (const int64_t x : at) words.push_back(static_cast<uint32_t>(x));
    for (const int64_t x : offs) words.push_back(static_cast<uint32_t>(x));
    std::vector<void*> args = {&map, &out, &in, &extra};
    for (uint32_t& w : words) args.push_back(&w);
    CUfunction function;
    CHECK(cuModuleGetFunction(&function, module, kernel.c_str()));
    CUresult error = cuLaunchKernel(function, kernel == "multicast_2d" ? 2 : 1, 1, 1, 128, 1, 1, 0, nullptr,
                                    args.data(), nullptr);
    if (error == CUDA_SUCCESS) error = cuCtxSynchronize();
    std::vector<uint8_t> after(writes ? bytes : 32768);
    if (error == CUDA_SUCCESS) error = cuMemcpyDtoH(after.data(), writes ? tensor : out, after.size());
    if (error != CUDA_SUCCESS) {
      std::fprintf(results, "%zu encode=0 error=%d hash=0\n", i, static_cast<int>(error));
      return i + 1;
    }
    std::fprintf(results, "%zu encode=0 error=0 hash=%016llx\n", i,
                 static_cast<unsigned long long>(fnv1a(after)));
    const uint32_t head[2] = {static_cast<uint32_t>(i), static_cast<uint32_t>(after.size())};
    std::fwrite(head, 1, 8, raw);
    std::fwrite(after.data(), 1, after.size(), raw);
  }
  return lines.size();
}

int main(int, char** argv) {
  const std::string ptx = text_of(argv[1]);
  return run_cases(argv[2], argv[3], argv[4],
                   [&](const std::vector<std::string>& lines, size_t first, FILE* results, FILE* raw) {
                     return run(lines, first, ptx, results, raw);
                   });
}
