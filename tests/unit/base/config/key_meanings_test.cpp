// SPDX-License-Identifier: Apache-2.0
// What is known of a configuration's keys beside their values.
#include "base/config/key_meanings.h"

#include <set>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/config/config_comments.h"
#include "base/config/config_schema.h"
#include "base/config/units.h"
#include "tests/catch2.h"

using namespace gpuloom;

namespace {

Config read_all(const std::string& name) {
  Config config = Config::load(name);
  arch::load_gpu_config(config.root());
  config.check();
  return config;
}

bool is_value(const KeyRead& read) { return read.kind != KeyKind::kMap && read.kind != KeyKind::kList; }

}  // namespace

TEST_CASE(
    "Every key that a configuration may have has a meaning, and no meaning is of a key that nothing reads",
    "[config][keys]") {
  const KeyMeanings known = KeyMeanings::load();
  std::set<std::string> read;
  for (const std::string& name : list_configs()) {
    if (!name.starts_with("gpu/")) continue;
    for (const KeyRead& key : keys_read(read_all(name)))
      if (is_value(key)) read.insert(key.path);
  }
  std::string silent, stale;
  for (const std::string& path : read)
    if (known.meaning(path).empty()) silent += "\n  " + path;
  for (const auto& [path, meaning] : known.meanings())
    if (read.count(path) == 0 && !(path.starts_with("sm.pipes.") && path.ends_with(".queue")))
      stale += "\n  " + path;
  INFO("keys without a meaning in configs/about/keys.yaml:" << silent);
  CHECK(silent.empty());
  INFO("meanings of keys that nothing reads:" << stale);
  CHECK(stale.empty());
}

TEST_CASE("A key knows its kind, its range, its reader and where its value stands", "[config][keys]") {
  const Config config = read_all("h200");
  const KeyRead* mshrs = key_read(config, "sm.l1.mshrs");
  REQUIRE(mshrs != nullptr);
  CHECK(mshrs->kind == KeyKind::kInteger);
  CHECK(mshrs->min == 1);
  CHECK(mshrs->max == 65536);
  CHECK(mshrs->reader.starts_with("arch/sm/config.cpp:"));
  CHECK(mshrs->reader.ends_with("(read_l1)"));
  const KeyRead* rcd = key_read(config, "dram.timing.tRCD");
  REQUIRE(rcd != nullptr);
  CHECK(rcd->units == &kDurationUnits);
  CHECK(key_read(config, "launch.queues")->information.empty());
  CHECK(key_read(config, "sm.l1.mshr") == nullptr);
  CHECK(schema_path(config, "sm.operations.iadd.latency") == "sm.operations.*.latency");
  CHECK(schema_path(config, "gpc.sms.3") == "gpc.sms.*");
  const KeyRead* size = key_read(config, "sm.l1.size");
  CHECK(size->reader.find("bytes32") == std::string::npos);  // who asked, not who helped
}

TEST_CASE("The comment of a value is its own, or that of the lines above it, or its group's",
          "[config][keys]") {
  const Config config = read_all("h200");
  ConfigComments comments;
  const auto source = [&](const char* group, const char* key) {
    const ConfigView view = config.root().child("dram");
    return comments.explaining((*group ? view.child(group) : view).node()->find(key)->key_where);
  };
  CHECK(source("", "capacity") == "device query");
  CHECK(source("timing", "tRP").find("DRAMsim3") != std::string::npos);
}

TEST_CASE("Measured effects are of values that the configuration still has", "[config][keys]") {
  const KeyMeanings known = KeyMeanings::load();
  REQUIRE(known.cases().size() >= 5);
  CHECK(known.config() == "h200");
  const KeyEffect* latency = known.effect("noc.request_latency");
  REQUIRE(latency != nullptr);
  CHECK(latency->from != latency->to);
}

TEST_CASE("What a change of a key shows is told of the machine, or of another one", "[config][keys]") {
  const KeyMeanings known = KeyMeanings::load();
  const KeyShown* own = known.shown("l2.ways", "rtx4090");
  const KeyShown* other = known.shown("l2.ways", "a100-40g");
  REQUIRE(own != nullptr);
  REQUIRE(other != nullptr);
  CHECK(own->machine == "rtx4090");
  CHECK(other->machine == "h200");
  CHECK(other->change.find("l2.ways=") != std::string::npos);
  CHECK(known.shown("l2.line", "h200") == nullptr);
}

TEST_CASE("Meanings can be had without what was measured", "[config][keys]") {
  const KeyMeanings meanings = KeyMeanings::load_meanings();
  CHECK(meanings.meanings() == KeyMeanings::load().meanings());
  CHECK_FALSE(meanings.meanings().empty());
  CHECK(meanings.shown("l2.ways", "h200") == nullptr);
  CHECK(meanings.cases().empty());
}

TEST_CASE("A key that shows on no launch has its reason, for one machine or for all", "[config][keys]") {
  const KeyMeanings known = KeyMeanings::load();
  CHECK(known.silent("l2.line", "h200") == "only one size is modelled: another is refused");
  CHECK(known.silent("l2.ways", "h200").empty());
  CHECK(known.silent("sm.tma.turn", "h200").empty());
  CHECK(known.silent("sm.tma.turn", "rtx4090") == "8.9 has no bulk copies");
}

TEST_CASE("A star in a pattern of keys stands for anything", "[config][keys]") {
  CHECK(key_matches("sm.tma.*", "sm.tma.turn"));
  CHECK(key_matches("sm.*.turn", "sm.tma.turn"));
  CHECK_FALSE(key_matches("sm.tma.turn.*", "sm.tma.turn"));
  CHECK_FALSE(key_matches("sm.tma", "sm.tma.turn"));
}
