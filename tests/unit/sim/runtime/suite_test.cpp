// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/suite.h"

#include "tests/catch2.h"
#include "tests/places.h"

namespace gpuloom::sim {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("The project's suites are found by name, the reference first", "[suite]") {
  const auto suites = named_suites();
  REQUIRE(suites.size() == 8);
  CHECK(suites.front().name == "reference");
  CHECK(suite_case_names("reference") == suite_case_names(tests::in_tree("/bench/silicon")));
  CHECK(suite_case_names("corner_cases").size() == 20);
  CHECK(read_suite_case("corner_cases", "tiny_blocks").launches.size() == 1);
}

TEST_CASE("A folder is a suite by its path, whatever its name", "[suite]") {
  const std::string folder = tests::in_tree("/bench/silicon/libraries");
  CHECK(find_suite(folder) == folder);
}

TEST_CASE("A suite that does not exist is refused with the names of those that do", "[suite]") {
  CHECK_THROWS_WITH(find_suite("librarys"),
                    ContainsSubstring("unknown suite 'librarys'") && ContainsSubstring("libraries"));
  CHECK_THROWS_WITH(find_suite("holdout3"), ContainsSubstring("unknown suite 'holdout3'") &&
                                                ContainsSubstring("reference, algorithms"));
  CHECK_THROWS_WITH(read_suite_case("reference", "vecsub"), ContainsSubstring("unknown case 'vecsub'"));
}

}  // namespace
}  // namespace gpuloom::sim
