// SPDX-License-Identifier: Apache-2.0
#include "sim/host/settings.h"

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "sim/host/status.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::host;

TEST_CASE("Settings go through the environment unchanged", "[host]") {
  Settings s;
  s.configs = {"a100-80g", "h200"};
  s.overrides = {"sm.shared.banks=64", "dram.bandwidth=1TB/s"};
  s.timed = true;
  s.kernel = "regex:^add";
  s.skip = 3;
  s.count = 2;
  s.output = "/tmp/x";
  s.trace = "konata";
  s.extract = "/tmp/y";
  s.cache = "/tmp/z";
  s.summary = false;
  s.host_code = "real*2";
  s.max_seconds = 1.5;
  for (const auto& [name, value] : environment_of(s)) setenv(name.c_str(), value.c_str(), 1);
  const Settings back = settings_from_environment();
  for (const auto& [name, value] : environment_of(s)) unsetenv(name.c_str());
  REQUIRE(environment_of(back) == environment_of(s));
  REQUIRE(settings_from_environment().configs.front() == "h200");
}

TEST_CASE("A number in the environment that is none is refused by its name", "[host]") {
  setenv("GPULOOM_LAUNCH_SKIP", "many", 1);
  REQUIRE_THROWS_WITH(settings_from_environment(), Catch::Matchers::ContainsSubstring("GPULOOM_LAUNCH_SKIP"));
  unsetenv("GPULOOM_LAUNCH_SKIP");
}

TEST_CASE("The time of host code is nothing, a multiple of the real one, or fixed", "[host]") {
  REQUIRE(parse_host_code("free").scale == 0);
  REQUIRE(parse_host_code("real").scale == 1);
  REQUIRE(parse_host_code("real*2.5").scale == 2.5);
  REQUIRE(parse_host_code("1.5us").fixed_ns == 1500);
  REQUIRE(parse_host_code("1.5us").scale == 0);
  for (const char* wrong : {"fast", "real*x", "-1us", "3"})
    REQUIRE_THROWS_WITH(parse_host_code(wrong), Catch::Matchers::ContainsSubstring(wrong));
}

TEST_CASE("Error codes have CUDA's values and names", "[host]") {
  REQUIRE(std::string(status_name(700)) == "cudaErrorIllegalAddress");
  REQUIRE(std::string(status_name(0)) == "cudaSuccess");
  REQUIRE(std::string(status_name(12345)) == "unrecognized error code");
  REQUIRE(status_named("cudaErrorInvalidClusterSize", Status::kUnknown) == Status::kInvalidClusterSize);
  REQUIRE(status_named("nonsense", Status::kUnknown) == Status::kUnknown);
}
