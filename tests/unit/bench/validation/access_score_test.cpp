// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/access_score.h"

#include <algorithm>

#include "base/config/config.h"
#include "sim/api/simulator.h"
#include "sim/runtime/suite.h"
#include "tests/catch2.h"
#include "tests/places.h"

namespace gpuloom::validation {
namespace {

const std::string kSuite = tests::in_tree("/bench/silicon");

AccessReport analysed(const std::string& name, const std::vector<std::string>& overrides = {}) {
  sim::DeviceOptions o;
  o.mode = sim::Mode::kFunctional;
  o.analyze = true;
  o.overrides = overrides;
  sim::Simulator simulator(o);
  return simulator.run(sim::read_suite_case(kSuite, name), {}).accesses.back();
}

const AccessSite& worst_shared(const AccessReport& report) {
  return *std::max_element(
      report.sites.begin(), report.sites.end(),
      [](const AccessSite& a, const AccessSite& b) { return a.counts.conflicts < b.counts.conflicts; });
}

bool mentions(const AccessSite& site, std::string_view words) {
  return std::any_of(site.hints.begin(), site.hints.end(),
                     [&](const std::string& hint) { return hint.find(words) != std::string::npos; });
}

TEST_CASE("An analysis counts sectors, wavefronts and conflicts as the H200's counters do") {
  const SiliconTables silicon = load_silicon(kSuite);
  for (const char* name : {"transpose_conflict_1k", "transpose_padded_1k", "bank_stride_3", "bank_stride_32",
                           "bank64_stride_2", "bank128_stride_8", "bank_store_2", "bank_random",
                           "strided_read_4", "gather_random", "copy_u8_1m", "matmul_tiled16_256", "spmv_csr",
                           "pipeline_2_w4", "bulk_copy_w4", "histogram_shared", "local_array"}) {
    const AccessReport report = analysed(name);
    for (const AccessComparison& c : compare_accesses(report, silicon.at(name))) {
      INFO(name << ": " << c.id);
      CHECK(c.analysed == c.silicon);
    }
  }
}

TEST_CASE("A column walk through a tile gets the padding that removes its conflicts as a hint") {
  const AccessReport report = analysed("transpose_conflict_1k");
  const AccessSite& worst = worst_shared(report);
  CHECK(worst.worst_degree == 32);
  CHECK(mentions(worst, "pad each row of 128 bytes by 4 (1 element): 0 conflicts"));
  CHECK(mentions(worst, "XOR the 4-byte column number with the row number modulo 32"));
  REQUIRE(worst.banks.size() == 32);
  CHECK(std::count(worst.banks.begin(), worst.banks.end(), 32u) == 1);
  CHECK(std::count(worst.banks.begin(), worst.banks.end(), 0u) == 31);
  CHECK(analysed("transpose_padded_1k").total("ld", "shared").conflicts == 0);
}

TEST_CASE("The configuration's banks decide how many lanes meet") {
  CHECK(worst_shared(analysed("bank_stride_8")).worst_degree == 8);
  CHECK(worst_shared(analysed("bank_stride_8", {"sm.shared.banks=64"})).worst_degree == 4);
  CHECK(worst_shared(analysed("bank_stride_8", {"sm.shared.banks=16"})).worst_degree == 16);
}

TEST_CASE("A strided read names the distance of its lanes and the bytes of a sector that it uses") {
  const AccessReport report = analysed("strided_read_4");
  const AccessCounts loads = report.total("ld", "global");
  CHECK(loads.sectors == 4 * loads.ideal_sectors);
  const auto load = std::find_if(report.sites.begin(), report.sites.end(),
                                 [](const AccessSite& s) { return s.operation == "ld.global"; });
  REQUIRE(load != report.sites.end());
  CHECK(mentions(*load, "neighbouring lanes are 16 bytes apart: of each sector 8 bytes are used"));
}

TEST_CASE("The table, the JSON and the CSV of an analysis hold every instruction") {
  const AccessReport report = analysed("bank_stride_8");
  CHECK(access_text(report, 0).find("Shared memory, 32 banks of 4 bytes") != std::string::npos);
  CHECK(access_json({report}).find("\"bank_conflicts\": 236544") != std::string::npos);
  const std::string csv = access_csv({report});
  CHECK(static_cast<size_t>(std::count(csv.begin(), csv.end(), '\n')) == report.sites.size() + 1);
}

}  // namespace
}  // namespace gpuloom::validation
