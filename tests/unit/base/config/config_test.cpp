// SPDX-License-Identifier: Apache-2.0
#include "base/config/config.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/catch2.h"

using Catch::Matchers::ContainsSubstring;
using gpuloom::Config;
using gpuloom::ConfigView;
using gpuloom::Error;
using gpuloom::ErrorKind;
using gpuloom::kSelf;

namespace {

std::string message_of(const Config& config) {
  try {
    config.check();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// A folder that disappears with the test.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpuloom-config-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

}  // namespace

TEST_CASE("A configuration reads every type with its unit") {
  const Config config = Config::parse(
      "banks: 32\nsize: 228KiB\nlatency: 33cycles\nclock: 1980MHz\nbandwidth: 4.8TB/s\nport: "
      "64B/cycle\ntime: 2.5us\n"
      "ratio: 0.625\non: true\nname: h200\ndecimal: 1.5 KB\nhexadecimal: 0x10\nlist: [1, 2]\nsizes: [0KiB, "
      "8KiB]\n",
      "a.yaml");
  const ConfigView view = config.root();
  CHECK(view.count("banks", 1, 64) == 32);
  CHECK(view.size_bytes("size") == 228 * 1024);
  CHECK(view.cycles("latency") == 33);
  CHECK(view.frequency("clock") == 1980e6);
  CHECK(view.bandwidth("bandwidth") == Approx(4.8e12));
  CHECK(view.bytes_per_cycle("port") == 64);
  CHECK(view.nanoseconds("time") == 2500);
  CHECK(view.number("ratio", 0, 1) == 0.625);
  CHECK(view.boolean("on"));
  CHECK(view.text("name") == "h200");
  CHECK(view.size_bytes("decimal") == 1500);
  CHECK(view.integer("hexadecimal") == 16);
  CHECK(view.integers("list", 0, 9) == std::vector<int64_t>{1, 2});
  CHECK(view.sizes_bytes("sizes") == std::vector<uint64_t>{0, 8192});
  config.check();
}

TEST_CASE("Words stand for values") {
  const Config config = Config::parse("policy: gto\n", "a.yaml");
  CHECK(config.root().choice<int>("policy", {{"gty", 7}, {"gto", 8}}) == 8);
  config.check();
}

TEST_CASE("Maps with free names and lists of maps are iterated in file order") {
  const Config config = Config::parse(
      "ops:\n  iadd: {latency: 4cycles}\n  add64: {sequence: [iadd, iadd]}\nsteps: [{n: 1}, {n: 2}]\n",
      "a.yaml");
  const auto ops = config.root().children("ops");
  REQUIRE(ops.size() == 2);
  CHECK(ops[0].first == "iadd");
  CHECK(ops[0].second.cycles("latency") == 4);
  CHECK_FALSE(ops[0].second.has("sequence"));
  CHECK(ops[1].second.texts("sequence") == std::vector<std::string>{"iadd", "iadd"});
  const auto steps = config.root().items("steps");
  REQUIRE(steps.size() == 2);
  CHECK(steps[1].integer("n") == 2);
  CHECK(steps[1].path() == "steps.1");
  CHECK(message_of(config) == "a.yaml:4:10: unknown key 'n' in 'steps.0' (no part of the model reads it)");
  steps[0].integer("n");
  config.check();
}

TEST_CASE("An optional group that is missing reads as fallbacks without a problem") {
  const Config config = Config::parse("a: 1\n", "a.yaml");
  const ConfigView group = config.root().optional_child("cluster");
  CHECK_FALSE(group.present());
  CHECK(group.count("size", 2, 8) == 2);
  config.root().count("a");
  config.check();
}

TEST_CASE("Every problem of a file is reported at once and in file order") {
  const Config config = Config::parse("a: x\nb: 1\nc: 7\n", "a.yaml");
  config.root().count("c", 0, 5);
  config.root().count("a");
  config.root().text("d");
  CHECK(message_of(config) ==
        "a.yaml:1:1: missing key 'd': expected text\n"
        "a.yaml:1:4: a: expected a whole number, 0 or more, got 'x'\n"
        "a.yaml:2:1: unknown key 'b' in the configuration (no part of the model reads it)\n"
        "a.yaml:3:4: c: expected a whole number from 0 to 5, got '7'");
}

TEST_CASE("A misspelled key is one problem, not an unknown and a missing one") {
  const Config config = Config::parse("shared:\n  bansk: 32\n", "a.yaml");
  config.root().child("shared").count("banks", 1, 64);
  CHECK(message_of(config) == "a.yaml:2:3: unknown key 'bansk' in 'shared' (did you mean 'banks'?)");
}

TEST_CASE("A file that extends another keeps its values and replaces what it names") {
  const Folder folder;
  folder.write("base.yaml", "sm:\n  banks: 32\n  sizes: [1, 2, 3]\nname: base\n");
  const std::string path = folder.write("product.yaml", "extends: base\nsm:\n  sizes: [9]\nname: product\n");
  const Config config = Config::load(path);
  const ConfigView sm = config.root().child("sm");
  CHECK(sm.count("banks") == 32);
  CHECK(sm.integers("sizes", 0, 9) == std::vector<int64_t>{9});
  CHECK(config.root().text("name") == "product");
  config.check();
  CHECK(sm.where("banks").line == 2);
  CHECK(std::filesystem::path(sm.where("banks").file).filename() == "base.yaml");
  CHECK(std::filesystem::path(sm.where("sizes").file).filename() == "product.yaml");
  REQUIRE(config.files().size() == 2);
}

TEST_CASE("Files that extend each other are an error") {
  const Folder folder;
  folder.write("a.yaml", "extends: b\n");
  const std::string path = folder.write("b.yaml", "extends: a.yaml\n");
  CHECK_THROWS_WITH(Config::load(path), ContainsSubstring("extends this file in turn"));
}

TEST_CASE("An override replaces a value and says that it came from the command line") {
  const Config config =
      Config::parse("sm:\n  banks: 32\n  list: [1, 2]\n", "a.yaml", {"sm.banks=64", "sm.list.1=5"});
  const ConfigView sm = config.root().child("sm");
  CHECK(sm.count("banks", 1, 32) == 1);
  CHECK(sm.integers("list", 0, 9) == std::vector<int64_t>{1, 5});
  CHECK(message_of(config) == "command line: sm.banks: expected a whole number from 1 to 32, got '64'");
}

TEST_CASE("An override may be a list") {
  const Config config = Config::parse("list: [1]\n", "a.yaml", {"list=[4, 5]"});
  CHECK(config.root().integers("list", 0, 9) == std::vector<int64_t>{4, 5});
}

TEST_CASE("An override of a key that does not exist suggests the one that was meant") {
  const std::string text = "sm:\n  shared: {banks: 32}\n";
  CHECK_THROWS_WITH(Config::parse(text, "a.yaml", {"sm.shared.bank=64"}),
                    ContainsSubstring("did you mean 'sm.shared.banks'?"));
  CHECK_THROWS_WITH(Config::parse(text, "a.yaml", {"shared.banks=64"}),
                    ContainsSubstring("did you mean 'sm.shared.banks'?"));
  CHECK_THROWS_WITH(Config::parse(text, "a.yaml", {"sm.shared=64"}), ContainsSubstring("this is a map"));
  try {
    Config::parse(text, "a.yaml", {"banks"});
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kUsage);
  }
}

TEST_CASE("Anchors copy values") {
  const Config config = Config::parse("a: &x {n: 3}\nb: *x\n", "a.yaml");
  CHECK(config.root().child("b").count("n") == 3);
}

TEST_CASE("The digest depends on values and neither on order nor on comments") {
  const auto digest = [](const char* text) { return Config::parse(text, "a.yaml").digest(); };
  CHECK(digest("a: 1\nb: 2\n") == digest("b: 2\n# said\na: 1\n"));
  CHECK(digest("a: 1\n") != digest("a: 2\n"));
}

TEST_CASE("Every configuration that is shipped merges and has sound units") {
  const auto names = gpuloom::list_configs();
  CHECK(std::find(names.begin(), names.end(), "gpu/h200") != names.end());
  for (const auto& name : names) {
    INFO(name);
    CHECK(Config::load(name).unit_problems().empty());
  }
}

TEST_CASE("A product is found by its name alone, and a wrong name suggests a right one") {
  CHECK(Config::load("h200").root().text("compute_capability") == "9.0");
  CHECK_THROWS_WITH(Config::load("h20"), ContainsSubstring("did you mean 'h200'?"));
}

TEST_CASE("GPCs of every product hold its SMs") {
  for (const auto& [name, sms] : {std::pair{"h200", 132}, std::pair{"a100-40g", 108}, std::pair{"tiny", 2}}) {
    const Config config = Config::load(name);
    const ConfigView gpc = config.root().child("gpc");
    const auto sizes = gpc.integers("sms", 1, 18);
    int64_t sum = 0;
    for (const int64_t size : sizes) sum += size;
    INFO(name);
    CHECK(sum == sms);
    CHECK(static_cast<int64_t>(sizes.size()) == gpc.integer("count"));
  }
}

TEST_CASE("A group that names a profile begins with its values, and what stands beside it replaces them") {
  const Config config =
      Config::parse("lowering: {profile: ptxas13_sm75, registers: {least: 24}}\n", "own.yaml");
  const ConfigView lowering = config.root().child("lowering");
  CHECK(lowering.boolean("clears_barrier"));                // its own
  CHECK(lowering.boolean("constant_operands"));             // of the profile that it extends
  CHECK(lowering.child("registers").count("least") == 24);  // beside it
  CHECK(lowering.child("registers").count("step") == 8);
}

TEST_CASE("An override names another profile before it changes one of its values") {
  const Config config = Config::parse("lowering: {profile: ptxas13_sm90}\n", "own.yaml",
                                      {"lowering.unroll.units=5", "lowering.profile=ptxas13_sm80"});
  const ConfigView lowering = config.root().child("lowering");
  CHECK(lowering.boolean("constant_operands"));
  CHECK(lowering.child("unroll").count("units") == 5);
}

TEST_CASE("A profile that is not there is refused with the nearest") {
  CHECK_THROWS_WITH(Config::parse("lowering: {profile: ptxas13_sm91}\n", "own.yaml"),
                    ContainsSubstring("unknown profile 'ptxas13_sm91'") && ContainsSubstring("ptxas13_sm90"));
}

TEST_CASE("A configuration that nothing was changed of is itself, by each of its names") {
  const Config h200 = Config::load("h200");
  CHECK(h200.is_unchanged("h200"));
  CHECK(h200.is_unchanged("gpu/h200"));
  CHECK_FALSE(h200.is_unchanged("v100"));
  CHECK_FALSE(h200.is_unchanged("h199"));
  CHECK_FALSE(Config::load("h200", {"sm.registers.banks=4"}).is_unchanged("h200"));
  CHECK_FALSE(Config::parse("extends: h200\n", "own.yaml").is_unchanged("h200"));
}
