// SPDX-License-Identifier: Apache-2.0
// Runs the batches of `fuzz_kernels --emit` on a GPU and compares. Needs CUDA's driver alone:
//   g++ -O2 -std=c++17 -I$CUDA/include device_driver.cpp -o device_driver -L$CUDA/lib64/stubs -lcuda
//   device_driver FOLDER [FOLDER/batch_0000.cubin...]    kernels that differ on standard output, their memory
//   in FOLDER/bad
// Cubins are made beforehand, in parallel: ptxas -arch=sm_90a batch_NNNN.ptx -o batch_NNNN.cubin.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Case {
  std::string seed;
  unsigned grid = 1, x = 1, y = 1, shared = 0;
  uint64_t offset = 0, wanted = 0;
  std::vector<uint8_t> arguments;
};

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "%s: %s\n", what, text != nullptr ? text : "?");
  std::exit(2);
}

std::vector<uint8_t> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

uint64_t hash(const std::vector<uint8_t>& bytes) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, &bytes[at], 8);
    h = (h ^ word) * 0x100000001b3ull;
  }
  return h;
}

std::map<std::string, std::vector<Case>> index_of(const std::string& path) {
  std::map<std::string, std::vector<Case>> batches;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    Case c;
    std::string batch, arguments, wanted;
    in >> c.seed >> batch >> c.grid >> c.x >> c.y >> c.shared >> c.offset >> arguments >> wanted;
    c.wanted = std::strtoull(wanted.c_str(), nullptr, 16);
    for (size_t k = 0; k + 1 < arguments.size(); k += 2)
      c.arguments.push_back(static_cast<uint8_t>(std::stoi(arguments.substr(k, 2), nullptr, 16)));
    batches[batch].push_back(c);
  }
  return batches;
}

struct Totals {
  unsigned equal = 0, different = 0, absent = 0, failed = 0;
};

class Gpu {
 public:
  explicit Gpu(const std::string& folder)
      : folder_(folder), input_(bytes_of(folder + "/input.bin")), fresh_(bytes_of(folder + "/output.bin")) {
    check(cuInit(0), "cuInit");
    CUdevice device = 0;
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    CUcontext context = nullptr;
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuMemAlloc(&in_, input_.size()), "cuMemAlloc");
    check(cuMemAlloc(&out_, fresh_.size()), "cuMemAlloc");
    check(cuMemcpyHtoD(in_, input_.data(), input_.size()), "cuMemcpyHtoD");
  }

  void run(const std::string& batch, const std::vector<Case>& cases, Totals& totals) {
    CUmodule module = nullptr;
    const CUresult loaded = cuModuleLoad(&module, (folder_ + "/" + batch + ".cubin").c_str());
    if (loaded != CUDA_SUCCESS) {
      std::printf("%s: not loaded (%d)\n", batch.c_str(), static_cast<int>(loaded));
      totals.absent += static_cast<unsigned>(cases.size());
      return;
    }
    for (const Case& c : cases) one(module, c, totals);
    cuModuleUnload(module);
  }

 private:
  void one(CUmodule module, const Case& c, Totals& totals) {
    CUfunction function = nullptr;
    if (cuModuleGetFunction(&function, module, ("k" + c.seed).c_str()) != CUDA_SUCCESS) {
      ++totals.absent;
      return;
    }
    check(cuMemcpyHtoD(out_, fresh_.data(), fresh_.size()), "cuMemcpyHtoD");
    std::vector<uint8_t> arguments = c.arguments, got(fresh_.size());
    const CUdeviceptr in = in_ + c.offset;
    std::memcpy(&arguments[0], &in, 8);
    std::memcpy(&arguments[8], &out_, 8);
    size_t size = arguments.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    const CUresult launched =
        cuLaunchKernel(function, c.grid, 1, 1, c.x, c.y, 1, c.shared, nullptr, nullptr, extra);
    const CUresult ended = launched == CUDA_SUCCESS ? cuCtxSynchronize() : launched;
    if (ended != CUDA_SUCCESS) {
      std::printf("%s FAILED %d\n", c.seed.c_str(), static_cast<int>(ended));
      ++totals.failed;
      if (launched == CUDA_SUCCESS)
        std::exit(3);  // the context is lost: the caller goes on behind this kernel
      return;
    }
    check(cuMemcpyDtoH(got.data(), out_, got.size()), "cuMemcpyDtoH");
    if (hash(got) == c.wanted) {
      ++totals.equal;
      return;
    }
    ++totals.different;
    std::printf("%s DIFFERS\n", c.seed.c_str());
    if (totals.different <= 6000)
      std::ofstream(folder_ + "/bad/" + c.seed + ".bin", std::ios::binary)
          .write(reinterpret_cast<const char*>(got.data()), static_cast<std::streamsize>(got.size()));
  }

  std::string folder_;
  std::vector<uint8_t> input_, fresh_;
  CUdeviceptr in_ = 0, out_ = 0;
};

}  // namespace

// Arguments: the folder, then the first and last batch (a caller splits the work over processes).
int main(int argc, char** argv) {
  if (argc < 2) return 1;
  const std::string folder = argv[1];
  const auto batches = index_of(folder + "/kernels.txt");
  Gpu gpu(folder);
  Totals totals;
  for (const auto& [batch, cases] : batches) {
    const std::string name = batch;
    if (argc > 2 && name < argv[2]) continue;
    if (argc > 3 && name > argv[3]) continue;
    gpu.run(name, cases, totals);
    std::printf("%s: %u equal, %u differ, %u absent, %u failed\n", name.c_str(), totals.equal,
                totals.different, totals.absent, totals.failed);
    std::fflush(stdout);
  }
  return totals.different + totals.failed == 0 ? 0 : 1;
}
