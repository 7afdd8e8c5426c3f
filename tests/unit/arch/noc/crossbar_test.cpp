// SPDX-License-Identifier: Apache-2.0
// The network with slices of L2, before memories that take 500 cycles.
#include "arch/noc/crossbar.h"

#include <memory>
#include <string>
#include <vector>

#include "arch/l2/l2_slice.h"
#include "tests/catch2.h"
#include "tests/unit/arch/memory_neighbours.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

// The network with its slices of L2, each before a memory that takes 500 cycles.
struct Network {
  sim::Context context;
  Crossbar crossbar;
  std::vector<std::unique_ptr<L2Slice>> slices;
  std::vector<std::unique_ptr<SlowMemory>> memories;
  explicit Network(const GpuConfig& gpu) : crossbar("crossbar", gpu) {
    for (unsigned s = 0; s < gpu.l2.slices; ++s) {
      slices.push_back(std::make_unique<L2Slice>(("slice" + std::to_string(s)).c_str(), gpu));
      memories.push_back(std::make_unique<SlowMemory>(("memory" + std::to_string(s)).c_str()));
      crossbar.port(s).socket.bind(slices.back()->socket);
      slices.back()->memory.socket.bind(memories.back()->socket);
    }
  }
};

}  // namespace

TEST_CASE("A copy engine asks the side where a line belongs, what an SM does for the host asks the SM's",
          "[arch]") {
  GpuConfig gpu = tiny();
  gpu.l2.partitions = 2, gpu.l2.slices = 2;
  Network network(gpu);
  network.slices[0]->set_peer(network.slices[1].get());
  network.slices[1]->set_peer(network.slices[0].get());
  once([&] {
    sim::MemoryRequest engine = read(0x1000, 0b1111, 100);
    network.crossbar.transport_for_host(engine);
    REQUIRE(engine.home);
    unsigned homes = 0;
    for (const uint32_t side : {0u, 1u}) {
      sim::MemoryRequest sm = read(0x1000, 0b1111, 5000 + 5000 * side);
      network.crossbar.transport_for_host(sm, side);
      homes += sm.home;
      REQUIRE(network.slices[side]->stats.requests.value() > 0);
    }
    REQUIRE(homes == 1);
  });
}

TEST_CASE("A GPC asks once for what its SMs read together, by the latest read of a line", "[arch]") {
  GpuConfig gpu = tiny();
  gpu.noc.merged_reads = 4;
  Network network(gpu);
  Crossbar& crossbar = network.crossbar;
  once([&] {
    crossbar.start_kernel();
    const auto ask = [&](uint16_t sm, uint8_t sectors, Cycle at) {
      sim::MemoryRequest r = read(0x4000, sectors, at);
      r.source = sm;
      crossbar.transport(r, 0);
      return crossbar.stats.merged.value();
    };
    REQUIRE(ask(0, 0b0011, 100) == 0);
    REQUIRE(ask(1, 0b0011, 110) == 1);
    REQUIRE(ask(0, 0b1100, 120) == 1);  // other sectors
    REQUIRE(ask(1, 0b0011, 130) == 1);  // no longer the latest
    REQUIRE(ask(0, 0b0011, 140) == 2);
  });
}

TEST_CASE("Answers that wait for a busy GPC hold up their slice's answers for another, beyond reply_wait",
          "[arch]") {
  // How long one read of GPC 1 takes beside `others` of GPC 0, by the same slice.
  const auto takes = [](unsigned others, Cycle reply_wait) {
    GpuConfig gpu = tiny();
    gpu.gpc.count = 2;
    gpu.gpc.sms = {2, 2};
    gpu.noc.merged_reads = 1;
    gpu.noc.gpc_reply_bytes = 8;
    gpu.noc.reply_wait = static_cast<uint32_t>(reply_wait);
    Network network(gpu);
    Cycle took = 0;
    once([&] {
      network.crossbar.start_kernel();
      const auto ask = [&](uint16_t sm, Cycle at) {
        sim::MemoryRequest r = read(0x4000, 0b1111, at);
        r.source = sm;
        network.crossbar.transport(r, sm / 2);
        return r.time - at;
      };
      ask(0, 100);  // L2 has it from now on
      for (unsigned i = 0; i < others; ++i) ask(0, 10000);
      took = ask(2, 10050);
    });
    return took;
  };
  const Cycle alone = takes(0, 20), held = takes(32, 20), free = takes(32, 100000);
  REQUIRE(held > alone + 400);  // 32 answers of 136 bytes keep GPC 0's port busy for 544 cycles
  REQUIRE(held < alone + 544);
  REQUIRE(free < alone + 100);
}
