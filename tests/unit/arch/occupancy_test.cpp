// SPDX-License-Identifier: Apache-2.0
// Answers of NVIDIA's cuda_occupancy.h (CUDA 13.0) for compute capabilities 8.0 and 9.0, a sample of a grid
// of inputs.
#include "arch/gpc/occupancy.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/base/config/config.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

GpuConfig load(const std::string& name) {
  const Config config = Config::load(name);
  GpuConfig gpu = load_gpu_config(config.root());
  config.check();
  return gpu;
}

}  // namespace

TEST_CASE("Occupancy equals NVIDIA's calculator", "[arch][occupancy]") {
  const GpuConfig a100 = load("gpu/a100-40g"), h200 = load("gpu/h200");
  std::ifstream file(GPULOOM_SOURCE_DIR "/tests/unit/arch/occupancy_golden.csv");
  std::string line;
  std::getline(file, line);
  unsigned rows = 0;
  while (std::getline(file, line)) {
    std::vector<long> v;
    std::stringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) v.push_back(std::stol(field));
    KernelResources k;
    k.threads = static_cast<uint32_t>(v[1]);
    k.registers_per_thread = static_cast<uint32_t>(v[2]);
    k.shared_static = static_cast<uint32_t>(v[3]);
    k.shared_dynamic = static_cast<uint32_t>(v[4]);
    k.carveout_percent = static_cast<int>(v[5]);
    k.barriers = static_cast<uint32_t>(v[6]);
    const Occupancy o = occupancy(v[0] == 80 ? a100 : h200, k);
    INFO(line);
    REQUIRE(o.blocks == v[7]);
    REQUIRE(o.limit_warps == v[8]);
    REQUIRE(o.limit_registers == v[9]);
    REQUIRE(o.limit_shared == v[10]);
    REQUIRE(o.limit_blocks == v[11]);
    REQUIRE(o.limit_barriers == v[12]);
    ++rows;
  }
  REQUIRE(rows > 500);
}
