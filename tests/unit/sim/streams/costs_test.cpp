// SPDX-License-Identifier: Apache-2.0
#include "sim/streams/costs.h"

#include <string>
#include <vector>

#include "base/config/config.h"
#include "sim/runtime/device.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::host;

namespace {

Costs costs_with(std::vector<std::string> overrides) {
  sim::DeviceOptions options;
  options.config = "test/tiny";
  options.overrides = std::move(overrides);
  const sim::Device device(options);
  return Costs(device.config());
}

constexpr uint64_t kBytes = 64 << 20;

}  // namespace

TEST_CASE("Every key of the host's side changes what a copy takes", "[host]") {
  const Costs plain = costs_with({});
  REQUIRE(costs_with({"host.pcie_bandwidth=1GB/s"}).of_copy(Route::kToDevice, kBytes) >
          plain.of_copy(Route::kToDevice, kBytes));
  REQUIRE(costs_with({"host.pcie_return_latency=90us"}).of_copy(Route::kFromDevice, 4) >
          plain.of_copy(Route::kFromDevice, 4));
  REQUIRE(costs_with({"host.pageable_bandwidth=100MB/s"}).of_copy(Route::kPageableToDevice, kBytes) >
          plain.of_copy(Route::kPageableToDevice, kBytes));
  REQUIRE(costs_with({"host.device_copy_latency=90us"}).of_copy(Route::kDevice, 4) >
          plain.of_copy(Route::kDevice, 4));
  REQUIRE(costs_with({"host.copy_engines=1"}).copy_engines() == 1);
}

TEST_CASE("The host writes few pageable bytes behind the command, more into a buffer at another pace",
          "[host]") {
  const Costs costs =
      costs_with({"host.pageable_inline=4KiB", "host.inline_bandwidth=1GB/s", "host.pageable_bandwidth=2GB/s",
                  "host.pageable_cached=8000B", "host.cached_bandwidth=4GB/s", "host.pageable_chunk=8000B",
                  "host.pcie_bandwidth=8GB/s", "host.last_cache=20000B", "host.uncached_bandwidth=1GB/s"});
  CHECK(costs.is_inline(4096));
  CHECK_FALSE(costs.is_inline(4097));
  CHECK(costs.of_staging(4000) == 4'000'000);
  CHECK(costs.of_staging(8000) == 2'000'000);
  CHECK(costs.of_staging(10000) == 3'000'000);
  CHECK(costs.of_staging(20000) == 8'000'000);
  CHECK(costs.of_staging(20001) == 20'001'000);  // more than the host's last cache holds
  CHECK(costs.of_chunks_before_last(8000) == 0);
  CHECK(costs.of_chunks_before_last(16001) == 2'000'000);
}

TEST_CASE("Each call of the host costs what its key says", "[host]") {
  const std::vector<std::pair<std::string, Call>> calls = {{"launch_call", Call::kLaunch},
                                                           {"dependent_call", Call::kDependentLaunch},
                                                           {"graph_call", Call::kGraph},
                                                           {"copy_call", Call::kCopy},
                                                           {"graph_node_call", Call::kGraphNode},
                                                           {"pageable_call", Call::kPageableCopy},
                                                           {"fill_call", Call::kFill},
                                                           {"device_copy_call", Call::kDeviceCopy},
                                                           {"record_call", Call::kRecord},
                                                           {"wait_call", Call::kWait},
                                                           {"synchronize_call", Call::kSynchronise}};
  for (const auto& [key, call] : calls) {
    INFO(key);
    CHECK(costs_with({"host." + key + "=77us"}).of_call(call) == 77'000'000);
  }
  CHECK(costs_with({"host.pending=3"}).pending() == 3);
}
