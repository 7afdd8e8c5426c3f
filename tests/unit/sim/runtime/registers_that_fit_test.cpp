// SPDX-License-Identifier: Apache-2.0
// An estimate of registers must not refuse a launch.
#include <cstring>

#include "sim/runtime/device.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

// A kernel that keeps `values` words alive at once.
std::string hungry(unsigned values, const std::string& directives = "") {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n" +
                     directives + "\n{\n.reg .b64 %rd<4>; .reg .b32 %r<" + std::to_string(values + 3) +
                     ">;\nld.param.u64 %rd1, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4; add.u64 "
                     "%rd1, %rd1, %rd2;\n";
  for (unsigned k = 1; k <= values; ++k)
    text += "ld.volatile.global.u32 %r" + std::to_string(k) + ", [%rd1+" + std::to_string(4096 * k) + "];\n";
  for (unsigned k = values; k >= 1; --k)
    text += "mad.lo.u32 %r0, %r0, %r" + std::to_string(k) + ", %r" + std::to_string(values + 1 - k) + ";\n";
  return text + "st.global.u32 [%rd1], %r0;\nret;\n}\n";
}

struct Run {
  uint32_t registers = 0, value = 0;
  std::vector<std::string> notes, warnings;
};

Run run(const std::string& text, uint32_t threads, Mode mode) {
  Run result;
  DeviceOptions options;
  options.mode = mode;
  options.count_machine = true;
  options.warn = [&](const std::string& warning) { result.warnings.push_back(warning); };
  Device device(options);
  LoadedModule& module = device.load_text(text, "k.ptx");
  const uint64_t data = device.memory().allocate(1 << 20, "data");
  for (uint32_t i = 0; i < 1 << 18; ++i) device.memory().write(data + 4 * i, &i, 4);
  LaunchRequest r;
  r.kernel = &module.kernel("k");
  r.grid = {1, 1, 1};
  r.block = {threads, 1, 1};
  r.params.resize(8);
  std::memcpy(r.params.data(), &data, 8);
  for (int twice = 0; twice < 2; ++twice) result.registers = device.launch(r).machine->registers_per_thread;
  device.memory().read(data + 40, &result.value, 4);
  result.notes = device.notes();
  return result;
}

}  // namespace

TEST_CASE("A launch whose estimated registers do not fit runs with what fits, and says so once",
          "[registers]") {
  const Run small = run(hungry(90), 32, Mode::kTimed);
  CHECK(small.registers > 64);
  CHECK(small.notes.empty());
  for (const Mode mode : {Mode::kTimed, Mode::kFunctional}) {
    const Run large = run(hungry(90), 1024, mode);
    CHECK(large.registers <= 64);
    REQUIRE(large.notes.size() == 1);
    CHECK_THAT(large.notes[0], ContainsSubstring("leave no room for the launch; it runs with 64"));
    CHECK(large.warnings == large.notes);
  }
}

TEST_CASE("Launch bounds leave no more registers than fit, so that there is nothing to say", "[registers]") {
  for (const char* directive : {".maxntid 1024", ".reqntid 1024, 1, 1", ".maxnreg 64"}) {
    const Run large = run(hungry(90, directive), 1024, Mode::kTimed);
    CHECK(large.registers <= 64);
    CHECK(large.notes.empty());
  }
}
