// SPDX-License-Identifier: Apache-2.0
#include "sim/host/properties.h"

#include "sim/runtime/device.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::host;

namespace {

// Numbers of cudaDeviceAttr.
constexpr int kThreadsPerBlock = 1, kProcessors = 16, kTextureWidth = 21, kManaged = 83, kNuma = 131;

}  // namespace

TEST_CASE("Attributes come from the configuration, and from the table where no key says them", "[host]") {
  sim::DeviceOptions options;
  options.config = "h200";
  const sim::Device device(options);
  const DeviceAttributes attributes(device.gpu(), Costs(device.config()));
  REQUIRE(attributes.value(kThreadsPerBlock) == 1024);
  REQUIRE(attributes.value(kProcessors) == 132);
  REQUIRE(attributes.value(kTextureWidth) == 131072);
  REQUIRE(attributes.value(kManaged) == 1);
  REQUIRE(attributes.value(kNuma) == -1);
  REQUIRE(attributes.value(kMaxPitchAttribute) == INT32_MAX);
  REQUIRE(attributes.value(kSingleToDoubleAttribute) == 2);
  REQUIRE_FALSE(attributes.value(100000).has_value());
}
