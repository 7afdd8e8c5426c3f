// SPDX-License-Identifier: Apache-2.0
// `patch` of launch files: addresses and tensor maps inside structures and tables; `contract` of a module.
#include <cstring>

#include "sim/memory/files.h"
#include "tests/catch2.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;
using tests::Outcome;

namespace {

// out[t] = **table[t & 1] + *(p.pointer): pointers in global memory and inside a parameter.
const char* const kTables = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .align 8 .b8 p[24], .param .u64 table, .param .u64 out)
{
  .reg .b64 %rd<12>; .reg .b32 %r<9>;
  ld.param.u64 %rd1, [p+8]; ld.param.u32 %r6, [p+16];
  ld.param.u64 %rd2, [table]; ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1;
  mul.wide.u32 %rd4, %r2, 8; add.u64 %rd5, %rd2, %rd4; ld.global.u64 %rd6, [%rd5+8];
  ld.global.u32 %r3, [%rd6]; ld.global.u32 %r4, [%rd1];
  add.u32 %r5, %r3, %r4; add.u32 %r5, %r5, %r6;
  mul.wide.u32 %rd7, %r1, 4; add.u64 %rd8, %rd3, %rd7; st.global.u32 [%rd8], %r5;
  ret;
}
)";

const std::string kBuffers =
    "ptx: t.ptx\nbuffers:\n  a: {type: u32, count: 16, init: iota}\n  b: {type: u32, count: 16, init: iota}\n"
    "  table: {type: u64, count: 3, init: zero}\n  o: {type: u32, count: 4, init: zero, save: o.npy}\n";
const std::string kLaunch =
    "kernel: k\ngrid: 1\nblock: 4\n"
    "args: [{bytes: \"000000000000000000000000000000000900000000000000\"}, table, o]\n";

std::vector<uint32_t> output(const tests::ProgramFolder& folder) {
  const sim::NpyArray a = sim::read_npy(folder.file("o.npy"));
  std::vector<uint32_t> values(a.count());
  std::memcpy(values.data(), a.data.data(), a.data.size());
  return values;
}

}  // namespace

TEST_CASE("Patches put addresses into tables and structures, with and without time", "[patch]") {
  const tests::ProgramFolder folder;
  folder.write("t.ptx", kTables);
  folder.write("t.yaml", kBuffers + kLaunch +
                             "patch:\n  - {buffer: table, at: 8, address_of: a, plus: 12}\n"
                             "  - {buffer: table, at: 16, address_of: b, plus: 20}\n"
                             "  - {arg: 0, at: 8, address_of: b, plus: 8}\n");
  for (const char* mode : {"--functional", ""}) {
    const Outcome run = folder.run(std::string("run t.yaml -q --progress none ") + mode);
    INFO(run.out);
    REQUIRE(run.code == 0);
    CHECK(output(folder) == std::vector<uint32_t>{3 + 2 + 9, 5 + 2 + 9, 3 + 2 + 9, 5 + 2 + 9});
  }
}

TEST_CASE("A tensor map may stand inside a parameter or in memory, and is a pointer's target there",
          "[patch]") {
  const tests::ProgramFolder folder;
  folder.write("m.ptx", R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 p[256], .param .u64 table, .param .u64 out)
{
  .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %q;
  .shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar;
  mov.b64 %rd1, p; cvta.param.u64 %rd1, %rd1; add.u64 %rd1, %rd1, 128;
  ld.param.u64 %rd2, [table]; ld.global.u64 %rd5, [%rd2+128];
  ld.param.u64 %rd3, [out];
  mov.u32 %r1, s; mov.u32 %r2, bar; mov.u32 %r3, 0; mov.u32 %r4, 4;
  mbarrier.init.shared.b64 [%r2], 1; fence.proxy.async;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 192;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r4, %r3}], [%r2];
  add.u32 %r5, %r1, 128;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd2, {%r3, %r4}], [%r2];
  add.u32 %r6, %r1, 256;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd5, {%r4, %r4}], [%r2];
W: mbarrier.try_wait.parity.shared.b64 %q, [%r2], 0; @!%q bra W;
  ld.shared.u32 %r7, [%r1]; st.global.u32 [%rd3], %r7;
  ld.shared.u32 %r7, [%r5]; st.global.u32 [%rd3+4], %r7;
  ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd3+8], %r7;
  ret;
}
)");
  std::string zeros(512, '0');
  folder.write(
      "m.yaml",
      "ptx: m.ptx\nkernel: k\ngrid: 1\nblock: 1\n"
      "buffers:\n  a: {type: u32, shape: [16, 16], init: iota}\n"
      "  table: {type: u8, count: 192, init: zero}\n"
      "  o: {type: u32, count: 3, init: zero, save: o.npy}\n"
      "tensor_maps: {ta: {buffer: a, box: [4, 4]}}\n"
      "args: [{bytes: \"" +
          zeros +
          "\"}, table, o]\n"
          "patch:\n  - {arg: 0, at: 128, tensor_map: ta}\n  - {buffer: table, at: 0, tensor_map: ta}\n"
          "  - {buffer: table, at: 128, address_of: ta}\n");
  for (const char* mode : {"--functional", ""}) {
    const Outcome run = folder.run(std::string("run m.yaml -q --progress none ") + mode);
    INFO(run.out);
    REQUIRE(run.code == 0);
    CHECK(output(folder) == std::vector<uint32_t>{4, 64, 68});
  }
}

