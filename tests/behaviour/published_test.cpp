// SPDX-License-Identifier: Apache-2.0
// Published figures beside our own kernels on the boards' configurations (bench/published).
#include <algorithm>
#include <cmath>

#include "bench/validation/published_probe.h"
#include "bench/validation/published_score.h"
#include "tests/catch2.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using namespace gpuloom::validation;
using Catch::Matchers::ContainsSubstring;

namespace {

// Ours over what was published, of a board's row.
double ratio(const PublishedData& data, const std::string& board, const std::string& quantity) {
  const auto row = std::ranges::find_if(
      data.rows, [&](const PublishedRow& r) { return r.board == board && r.quantity == quantity; });
  REQUIRE(row != data.rows.end());
  ProbeRunner runner(data.board(board), data.folder + "/kernels");
  return runner.measure(data.probes.find(row->probe)->second, *row) / row->value;
}

}  // namespace

TEST_CASE("Published figures come out near: a chase on an A100, strides on an A40, sums of a GeForce board",
          "[published]") {
  const PublishedData data = read_published(published_folder());
  CHECK(std::fabs(ratio(data, "A100-80-SXM", "load-to-load latency, L1 hit") - 1) < 0.1);
  CHECK(std::fabs(
            ratio(data, "A40", "cycles of the SM for a warp load from L1: float, stride of elements 1") - 1) <
        0.1);
  CHECK(std::fabs(ratio(data, "RTX5060", "mma bf16, f32 accumulate") - 1) < 0.1);
  CHECK(std::fabs(ratio(data, "RTX5060", "mma f16, f16 accumulate, m16n8k16") - 1) < 0.1);
}

TEST_CASE("A published figure is measured alike whatever was measured before", "[published]") {
  const PublishedData data = read_published(published_folder());
  const std::string quantity = "gpu-stream triad, f64, 12.5 % of the warps resident";
  const auto row = std::ranges::find_if(
      data.rows, [&](const PublishedRow& r) { return r.board == "A40" && r.quantity == quantity; });
  REQUIRE(row != data.rows.end());
  const ProbeWords& probe = data.probes.find(row->probe)->second;
  ProbeRunner runner(data.board("A40"), data.folder + "/kernels");
  const double first = runner.measure(probe, *row);
  CHECK(first > 0);
  CHECK(runner.measure(probe, *row) == first);
}

TEST_CASE("Published figures are the same and in the same order with one process and with two",
          "[published]") {
  const PublishedData data = read_published(published_folder());
  const auto score = [&](unsigned jobs) {
    size_t ended = 0, of = 0;
    const auto results = score_published(data, "RTX5090", "chase_index", jobs,
                                         [&](size_t e, size_t n, const std::string&) { ended = e, of = n; });
    CHECK(ended == of);
    return published_csv(results);
  };
  const std::string one = score(1);
  CHECK_THAT(one, ContainsSubstring("RTX5090,micro"));
  CHECK(score(2) == one);
}

TEST_CASE("Errors are medians over rows that count, and no board's own values count for it", "[published]") {
  const PublishedData data = read_published(published_folder());
  std::vector<PublishedResult> results;
  std::vector<PublishedRow> rows(3);
  for (PublishedRow& row : rows) row.board = "V100-PCIe", row.kind = "micro", row.value = 100;
  rows[2].used = true;
  results.push_back({&rows[0], 110.0, ""});
  results.push_back({&rows[1], 100.0, ""});
  results.push_back({&rows[2], 300.0, ""});
  const PublishedErrors e = published_errors(
      results, [](const std::string&) { return true; }, "micro");
  CHECK(e.rows == 2);
  CHECK(std::fabs(e.median - std::log(1.1) / 2) < 1e-9);
  CHECK(published_noise(data).rows > 10);
}

TEST_CASE("Boards whose conditions nobody knows stand in a table of their own, with what is not known",
          "[published]") {
  const PublishedData data = read_published(published_folder());
  CHECK_FALSE(data.board("T4").unknown.empty());
  CHECK(data.board("V100-PCIe").unknown.empty());
  std::vector<PublishedRow> rows(2);
  rows[0].board = "V100-PCIe", rows[1].board = "T4";
  for (PublishedRow& row : rows) row.kind = "micro", row.value = 100;
  const std::vector<PublishedResult> results = {{&rows[0], 110.0, ""}, {&rows[1], 120.0, ""}};
  const std::string page = published_markdown(data, results);
  const size_t apart = page.find("## Boards whose conditions are not known");
  REQUIRE(apart != std::string::npos);
  CHECK(page.find("| V100-PCIe |") < apart);
  CHECK(page.find("| T4 |") > apart);
  CHECK_THAT(page, ContainsSubstring(data.board("T4").unknown));
  CHECK_THAT(published_text(data, results, false), ContainsSubstring("Conditions not known"));
}

TEST_CASE("A run on a board that nobody measured says what error to expect, and one on an H200 does not",
          "[published][cli]") {
  const tests::ProgramFolder folder;
  folder.write("launch.yaml",
               "ptx: add.ptx\nbuffers:\n  d: {type: u32, count: 64}\nkernel: add_one\ngrid: 2\nblock: "
               "32\nargs: [d, 64]\n");
  const std::string said = "this project has not measured rtx4090";
  CHECK_THAT(folder.run("run launch.yaml -c rtx4090").out, ContainsSubstring(said));
  CHECK_THAT(folder.run("run launch.yaml -c rtx4090 -q").out, !ContainsSubstring(said));
  CHECK_THAT(folder.run("run launch.yaml -c h200").out, !ContainsSubstring("has not measured"));
}
