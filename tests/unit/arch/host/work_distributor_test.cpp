// SPDX-License-Identifier: Apache-2.0
// The work distributor without SMs: places that take blocks and say when these have ended.
#include "arch/host/work_distributor.h"

#include <set>

#include "tests/unit/arch/sm/around_unit.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

struct Place final : BlockHost {
  using BlockHost::BlockHost;
  struct Block {
    uint64_t number;
    Cycle at;
    bool clustered;
    GridContext* grid;
  };
  std::vector<Block> blocks;
  bool place = true;
  void assign(GridContext& grid, uint64_t block, const std::shared_ptr<ClusterHold>& cluster, unsigned,
              Cycle at) override {
    blocks.push_back({block, at, cluster != nullptr, &grid});
  }
  bool has_place_for(const GridContext&) const override { return place; }
  uint32_t carveout() const override { return 1u << 17; }
  bool quiet() const override { return false; }
};

// The distributor of a GPU of two GPCs of two SMs, and a grid.
struct Distribution {
  GpuConfig gpu = tiny_gpu();
  SmallGrid code{gpu.sm, "", 32};
  std::vector<std::unique_ptr<Place>> own;
  std::vector<Place*> places;
  std::unique_ptr<WorkDistributor> distributor;
  std::vector<std::unique_ptr<Grid>> grids;

  Distribution() {
    gpu.gpc.count = 2;
    gpu.gpc.sms = {2, 2};
    gpu.gpc.cluster_groups = {2, 2};
    for (unsigned i = 0; i < 4; ++i) {
      own.push_back(std::make_unique<Place>(i, i / 2));
      places.push_back(own.back().get());
    }
    distributor = std::make_unique<WorkDistributor>(gpu, places);
  }
  Grid& grid(uint32_t blocks, uint32_t fits, uint32_t cluster = 1) {
    code.launch.grid = {blocks, 1, 1};
    code.launch.cluster = {cluster, 1, 1};
    grids.push_back(std::make_unique<Grid>(gpu.sm, code.launch, code.code.machine));
    Grid& g = *grids.back();
    g.fits.blocks = fits;
    g.fits.warps_per_block = 1;
    g.fits.allocated_registers = 512;
    g.ticket = grids.size();
    return g;
  }
  size_t given() const {
    size_t n = 0;
    for (const Place* p : places) n += p->blocks.size();
    return n;
  }
  void end(unsigned place, Grid& g, Cycle at) { places[place]->news.push_back({at, &g, true, true}); }
};

}  // namespace

TEST_CASE("Every SM gets a block before any gets a second one", "[arch][distributor]") {
  Distribution d;
  d.distributor->start(d.grid(4, 8));
  for (const Place* p : d.places) CHECK(p->blocks.size() == 1);
}

TEST_CASE("An SM gets no more blocks than fit, and the rest when some have ended", "[arch][distributor]") {
  Distribution d;
  Grid& g = d.grid(12, 2);
  d.distributor->start(g);
  CHECK(d.given() == 8);
  d.end(1, g, 5000);
  d.distributor->serve(6000);
  REQUIRE(d.given() == 9);
  CHECK(d.places[1]->blocks.size() == 3);
  const Cycle latency = d.gpu.gpc.block_end_latency + d.gpu.gpc.block_launch_latency;
  CHECK(d.places[1]->blocks.back().at >= 5000 + latency);
}

TEST_CASE("Ends beyond a window wait for a later one", "[arch][distributor]") {
  Distribution d;
  Grid& g = d.grid(12, 2);
  d.distributor->start(g);
  d.end(0, g, 5000);
  d.distributor->serve(5000);
  CHECK(d.given() == 8);
  CHECK(d.places[0]->news.size() == 1);
  d.distributor->serve(5001);
  CHECK(d.given() == 9);
}

TEST_CASE("Each block of the grid is handed out once", "[arch][distributor]") {
  Distribution d;
  Grid& g = d.grid(8, 2);
  d.distributor->start(g);
  std::set<uint64_t> numbers;
  for (const Place* p : d.places)
    for (const Place::Block& b : p->blocks) numbers.insert(b.number);
  CHECK(numbers.size() == 8);
  CHECK(*numbers.rbegin() == 7);
  CHECK(g.placed());
}

TEST_CASE("Blocks of a cluster go to one group of SMs together", "[arch][distributor]") {
  Distribution d;
  d.distributor->start(d.grid(2, 4, 2));
  REQUIRE(d.given() == 2);
  const bool first = !d.places[0]->blocks.empty();
  for (unsigned i = 0; i < 4; ++i) CHECK(d.places[i]->blocks.size() == ((i < 2) == first ? 1 : 0));
  for (const Place* p : d.places)
    for (const Place::Block& b : p->blocks) CHECK(b.clustered);
}

TEST_CASE("A cluster that is larger than every group is refused", "[arch][distributor]") {
  Distribution d;
  CHECK_THROWS_AS(d.distributor->start(d.grid(4, 4, 4)), Error);
}

TEST_CASE("A block that fits nowhere is refused", "[arch][distributor]") {
  Distribution d;
  CHECK_THROWS_AS(d.distributor->start(d.grid(4, 0)), Error);
}

TEST_CASE("A grid has ended once the distributor has taken the ends of all blocks", "[arch][distributor]") {
  Distribution d;
  Grid& g = d.grid(2, 4);
  d.distributor->start(g);
  for (unsigned i = 0; i < 4; ++i)
    if (!d.places[i]->blocks.empty()) d.end(i, g, 3000 + i);
  CHECK_FALSE(d.distributor->done());
  d.distributor->serve(4000);
  CHECK(d.distributor->done());
  CHECK(g.last_end >= 3000 + d.gpu.gpc.block_end_latency);
  CHECK(g.lets_dependents == g.last_end);
}

TEST_CASE("An SM without a place for a further grid gets none of its blocks", "[arch][distributor]") {
  Distribution d;
  Grid& first = d.grid(4, 2);
  d.distributor->start(first);
  Grid& second = d.grid(4, 2);
  second.joined = true;
  first.shared_with = {second.ticket};
  second.shared_with = {first.ticket};
  d.places[2]->place = false;
  d.distributor->start(second);
  for (const Place::Block& b : d.places[2]->blocks) CHECK(b.grid == &first);
  CHECK(d.given() > 4);
}
