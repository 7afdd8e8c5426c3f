// SPDX-License-Identifier: Apache-2.0
#include "sim/api/occupancy.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/config/config.h"
#include "base/error.h"
#include "sim/api/occupancy_table.h"
#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

OccupancyReport report(const std::string& gpu, uint32_t block, uint32_t registers, uint32_t shared,
                       uint32_t cluster = 0) {
  OccupancyQuery q;
  q.block = block;
  q.registers = registers;
  q.shared_dynamic = shared;
  q.cluster = cluster;
  return occupancy_report(gpu, q);
}

std::string advice(const OccupancyReport& r) {
  std::string all;
  for (const std::string& line : r.advice) all += line + "\n";
  return all;
}

}  // namespace

TEST_CASE("An occupancy report names what limits and what would gain a block") {
  const OccupancyReport registers = report("h200", 256, 35, 0);
  CHECK(registers.occupancy.blocks == 6);
  CHECK(registers.limiters == std::vector<std::string>{"registers"});
  CHECK_THAT(advice(registers),
             ContainsSubstring("7 blocks (87.5 %) with at most 32 registers a thread (3 fewer)"));
  const OccupancyReport shared = report("a100-40g", 256, 64, 50480);
  CHECK(shared.limiters == std::vector<std::string>{"shared memory"});
  CHECK_THAT(advice(shared), ContainsSubstring("at most 40960 bytes of shared memory a block (9520 fewer)"));
  const OccupancyReport both = report("h200", 512, 64, 100000);
  CHECK(both.limiters == std::vector<std::string>{"registers", "shared memory"});
  CHECK_THAT(advice(both),
             ContainsSubstring("registers a thread") && ContainsSubstring(" and at most 76800 bytes"));
  const OccupancyReport small = report("rtx4090", 32, 16, 0);
  CHECK(small.limiters == std::vector<std::string>{"blocks"});
  CHECK_THAT(advice(small), ContainsSubstring("24 blocks of 64 threads (100 %)"));
  CHECK(report("h200", 1024, 32, 0).advice.empty());  // nothing to gain at 100 %
}

TEST_CASE("What an occupancy report advises holds") {
  for (uint32_t registers : {40u, 70u, 100u, 168u, 255u})
    for (uint32_t shared : {0u, 20000u, 40000u}) {
      const OccupancyReport r = report("h200", 192, registers, shared);
      INFO(registers << " registers, " << shared << " bytes: " << advice(r));
      // The largest number of registers that the words name gives the block, one more does not.
      const std::string words = advice(r);
      const size_t at = words.find("at most ");
      if (at == std::string::npos || words.find(" registers a thread") == std::string::npos ||
          words.find(" and ") != std::string::npos)
        continue;
      const auto most = static_cast<uint32_t>(std::stoul(words.substr(at + 8)));
      CHECK(report("h200", 192, most, shared).occupancy.blocks > r.occupancy.blocks);
      CHECK(report("h200", 192, most + 1, shared).occupancy.blocks == r.occupancy.blocks);
    }
}

TEST_CASE("Occupancy comes as text with plots, as JSON and as a picture") {
  const std::vector<OccupancyReport> reports = {report("h200", 256, 64, 16384, 4),
                                                report("t4", 256, 64, 16384)};
  CHECK_THAT(occupancy_text(reports[0], true),
             ContainsSubstring("4 blocks, 32 of 64 warps, 50 %; limited by registers") &&
                 ContainsSubstring("occupancy by shared memory") && ContainsSubstring("^ 256"));
  const nlohmann::json json = nlohmann::json::parse(occupancy_json(reports));
  REQUIRE(json.size() == 2);
  CHECK(json[0].at("blocks_per_sm") == 4);
  CHECK(json[0].at("clusters").at("active") == 124);
  CHECK(json[0].at("limits").at("registers") == 4);
  CHECK(json[1].at("limits").at("barriers").is_null());
  REQUIRE(json[1].at("curves").size() == 3);
  CHECK(json[1].at("curves")[0].at("points").size() == 32);
  const std::string svg = occupancy_svg(reports);
  CHECK_THAT(svg,
             ContainsSubstring("<svg ") && ContainsSubstring("h200 (9.0)") && ContainsSubstring("</svg>"));
  size_t lines = 0;
  for (size_t at = svg.find("<path"); at != std::string::npos; at = svg.find("<path", at + 1)) ++lines;
  CHECK(lines == 6);  // three curves of two GPUs
}

TEST_CASE("A table of occupancy answers shows each row that differs") {
  const ScratchFolder folder;
  const std::string path = folder.file("table.csv");
  write_file(path, "cc,block,regs,active,lim_regs\n90,256,64,4,4\n90,256,64,5,4\n75,1024,32,1,7\n");
  const OccupancyTable table = compare_occupancy_table(path);
  CHECK(table.rows == 3);
  REQUIRE(table.differences.size() == 2);
  CHECK(table.differences[0].line == 3);
  CHECK(table.differences[0].what == "active is 5, ours 4");
  CHECK(table.differences[1].what == "lim_regs is 7, ours 2");
  write_file(path, "cc,block,regs,activ\n");
  CHECK_THROWS_WITH(compare_occupancy_table(path), ContainsSubstring("unknown column 'activ'") &&
                                                       ContainsSubstring("did you mean 'active'?"));
  write_file(path, "cc,block,active\n90,32\n");
  CHECK_THROWS_WITH(compare_occupancy_table(path),
                    ContainsSubstring(":2:1: 2 fields where the heading has 3"));
  std::remove(path.c_str());
}
