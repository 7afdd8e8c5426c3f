// SPDX-License-Identifier: Apache-2.0
// Broken configurations: each must fail at this place with this message.
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;

namespace {

// A small schema with one key of each kind.
void read(const Config& config) {
  const ConfigView root = config.root();
  root.text("name");
  const ConfigView sm = root.child("sm");
  sm.count("banks", 1, 64);
  sm.size_bytes("size", 1, 1 << 20);
  sm.cycles("latency", 0, 1000);
  sm.one_of("scheduler", {"gty", "gto", "lrr"});
  if (sm.present() && sm.node()->find("more") != nullptr) {
    const ConfigView more = sm.child("more");
    more.frequency("clock");
    more.bandwidth("bandwidth");
    more.bytes_per_cycle("port");
    more.nanoseconds("time");
    more.boolean("on");
    more.number("ratio", 0, 1);
    more.integers("list", 0, 9);
  }
}

struct Broken {
  const char* yaml;
  const char* error;
};

const char* const kGood = "name: x\nsm: {banks: 32, size: 1KiB, latency: 3cycles, scheduler: gty}\n";

// The sm group with one key replaced.
std::string sm(const std::string& replaced) {
  const std::vector<std::pair<std::string, std::string>> keys = {
      {"banks", "32"}, {"size", "1KiB"}, {"latency", "3cycles"}, {"scheduler", "gty"}};
  std::string text = "name: x\nsm:\n";
  for (const auto& [key, value] : keys) {
    if (!replaced.starts_with(key + ":")) text += "  " + key + ": " + value + "\n";
  }
  return text + "  " + replaced + "\n";
}

std::string more(const std::string& replaced) {
  const std::vector<std::pair<std::string, std::string>> keys = {
      {"clock", "1GHz"}, {"bandwidth", "1GB/s"}, {"port", "64B/cycle"}, {"time", "1ns"},
      {"on", "true"},    {"ratio", "0.5"},       {"list", "[1]"}};
  std::string text =
      std::string("name: x\nsm:\n  banks: 32\n  size: 1KiB\n  latency: 3cycles\n  scheduler: gty\n  more:\n");
  for (const auto& [key, value] : keys) {
    if (!replaced.starts_with(key + ":")) text += "    " + key + ": " + value + "\n";
  }
  return text + "    " + replaced + "\n";
}

std::string error_of(const std::string& yaml) {
  try {
    const Config config = Config::parse(yaml, "x.yaml");
    throw_problems(config.unit_problems());
    read(config);
    config.check();
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kInput);
    return e.what();
  }
  return "no error";
}

void check_all(const std::vector<Broken>& cases) {
  for (const Broken& broken : cases) {
    INFO(broken.yaml);
    CHECK(error_of(broken.yaml) == broken.error);
  }
}

}  // namespace

TEST_CASE("The schema that the broken configurations break accepts a good one") {
  CHECK(error_of(kGood) == "no error");
  CHECK(error_of(more("on: false")) == "no error");
}

TEST_CASE("Text that is not YAML fails at its place") {
  check_all({
      {"name: [1, 2\n",
       "x.yaml:2:1: not YAML: end of sequence flow not found (a [ before this place has no closing ])"},
      {"name: \"x\n", "x.yaml:1:7: the quotes that begin here are not closed"},
      {"a: 1\n b: 2\n", "x.yaml:2:3: not YAML: illegal map value"},
      {"a: 1\n\tb: 2\n",
       "x.yaml:2:1: not YAML: illegal tab when looking for indentation (line 2 begins with a tab; YAML must "
       "be indented with spaces)"},
      {", a: 1\n", "x.yaml:1:1: not YAML: nothing can begin with this character"},
  });
}

TEST_CASE("An anchor that is not defined fails at its place, whether or not yaml-cpp names it (0.8 does)") {
  CHECK_THAT(error_of("- a: *unknown\n"),
             Catch::Matchers::StartsWith("x.yaml:1:6: not YAML: the referenced anchor is not defined"));
}

