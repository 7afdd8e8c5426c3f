// SPDX-License-Identifier: Apache-2.0
// `info`: shared memory that a callee names, and code that the configuration's GPU does not run.
#include "tests/catch2.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;
using tests::Outcome;

TEST_CASE("info counts the shared memory that only a callee names", "[info]") {
  const tests::ProgramFolder folder;
  folder.write("callee.ptx", R"(.version 8.0
.target sm_90
.address_size 64
.shared .align 4 .b8 tile[4096];
.extern .shared .align 16 .b8 more[];
.func f(.param .b32 a)
{
  .reg .b32 %r<3>; ld.param.u32 %r1, [a]; st.shared.u32 [tile], %r1; st.shared.u32 [more], %r1; ret;
}
.visible .entry k(.param .u32 n)
{
  .reg .b32 %r<3>; ld.param.u32 %r1, [n];
  { .param .b32 a0; st.param.b32 [a0], %r1; call.uni f, (a0); }
  ret;
}
)");
  const Outcome info = folder.run("info callee.ptx");
  CHECK(info.code == 0);
  const std::string entry = info.out.substr(info.out.find("entry k"));
  CHECK_THAT(entry, ContainsSubstring("4 KiB shared, dynamic shared"));
}

TEST_CASE("info --machine refuses what the GPU does not run, with the flag that would help", "[info]") {
  const tests::ProgramFolder folder;
  folder.write("hopper.ptx",
               ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
  const Outcome info = folder.run("info --machine -c t4 hopper.ptx");
  CHECK(info.code == 4);
  CHECK_THAT(info.out, ContainsSubstring("this module is for sm_90, but the device is sm_75"));
  CHECK_THAT(info.out, ContainsSubstring("compile with -arch=sm_75"));
  CHECK(folder.run("info --machine -c h200 hopper.ptx").code == 0);
}
