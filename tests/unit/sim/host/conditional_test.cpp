// SPDX-License-Identifier: Apache-2.0
#include "sim/host/conditional.h"

#include <memory>
#include <utility>

#include "sim/host/graph.h"
#include "sim/host/status.h"
#include "tests/catch2.h"

namespace gpuloom::host {
namespace {

constexpr uint64_t kCapacity = 64ull << 20;

}  // namespace

TEST_CASE("The value of a conditional node is freed after the last graph that uses it", "[host]") {
  sim::DeviceMemory device(kCapacity);
  Memory memory(device);
  Conditionals values(memory);
  auto graph = std::make_unique<Graph>();
  auto value = values.create(7);
  const uint64_t handle = value->handle, used = device.used();
  CHECK(used != 0);
  CHECK(values.find(handle)->at_launch == 7);
  Conditional node;
  node.value = value;
  graph->add(std::move(node), {});
  graph->keep(std::move(value));
  const auto clone = graph->clone();
  graph.reset();
  values.free_unused();
  CHECK(device.used() == used);  // the clone's node has it
  clone->remove(*clone->nodes()[0]);
  CHECK_THROWS_AS(values.find(handle), Failure);
  values.free_unused();
  CHECK(device.used() == 0);
}

TEST_CASE("A value that no node has taken lives as long as its graph", "[host]") {
  sim::DeviceMemory device(kCapacity);
  Memory memory(device);
  Conditionals values(memory);
  auto graph = std::make_unique<Graph>();
  graph->keep(values.create({}));
  values.free_unused();
  CHECK(device.used() != 0);
  graph.reset();
  values.free_unused();
  CHECK(device.used() == 0);
}

TEST_CASE("What has been submitted is carried out before a value is freed, and only then", "[host]") {
  sim::DeviceMemory device(kCapacity);
  Memory memory(device);
  int settled = 0;
  memory.before_free([&] { ++settled; });
  Conditionals values(memory);
  auto value = values.create({});
  values.free_unused();
  CHECK(settled == 0);
  value.reset();
  value = values.create({});  // the first one goes
  CHECK(settled == 1);
}

}  // namespace gpuloom::host