TEST_CASE("YAML that is not a configuration fails at its place") {
  check_all({
      {"", "x.yaml:1:1: a configuration is a map, and this file holds nothing"},
      {"just text\n", "x.yaml:1:1: a configuration is a map, and this file holds 'just text'"},
      {"- 1\n- 2\n", "x.yaml:1:1: a configuration is a map, and this file holds a list of 2"},
      {"name: x\nname: y\n", "x.yaml:2:1: duplicate key 'name' (first set at x.yaml:1:1)"},
      {"a: {b: 1, c: 2, b: 3}\n", "x.yaml:1:17: duplicate key 'b' (first set at x.yaml:1:5)"},
      {"a: &x {b: 1}\nc: {<<: *x}\n",
       "x.yaml:2:5: merge keys ('<<') are not supported (use 'extends:', or repeat the values)"},
      {"[a, b]: 1\n", "x.yaml:1:1: expected a key, got a list of 2"},
      {"sm.banks: 1\n", "x.yaml:1:1: the key 'sm.banks' holds a point, which separates the keys of a path"},
      {"a: !int 5\n", "x.yaml:1:4: the YAML tag '!int' means nothing here"},
      {"a: 1\n---\nb: 2\n", "x.yaml:2:1: a configuration is one YAML document, and here a second begins"},
      {"a: &x [1, *x]\n", "x.yaml:1:11: an alias is inside the value that it names"},
  });
}

TEST_CASE("A configuration that extends nothing sensible fails at its place") {
  check_all({
      {"extends: [a, b]\n", "x.yaml:1:10: extends: expected the name of one configuration, got a list of 2"},
      {"extends: cc/sm_91\n",
       "x.yaml:1:10: extends: unknown configuration 'cc/sm_91' (did you mean 'cc/sm_90'?)"},
  });
}

TEST_CASE("A map and a value cannot replace each other, which is nearly always an indentation gone wrong") {
  // The line of the other value may move with the shipped configuration, so only its file is compared.
  CHECK(error_of("extends: cc/sm_90\nsm: 5\n")
            .find("x.yaml:2:5: sm: '5' cannot replace a map (the other is at ") == 0);
  CHECK(error_of("extends: cc/sm_90\nsm:\n  shared:\n    banks: {n: 5}\n")
            .find("x.yaml:4:12: sm.shared.banks: a map cannot replace '32' (the other is at ") == 0);
}

TEST_CASE("Numbers with wrong units are found without a schema") {
  check_all({
      {"a: 33cylces\n",
       "x.yaml:1:4: a: '33cylces' is neither a number nor a number with a known unit (did you mean "
       "'33cycles'? "
       "text that starts with a digit needs quotes)"},
      {"a: {b: [1KiB, 2K]}\n",
       "x.yaml:1:15: a.b.1: '2K' is neither a number nor a number with a known unit (did you mean '2KB'? "
       "text "
       "that starts with a digit needs quotes)"},
  });
}

TEST_CASE("Keys that are missing, unknown or of the wrong shape fail at their place") {
  check_all({
      {"name: x\n", "x.yaml:1:1: missing key 'sm': expected a map"},
      {"name: x\nsm: 5\n", "x.yaml:2:5: sm: expected a map, got '5'"},
      {"name: x\nsm:\n", "x.yaml:2:1: sm: expected a map, got nothing"},
  });
  CHECK(error_of(sm("bank: 4") + "  bnks: 5\n").find("x.yaml:7:3: unknown key 'bank' in 'sm'") == 0);
  CHECK(error_of("name: x\nsm:\n  bansk: 32\n  size: 1KiB\n  latency: 3cycles\n  scheduler: gty\n") ==
        "x.yaml:3:3: unknown key 'bansk' in 'sm' (did you mean 'banks'?)");
  CHECK(error_of("name: x\nsm:\n  size: 1KiB\n  latency: 3cycles\n  scheduler: gty\n") ==
        "x.yaml:2:1: missing key 'sm.banks': expected a whole number from 1 to 64");
  CHECK(error_of(std::string(kGood) + "colour: red\n") ==
        "x.yaml:3:1: unknown key 'colour' in the configuration (no part of the model reads it)");
  CHECK(error_of(sm("banks: [32]")) ==
        "x.yaml:6:10: sm.banks: expected a whole number from 1 to 64, got a list of 1");
}

