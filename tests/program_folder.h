// SPDX-License-Identifier: Apache-2.0
// The program as a user calls it, in a folder of the test.
#pragma once
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"
#include "tests/catch2.h"
#include "tests/places.h"

namespace gpuloom::tests {

struct Outcome {
  int code = -1;
  std::string out;  // stdout and stderr
};

// A folder of its own for each test, with add.ptx: a kernel `add_one(data, n)`.
class ProgramFolder {
 public:
  ProgramFolder() {
    write("add.ptx", R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u64 data, .param .u32 n)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<7>;
  .reg .pred %p;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mad.lo.u32 %r5, %r3, %r4, %r2;
  setp.ge.u32 %p, %r5, %r1;
  @%p ret;
  mul.wide.u32 %rd2, %r5, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r6, [%rd3];
  add.u32 %r6, %r6, 1;
  st.global.u32 [%rd3], %r6;
  ret;
}
)");
  }
  std::string file(const std::string& name) const { return scratch_.file(name.c_str()); }
  void write(const std::string& name, const std::string& text) const { sim::write_file(file(name), text); }

  // Runs gpuloom in this folder.
  Outcome run(const std::string& arguments) const {
    const std::string command = "cd '" + scratch_.path() + "' && '" + program() + "' " + arguments + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    Outcome result;
    std::array<char, 4096> piece;
    for (size_t n = 0; (n = fread(piece.data(), 1, piece.size(), pipe)) != 0;)
      result.out.append(piece.data(), n);
    const int status = pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
  }

 private:
  sim::ScratchFolder scratch_;
};

}  // namespace gpuloom::tests