TEST_CASE("Patches that do not fit are refused at their place", "[patch]") {
  const tests::ProgramFolder folder;
  folder.write("t.ptx", kTables);
  const auto said = [&](const std::string& patch) {
    folder.write("t.yaml", kBuffers + kLaunch + "patch:\n  - " + patch + "\n");
    const Outcome run = folder.run("run t.yaml -q --functional --progress none");
    CHECK(run.code == 3);
    CHECK_THAT(run.out, ContainsSubstring("t.yaml:"));
    return run.out;
  };
  CHECK_THAT(said("{buffer: table, at: 17, address_of: a}"),
             ContainsSubstring("beyond 'table', which has 24"));
  CHECK_THAT(said("{buffer: tabel, at: 0, address_of: a}"), ContainsSubstring("unknown buffer 'tabel'"));
  CHECK_THAT(said("{buffer: table, at: 0, address_of: x}"), ContainsSubstring("unknown buffer 'x'"));
  CHECK_THAT(said("{buffer: table, at: 0, tensor_map: x}"), ContainsSubstring("unknown tensor map 'x'"));
  CHECK_THAT(said("{at: 0, address_of: a}"), ContainsSubstring("goes into a `buffer` or an `arg`"));
  CHECK_THAT(said("{arg: 0, buffer: table, at: 0, address_of: a}"),
             ContainsSubstring("goes into a `buffer` or an `arg`"));
  CHECK_THAT(said("{arg: 7, at: 0, address_of: a}"),
             ContainsSubstring("there is no argument 7; the launch has 3"));
  CHECK_THAT(said("{arg: 0, at: 20, address_of: a}"),
             ContainsSubstring("a patch of 8 bytes at 20 is beyond argument 0, which has 24"));
  CHECK_THAT(said("{buffer: table, at: 0, address_of: a}\n  - {buffer: table, at: 4, address_of: b}"),
             ContainsSubstring("overlaps the patch at 0"));
}

TEST_CASE("In a file of several launches, patches of arguments belong in their launch", "[patch]") {
  const tests::ProgramFolder folder;
  folder.write("t.ptx", kTables);
  const std::string table =
      "patch:\n  - {buffer: table, at: 8, address_of: a}\n  - {buffer: table, at: 16, address_of: a}\n";
  const std::string launch = "launches:\n  - {kernel: k, grid: 1, block: 4, args: [{bytes: \"" +
                             std::string(48, '0') +
                             "\"}, table, o], patch: [{arg: 0, at: 8, address_of: b, plus: 16}]}\n";
  folder.write("t.yaml", kBuffers + table + launch);
  const Outcome run = folder.run("run t.yaml -q --functional --progress none");
  INFO(run.out);
  REQUIRE(run.code == 0);
  CHECK(output(folder) == std::vector<uint32_t>{4, 4, 4, 4});
  folder.write("t.yaml", kBuffers + table + "  - {arg: 0, at: 8, address_of: b}\n" + launch);
  CHECK_THAT(folder.run("run t.yaml -q --functional --progress none").out,
             ContainsSubstring("patches of arguments belong in their launch"));
}

TEST_CASE("Contraction is a choice of the command line and of a module", "[contract]") {
  const tests::ProgramFolder folder;
  folder.write("c.ptx", R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 out)
{
  .reg .b64 %rd<3>; .reg .f32 %f<6>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [out];
  ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];
  mul.f32 %f3, %f1, %f2; add.f32 %f4, %f3, 0fBF800000; st.global.f32 [%rd2], %f4;
  ret;
}
)");
  // (1 + 2^-12)^2 - 1: rounded once it has the square's last bit.
  const std::string file =
      "ptx: c.ptx\nkernel: k\ngrid: 1\nblock: 1\nbuffers: {a: {type: f32, values: [1.000244140625, "
      "1.000244140625]}, o: {type: u32, count: 1, init: zero, save: o.npy}}\nargs: [a, o]\n";
  const auto value = [&](const std::string& more, const std::string& options) {
    folder.write("c.yaml", file + more);
    const Outcome run = folder.run("run c.yaml -q --functional --progress none " + options);
    INFO(run.out);
    REQUIRE(run.code == 0);
    return output(folder).at(0);
  };
  const uint32_t fused = value("", ""), apart = value("", "--no-contract");
  CHECK(fused != apart);
  CHECK(value("contract: false\n", "") == apart);
  CHECK(value("contract: true\n", "") == fused);
  CHECK(value("contract: true\n", "--no-contract") == apart);
}