TEST_CASE("Values of the wrong type, range or unit fail at their place") {
  const auto in_sm = [](const std::string& line, const std::string& error) {
    INFO(line);
    CHECK(error_of(sm(line)) == error);
  };
  in_sm("banks: many", "x.yaml:6:10: sm.banks: expected a whole number from 1 to 64, got 'many'");
  in_sm("banks: 32B",
        "x.yaml:6:10: sm.banks: expected a whole number from 1 to 64, got '32B' (this value does not take a "
        "unit)");
  in_sm("banks: 0", "x.yaml:6:10: sm.banks: expected a whole number from 1 to 64, got '0'");
  in_sm("banks: 1.5", "x.yaml:6:10: sm.banks: expected a whole number from 1 to 64, got '1.5'");
  in_sm("size: 1024",
        "x.yaml:6:9: sm.size: expected a size such as 228KiB, got '1024' (the unit is missing: 1024B?)");
  in_sm("size: \"4K\"",
        "x.yaml:6:9: sm.size: expected a size such as 228KiB, got '4K' (KiB is 1024 bytes and KB is 1000)");
  in_sm("size: \"4KiBs\"",
        "x.yaml:6:9: sm.size: expected a size such as 228KiB, got '4KiBs' (did you mean 'KiB'?)");
  in_sm("size: 4GiB", "x.yaml:6:9: sm.size: expected a size such as 228KiB, got '4GiB' (out of range)");
  in_sm("size: 1.5B", "x.yaml:6:9: sm.size: expected a whole number of bytes, got 1.5");
  in_sm("size: -1KiB", "x.yaml:6:9: sm.size: expected a size such as 228KiB, got '-1KiB' (out of range)");
  in_sm(
      "latency: 33",
      "x.yaml:6:12: sm.latency: expected a time such as 33cycles, got '33' (the unit is missing: 33cycles?)");
  in_sm("latency: 33ns",
        "x.yaml:6:12: sm.latency: expected a time such as 33cycles, got '33ns' (units are cycles or cycle)");
  in_sm("latency: 2.5cycles", "x.yaml:6:12: sm.latency: expected a whole number of cycles, got 2.5");
  in_sm("scheduler: gtp",
        "x.yaml:6:14: sm.scheduler: expected gty, gto or lrr, got 'gtp' (did you mean 'gty'?)");
  in_sm("scheduler: random", "x.yaml:6:14: sm.scheduler: expected gty, gto or lrr, got 'random'");
  const auto in_more = [](const std::string& line, const std::string& error) {
    INFO(line);
    CHECK(error_of(more(line)) == error);
  };
  in_more("clock: 0MHz",
          "x.yaml:14:12: sm.more.clock: expected a frequency such as 1980MHz, got '0MHz' (out of range)");
  in_more(
      "clock: \"2Mhz\"",
      "x.yaml:14:12: sm.more.clock: expected a frequency such as 1980MHz, got '2Mhz' (did you mean 'MHz'?)");
  in_more("bandwidth: 4TB",
          "x.yaml:14:16: sm.more.bandwidth: expected a bandwidth such as 4.8TB/s, got '4TB' (units are B/s, "
          "KB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s or TiB/s)");
  in_more("port: 64B",
          "x.yaml:14:11: sm.more.port: expected a rate such as 64B/cycle, got '64B' (units are B/cycle or "
          "KiB/cycle)");
  in_more("time: 3cycles",
          "x.yaml:14:11: sm.more.time: expected a time such as 14ns, got '3cycles' (units are ps, ns, us, ms "
          "or s)");
  in_more("on: yes", "x.yaml:14:9: sm.more.on: expected true or false, got 'yes'");
  in_more("ratio: 1.5", "x.yaml:14:12: sm.more.ratio: expected a number from 0 to 1, got '1.5'");
  in_more("ratio: half", "x.yaml:14:12: sm.more.ratio: expected a number from 0 to 1, got 'half'");
  in_more("list: 5", "x.yaml:14:11: sm.more.list: expected a list, got '5'");
  in_more("list: [1, 10]", "x.yaml:14:15: sm.more.list.1: expected a whole number from 0 to 9, got '10'");
  in_more("list: [{a: 1}]", "x.yaml:14:12: sm.more.list.0: expected a whole number from 0 to 9, got a map");
}

TEST_CASE("Broken configurations of products give place, reason and suggestion") {
  std::ifstream file(tests::in_tree("/tests/error/config/products.txt"));
  std::string line, yaml, expected;
  unsigned cases = 0, suggestions = 0;
  bool answer = false;
  const auto finish = [&] {
    if (yaml.empty()) return;
    std::string said = "no error";
    try {
      const Config config = Config::parse(yaml, "x.yaml");
      throw_problems(config.unit_problems());
      arch::load_gpu_config(config.root());
      config.check();
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::kInput);
      said = e.what();
    }
    // Places in shipped files move: only the file counts.
    said = std::regex_replace(said, std::regex("[^ \n]*configs/(\\w+/[^:]+\\.yaml):\\d+:\\d+"), "$1");
    INFO(yaml);
    CHECK(said + "\n" == expected);
    ++cases;
    if (said.find('(') != std::string::npos || said.find("expected") != std::string::npos) ++suggestions;
  };
  while (std::getline(file, line)) {
    if (line.starts_with("#")) continue;
    if (line == "===") {
      finish();
      yaml.clear();
      expected.clear();
      answer = false;
    } else if (line == ">>>") {
      answer = true;
    } else {
      (answer ? expected : yaml) += line + "\n";
    }
  }
  finish();
  CHECK(cases >= 40);
  CHECK(suggestions >= 40);
}
