// SPDX-License-Identifier: Apache-2.0
// Where SMs and slices of the H200 stand, beside what probes of one say (bench/silicon/probes/ports, cold).
#include "arch/noc/topology.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "arch/noc/packet.h"
#include "base/config/config.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

GpuConfig load(const char* name) {
  const Config config = Config::load(name);
  GpuConfig gpu = load_gpu_config(config.root());
  config.check();
  return gpu;
}

Topology topology_of(const GpuConfig& gpu) {
  return Topology(gpu, *gpu.l2.hash.make<policy::AddressHash>(gpu.l2.host()));
}

}  // namespace

TEST_CASE("The TPCs of an H200's GPC take its three ports in turn", "[arch][noc]") {
  const GpuConfig gpu = load("h200");
  const Topology topology = topology_of(gpu);
  CHECK(topology.port_of(0) == topology.port_of(1));
  CHECK(topology.port_of(0) == topology.port_of(6));
  CHECK(topology.port_of(0) == topology.port_of(13));
  CHECK(std::set{topology.port_of(0), topology.port_of(2), topology.port_of(4)}.size() == 3);
  std::map<unsigned, unsigned> sms;
  for (unsigned sm = 0; sm < gpu.sm_count(); ++sm) ++sms[topology.port_of(sm)];
  const auto ports_of = [&](unsigned n) {
    return std::count_if(sms.begin(), sms.end(), [n](const auto& port) { return port.second == n; });
  };
  CHECK(ports_of(6) == 18);
  CHECK(ports_of(4) == 6);
}

TEST_CASE("Slices of one side of an H200 are 36 to 72 cycles apart, and as far as the mean on average",
          "[arch][noc]") {
  const GpuConfig gpu = load("h200");
  const Topology topology = topology_of(gpu);
  const unsigned slices = gpu.l2.slices / 2;
  int sum = 0;
  for (unsigned port = 0; port < topology.ports(); ++port) {
    const unsigned first = port < topology.ports() / 2 ? 0 : slices;
    int nearest = 1000, farthest = -1000;
    for (unsigned s = first; s < first + slices; ++s) {
      nearest = std::min(nearest, topology.farther(port, s));
      farthest = std::max(farthest, topology.farther(port, s));
      sum += topology.farther(port, s);
    }
    CHECK(farthest - nearest >= 35);
    CHECK(farthest - nearest <= 72);
  }
  CHECK(std::abs(sum) < static_cast<int>(topology.ports() * slices));
}

TEST_CASE("A write that leaves bytes of its sectors out takes their mask along", "[arch][noc]") {
  sim::MemoryRequest request;
  request.sectors = 0b0101;
  CHECK(request_bytes(request, 8) == 8);
  request.op = sim::RequestOp::kWrite;
  CHECK(request_bytes(request, 8) == 96);
  request.full_sectors = true;
  CHECK(request_bytes(request, 8) == 64);
  request.op = sim::RequestOp::kReduce;
  request.bytes = 4;
  CHECK(request_bytes(request, 8) == 32);
}
