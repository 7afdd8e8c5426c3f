// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/lowering_score.h"

#include <algorithm>
#include <cmath>

#include "tests/catch2.h"
#include "tests/places.h"

namespace gpuloom::validation {
namespace {

LoweredKernel kernel(std::map<std::string, double> silicon, std::map<std::string, double> simulated) {
  LoweredKernel k;
  k.name = "k";
  k.silicon.opcodes = std::move(silicon);
  k.simulated.opcodes = std::move(simulated);
  return k;
}

TEST_CASE("Static code is counted by class and the opcodes that differ are named") {
  const LoweredKernel k =
      kernel({{"LDG.E", 2}, {"IADD3.X", 3}, {"EXIT", 1}}, {{"LDG", 2}, {"IADD3", 5}, {"EXIT", 1}});
  CHECK(k.silicon.instructions() == 6);
  CHECK(k.silicon.of_class(OpcodeClass::kInteger) == 3);
  CHECK(k.simulated.of_class(OpcodeClass::kMemory) == 2);
  const std::string text = lowering_text({k}, true);
  CHECK(text.find("k (gpuloom:ptxas): IADD3 5:3\n") != std::string::npos);
  CHECK(text.find("+33.3") != std::string::npos);
}

ptx::MachineOp operation(ptx::OpClass op, uint16_t exec_count, uint8_t slow_path = 0) {
  ptx::MachineOp out;
  out.op = op;
  out.exec_count = exec_count;
  out.slow_path = slow_path;
  return out;
}

TEST_CASE("The function of a division of 64 bits is not counted, as ptxas has it once in a kernel") {
  using ptx::OpClass;
  ptx::MachineProgram machine;
  machine.ops = {operation(OpClass::mov, 1), operation(OpClass::call, 0), operation(OpClass::imad, 0),
                 operation(OpClass::ret, 0), operation(OpClass::mov, 1),  operation(OpClass::call, 1),
                 operation(OpClass::ret, 1)};
  const StaticCode code = static_code(machine, Counted::kCalls);
  CHECK(code.opcodes == std::map<std::string, double>{{"CALL", 2}, {"MOV", 2}, {"RET", 1}});
  CHECK(static_code(machine, Counted::kFunctions).instructions() == 7);
}

TEST_CASE("Calls of slow paths are counted where ptxas's side has them") {
  ptx::MachineProgram machine;
  machine.ops = {operation(ptx::OpClass::bra, 0, 5)};
  CHECK(static_code(machine, Counted::kCalls).instructions() == 6);
  CHECK(static_code(machine, Counted::kFunctions).instructions() == 1);
}

TEST_CASE("A kernel that cannot be lowered is named and not counted") {
  LoweredKernel k = kernel({{"EXIT", 1}}, {});
  k.problem = "needs what nobody has";
  const std::string text = lowering_text({k, kernel({{"EXIT", 1}}, {{"EXIT", 1}})}, false);
  CHECK(text.find("needs what nobody has") != std::string::npos);
  CHECK(text.find("1 of 2 kernels lowered") != std::string::npos);
}

TEST_CASE(
    "Kernels of one name in different modules are different kernels, and every count of both is a line") {
  LoweredKernel a = kernel({{"EXIT", 1}}, {{"EXIT", 1}, {"MOV", 2}}), b = kernel({{"EXIT", 3}}, {});
  a.module = "first";
  b.module = "second";
  b.problem = "needs what nobody has";
  const std::string csv = lowering_csv({a, b});
  CHECK(csv.find("first,k,gpuloom,instructions,3\n") != std::string::npos);
  CHECK(csv.find("second,k,ptxas,EXIT,3\n") != std::string::npos);
  CHECK(csv.find("second,k,gpuloom") == std::string::npos);
}

TEST_CASE("Registers count as blocks too, and kernels with many of them by themselves") {
  LoweredKernel few = kernel({{"EXIT", 1}}, {{"EXIT", 1}}), many = few;
  few.silicon.registers = 32, few.simulated.registers = 30;
  many.silicon.registers = 64, many.simulated.registers = 96;
  const std::string text = lowering_text({few, many}, false);
  CHECK(text.find("within 15 %: 50.0 % of kernels, 0.0 % of 1 with over 32") != std::string::npos);
  CHECK(text.find("equal for 50.0 % of kernels") != std::string::npos);
}

// What the lowering has reached must not get lost; ptxas's answers are bench/silicon/lowering/sass.csv.gz.
TEST_CASE("Kernels take about as many registers as ptxas gives them") {
  unsigned near = 0, same_occupancy = 0, kernels = 0;
  for (const LoweredKernel& k : score_lowering(tests::in_tree("/bench/silicon/lowering"), "h200", {})) {
    REQUIRE(k.problem.empty());
    ++kernels;
    near += std::abs(k.simulated.registers - k.silicon.registers) <= 0.15 * k.silicon.registers ? 1 : 0;
    // Registers are given out in eights; 32 leave room for all warps of an SM.
    const auto warps = [](double registers) {
      return std::min(64.0, std::floor(2048 / (8 * std::ceil(registers / 8))));
    };
    same_occupancy += warps(k.simulated.registers) == warps(k.silicon.registers) ? 1 : 0;
  }
  REQUIRE(kernels > 80);
  CHECK(near >= 0.75 * kernels);
  CHECK(same_occupancy >= 0.9 * kernels);
}

}  // namespace
}  // namespace gpuloom::validation
