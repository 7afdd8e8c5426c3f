// SPDX-License-Identifier: Apache-2.0
// Launches that a device refuses, by CUDA's names: all that an H200 was asked, and a list over the other
// GPUs.
#include <fmt/core.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "sim/memory/files.h"
#include "sim/runtime/device.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

// Devices and kernels live as long as the test that asks for them; a kernel needs no GPU newer than sm_50
// unless it names clusters.
class Bench {
 public:
  Device& device(const std::string& gpu) {
    auto& d = devices_[gpu];
    if (!d) {
      DeviceOptions options;
      options.config = gpu;
      options.mode = Mode::kFunctional;
      d = std::make_unique<Device>(options);
    }
    return *d;
  }

  Kernel& kernel(const std::string& gpu, const std::string& what) {
    Kernel*& k = kernels_[gpu + "|" + what];
    if (!k) k = &device(gpu).load_text(ptx(what), "limits.ptx").kernel("k");
    return *k;
  }

  // What check_launch says; "" where it accepts.
  std::string refusal(const std::string& gpu, const LaunchRequest& request, uint32_t registers) {
    try {
      check_launch(device(gpu).gpu(), request, registers);
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::kInput);
      return e.what();
    }
    return "";
  }

 private:
  static std::string ptx(const std::string& what) {
    std::string param = "8", body, directive;
    if (what.starts_with("static "))
      body = ".shared .align 16 .b8 s[" + what.substr(7) +
             "];\n.reg .b32 %r<3>;\nmov.u32 %r1, %tid.x;\nst.volatile.shared.u32 [s], %r1;\n";
    else if (what.starts_with("param "))
      param = what.substr(6);
    else if (what[0] == '.')
      directive = what;
    const bool clusters = what.find("cluster") != std::string::npos;
    return std::string(clusters ? ".version 8.0\n.target sm_90\n" : ".version 4.3\n.target sm_50\n") +
           ".address_size 64\n.visible .entry k(.param .align 8 .b8 p[" + param + "])\n" + directive +
           "\n{\n" + body + "ret;\n}\n";
  }

  std::map<std::string, std::unique_ptr<Device>> devices_;
  std::map<std::string, Kernel*> kernels_;
};

ptx::Dim3 extents(const std::string& text) {
  ptx::Dim3 d;
  uint32_t* const to[3] = {&d.x, &d.y, &d.z};
  std::stringstream in(text);
  std::string part;
  for (size_t i = 0; i < 3 && std::getline(in, part, ','); ++i)
    *to[i] = static_cast<uint32_t>(std::stoul(part));
  return d;
}

LaunchRequest launch(const std::string& text) {
  LaunchRequest r;
  std::stringstream in(text);
  for (std::string word, value; in >> word;) {
    if (word == "portable") {
      r.nonportable_cluster = false;
    } else if (word == "coop") {
      r.cooperative = true;
    } else {
      in >> value;
      if (word == "g") r.grid = extents(value);
      if (word == "b") r.block = extents(value);
      if (word == "c") r.cluster = extents(value);
      if (word == "dyn") r.dynamic_shared_bytes = static_cast<uint32_t>(std::stoul(value));
      if (word == "max") r.max_dynamic_shared_bytes = static_cast<uint32_t>(std::stoul(value));
    }
  }
  return r;
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

const std::map<std::string, std::string> kMeasured = {
    {"plain", "plain"},
    {"static40k", "static 40000"},
    {"dynamic", "plain"},
    {"regs200", "plain"},
    {"regs120", "plain"},
    {"regs60", "plain"},
    {"maxntid128", ".maxntid 128, 1, 1"},
    {"maxntid16x16", ".maxntid 16, 16, 1"},
    {"reqntid64", ".reqntid 64, 1, 1"},
    {"reqntid8x8", ".reqntid 8, 8, 1"},
    {"reqcluster2", ".reqnctapercluster 2, 1, 1"},
    {"reqcluster2x2", ".reqnctapercluster 2, 2, 1"},
    {"reqcluster16", ".reqnctapercluster 16, 1, 1"},
    {"explicitcluster", ".explicitcluster"},
    {"maxclusterrank4", ".maxclusterrank 4"},
    {"explicitmax4", ".explicitcluster\n.maxclusterrank 4"}};

}  // namespace

TEST_CASE("Launches that break a limit are refused with CUDA's names on every kind of GPU") {
  Bench bench;
  std::stringstream file(read_file(tests::in_tree("/tests/error/launch/launches.txt")));
  unsigned cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> part;
    std::stringstream fields(line);
    for (std::string field; std::getline(fields, field, '|');) part.push_back(trimmed(field));
    INFO(line);
    REQUIRE(part.size() == 5);
    LaunchRequest request = launch(part[2]);
    request.kernel = &bench.kernel(part[0], part[1]);
    const uint32_t registers =
        part[1].starts_with("regs ") ? static_cast<uint32_t>(std::stoul(part[1].substr(5))) : 0;
    const std::string said = bench.refusal(part[0], request, registers);
    CHECK_THAT(said, ContainsSubstring("(" + part[3]) && ContainsSubstring(part[4]));
    ++cases;
  }
  CHECK(cases >= 60);
}

TEST_CASE("An H200 and its configuration refuse the same launches with the same names") {
  Bench bench;
  std::stringstream file(read_file(tests::in_tree("/tests/conformance/limits/answers.jsonl")));
  std::map<std::string, uint32_t> registers, attributes;
  unsigned launches = 0, refused = 0;
  for (std::string text; std::getline(file, text);) {
    const nlohmann::json line = nlohmann::json::parse(text);
    if (line.contains("load")) registers[line.at("kernel")] = line.at("regs");
    if (!line.contains("trial")) continue;
    INFO(text);
    LaunchRequest r;
    r.kernel = &bench.kernel("h200", kMeasured.at(line.at("trial")));
    const auto dims = [](const nlohmann::json& v) { return ptx::Dim3{v[0], v[1], v[2]}; };
    r.grid = dims(line.at("grid"));
    r.block = dims(line.at("block"));
    if (line.at("cluster")[0] != 9999) r.cluster = dims(line.at("cluster"));
    r.dynamic_shared_bytes = line.at("dyn");
    // The probe puts the attribute back to 0 where it had set it, and 0 then is the limit.
    const std::string kernel = line.at("trial");
    auto& attribute =
        attributes.try_emplace(kernel, 49152u - r.kernel->program->shared_static_bytes).first->second;
    const bool sets = line.at("optin") >= 0;
    if (sets && line.at("set") == "cudaSuccess") attribute = line.at("optin");
    r.max_dynamic_shared_bytes = attribute;
    if (sets) attribute = 0;
    r.nonportable_cluster = line.at("nonportable") == 1;
    r.cooperative = line.at("coop") == 1;
    const std::string said = bench.refusal("h200", r, registers.at(line.at("trial")));
    const std::string name = line.at("launch");
    if (name == "cudaSuccess") {
      CHECK(said == "");
    } else {
      CHECK_THAT(said, ContainsSubstring("(" + name));
      ++refused;
    }
    ++launches;
  }
  CHECK(launches == 173);
  CHECK(refused > 80);
}
