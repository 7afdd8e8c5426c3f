// SPDX-License-Identifier: Apache-2.0
#include "sim/host/visible_devices.h"

#include <string>
#include <vector>

#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::host;

namespace {

std::vector<int> seen(const char* list, int count = 4) {
  const std::vector<std::string> uuids = {"GPU-aa00", "GPU-aa11", "GPU-bb22", "GPU-cc33"};
  return visible_devices(list, count, [uuids](int k) { return uuids[static_cast<size_t>(k)]; });
}
using Devices = std::vector<int>;

}  // namespace

TEST_CASE("Without CUDA_VISIBLE_DEVICES a program sees every device", "[host]") {
  REQUIRE(seen(nullptr) == Devices{0, 1, 2, 3});
}

TEST_CASE("CUDA_VISIBLE_DEVICES gives the devices in its own order", "[host]") {
  REQUIRE(seen("2,1") == Devices{2, 1});
  REQUIRE(seen("3") == Devices{3});
  REQUIRE(seen(" 1 , 0 ") == Devices{1, 0});
}

TEST_CASE("An empty CUDA_VISIBLE_DEVICES, and -1, leave no device", "[host]") {
  REQUIRE(seen("").empty());
  REQUIRE(seen("-1").empty());
  REQUIRE(seen("NoDevFiles").empty());
}

TEST_CASE("The first invalid entry of CUDA_VISIBLE_DEVICES ends the list", "[host]") {
  REQUIRE(seen("0,2,-1,1") == Devices{0, 2});
  REQUIRE(seen("1,4,2") == Devices{1});
  REQUIRE(seen("1,2x,3") == Devices{1});
  REQUIRE(seen("1,,3") == Devices{1});
  REQUIRE(seen("1,1,3") == Devices{1});
  REQUIRE(seen("0,1", 1) == Devices{0});
}

TEST_CASE("CUDA_VISIBLE_DEVICES takes the beginning of a UUID that one device has", "[host]") {
  REQUIRE(seen("GPU-bb,GPU-aa11") == Devices{2, 1});
  REQUIRE(seen("GPU-cc33,0") == Devices{3, 0});
  REQUIRE(seen("GPU-aa").empty());
  REQUIRE(seen("GPU-dd").empty());
  REQUIRE(seen("GPU-", 1).empty());
}

TEST_CASE("A device's UUID has the form that users know and depends on the configuration", "[host]") {
  const std::string one = device_uuid(Config::load("tiny"), 0);
  REQUIRE(one.size() == std::string("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6").size());
  for (size_t dash : {3, 12, 17, 22, 27}) REQUIRE(one[dash] == '-');
  REQUIRE(one == device_uuid(Config::load("tiny"), 0));
  REQUIRE(one != device_uuid(Config::load("h200"), 0));
  REQUIRE(one != device_uuid(Config::load("tiny"), 1));
}
