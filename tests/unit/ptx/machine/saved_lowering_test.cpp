// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/saved_lowering.h"

#include "base/error.h"
#include "ptx/isa/table/form.h"
#include "tests/catch2.h"
#include "tests/fuzz/kernels/generate.h"
#include "tests/unit/lowered.h"

using namespace gpuloom;
using namespace gpuloom::ptx;

namespace {

// What the first lines name twice: a function of the program in Instr::imm.
const char* const kFunctions = R"(
cvt.rni.s32.f32 %r2, %f1; cvt.u8.u32 %r3, %r1; cvt.sat.u16.s32 %h1, %r2; set.lt.u32.f32 %r4, %f1, %f2;
set.ge.f32.s32 %f3, %r2, %r3; add.u32 %r5, %r2, %r4; st.global.u32 [%rd1+8], %r5; st.global.f32 [%rd1+12], %f3;
st.global.u16 [%rd1+16], %h1; st.global.u32 [%rd1+20], %r3;
)";

std::string key_of(const Program& program) {
  Sha256 key;
  REQUIRE(add_decoded(program, key));
  return key.finish_hex();
}

}  // namespace

TEST_CASE("A lowered kernel that was kept as bytes is the same when it comes back") {
  REQUIRE_FALSE(build_name().empty());
  fuzz::Forms forms;
  unsigned kept = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    const auto module =
        load_module_text(fuzz::render_module(fuzz::generate(seed, forms)), "k.ptx", isa_table());
    const Function* entry = nullptr;
    for (const Function& f : module->functions)
      if (f.is_entry) entry = &f;
    PassOptions options;
    options.reuse_rows = false;
    const auto program = build_program(*module, *entry, OffsetResolver(*module), options);
    const MachineProgram machine = lower(*program, plain_model());
    const std::string bytes = save_lowering(machine);
    REQUIRE_FALSE(bytes.empty());
    const std::optional<MachineProgram> back = restore_lowering(bytes, *module);
    REQUIRE(back.has_value());
    CHECK(save_lowering(*back) == bytes);
    CHECK(describe(*back) == describe(machine));
    CHECK(back->program != machine.program);
    ++kept;
  }
  CHECK(kept == 60);
}

TEST_CASE("A kept kernel calls the functions of the process that takes it") {
  const Lowered l = lowered_text(test_kernel(kFunctions), Loops::kAsWritten);
  const std::optional<MachineProgram> back = restore_lowering(save_lowering(l.machine), *l.source.module);
  REQUIRE(back.has_value());
  REQUIRE(back->program->code.size() == l.machine.program->code.size());
  for (size_t i = 0; i < l.machine.program->code.size(); ++i) {
    CHECK(back->program->code[i].fn == l.machine.program->code[i].fn);
    CHECK(back->program->code[i].imm == l.machine.program->code[i].imm);
  }
}

TEST_CASE("Bytes of a kept kernel that are cut off or too many are not taken") {
  const Lowered l = lowered_text(test_kernel(kFunctions), Loops::kAsWritten);
  const std::string bytes = save_lowering(l.machine);
  for (size_t size = 0; size < bytes.size(); size += 61)
    CHECK_FALSE(restore_lowering(std::string_view(bytes).substr(0, size), *l.source.module).has_value());
  CHECK_FALSE(restore_lowering(bytes + "x", *l.source.module).has_value());
}

TEST_CASE("Decoded programs are told apart by the addresses in them") {
  const auto text = [](const char* offset) {
    return test_kernel("st.global.u32 [%rd1+" + std::string(offset) + "], %r1;");
  };
  const TestProgram one = test_program(text("8")), same = test_program(text("8")),
                    other = test_program(text("16"));
  CHECK(key_of(*one.program) == key_of(*same.program));
  CHECK(key_of(*one.program) != key_of(*other.program));
}
