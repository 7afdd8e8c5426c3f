// SPDX-License-Identifier: Apache-2.0
// A random kernel as a tree of statements, so that one that shows a difference can be made smaller.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/exec/cta.h"

namespace gpuloom::fuzz {

enum class Role : uint8_t {
  kPlain,    // may go alone: what it defines is defined without it too, or another register takes its place
  kInitial,  // the first value of a register, a symbol: may go where nothing names it
  kFixed,    // goes only with the statement around it
};

// One line of PTX, or lines that belong together.
struct Statement {
  std::string text;  // without line end; empty for a group
  std::vector<Statement> parts;
  std::vector<std::string> defines;  // registers and symbols that have no value (or place) without it
  Role role = Role::kPlain;
  bool loose = false;  // the parts that are not fixed may stand without those that are
};

// Bytes of global memory that a thread has to itself, and those of a kernel that all threads share.
constexpr uint32_t kSlotBytes = 256, kSharedWords = 128;
constexpr uint32_t kInputBytes = 1u << 16;  // the same input for all kernels
constexpr uint32_t kMaxThreads = 256;       // of a grid
constexpr uint32_t kOutputBytes = kMaxThreads * kSlotBytes + kSharedWords * 8;

struct RandomKernel {
  uint64_t seed = 0;
  std::string name;                  // '$' in texts stands for it
  std::string text;                  // of a kernel that was read from a file: nothing else is rendered
  std::vector<Statement> module;     // variables and functions
  std::vector<Statement> variables;  // of the kernel: shared and local memory
  std::vector<Statement> body;
  std::string parameters;  // the list between the parentheses
  std::string directives;  // .maxntid and the like
  ptx::Dim3 grid{1, 1, 1}, block{32, 1, 1};
  bool bits_only = false;  // floating-point registers are declared as bits
  uint32_t dynamic_shared = 0;
  uint64_t input_offset = 0;       // of the pointer to the input, from its beginning
  std::vector<uint8_t> arguments;  // the parameter buffer; its first words are pointers to input and output
  uint32_t threads() const {
    return static_cast<uint32_t>(grid.x * grid.y * grid.z * block.x * block.y * block.z);
  }
};

std::string module_head();
// The kernel with its variables and functions, without the module's head.
std::string render(const RandomKernel& kernel);
std::string render_module(const RandomKernel& kernel);
// The launch in one line, a comment of PTX, and a kernel from a file that begins with such a line.
std::string launch_line(const RandomKernel& kernel);
RandomKernel read_kernel(const std::string& text);

// Names of registers (with their %) and other names in a line of PTX, in order.
std::vector<std::string> names_in(const std::string& text);
bool names(const std::string& text, const std::string& name);
// Every occurrence of a name replaced.
std::string renamed(const std::string& text, const std::string& from, const std::string& to);
// The letters of a register's name, which say its type: "%rd12" -> "%rd".
std::string class_of(const std::string& register_name);

// What the input buffer holds: integers, floating-point values of every type and special values side by side.
std::vector<uint8_t> input_bytes();
// What is in the output buffer before a kernel runs.
std::vector<uint8_t> output_bytes();

}  // namespace gpuloom::fuzz
