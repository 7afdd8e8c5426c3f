// SPDX-License-Identifier: Apache-2.0
// Problems found in PTX, and how they are shown.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ir/module.h"

namespace gpuloom::ptx {

enum class Severity : uint8_t { kError, kWarning };

// What sort of problem: decides the exit code.
enum class ProblemKind : uint8_t {
  kNotPtx,       // the text is not PTX
  kWrong,        // PTX, but wrong
  kNeeds,        // right for another target or PTX version
  kNotModelled,  // right, but gpuloom does not model it yet
};

// Every problem has a code that documentation and tests refer to: X(id, code, kind, what)
#define GPULOOM_PTX_PROBLEMS(X)                                                     \
  X(kCharacters, "P001", kNotPtx, "characters that begin no token")                 \
  X(kUnterminated, "P002", kNotPtx, "comment or string without end")                \
  X(kNumber, "P003", kNotPtx, "malformed number")                                   \
  X(kSyntax, "P004", kNotPtx, "another token is expected here")                     \
  X(kHeader, "P005", kNotPtx, ".version or .target missing or misplaced")           \
  X(kTruncated, "P006", kNotPtx, "the file ends too early")                         \
  X(kNesting, "P007", kNotPtx, "nested too deep")                                   \
  X(kInstruction, "P010", kWrong, "no such instruction")                            \
  X(kModifier, "P011", kWrong, "modifiers that the instruction does not have")      \
  X(kType, "P012", kWrong, "operand type mismatch")                                 \
  X(kOperandCount, "P013", kWrong, "wrong number of operands")                      \
  X(kOperandKind, "P014", kWrong, "wrong kind of operand")                          \
  X(kName, "P015", kWrong, "unknown name")                                          \
  X(kRedefinition, "P016", kWrong, "name defined twice")                            \
  X(kConstant, "P017", kWrong, "constant expression")                               \
  X(kDirective, "P018", kWrong, "unknown or misused directive")                     \
  X(kInitialiser, "P019", kWrong, "initialiser")                                    \
  X(kConstraint, "P020", kWrong, "combination that the instruction does not allow") \
  X(kLabel, "P021", kWrong, "label")                                                \
  X(kCall, "P022", kWrong, "call that does not agree with the function")            \
  X(kVector, "P023", kWrong, "vector length")                                       \
  X(kDeclaration, "P024", kWrong, "declaration")                                    \
  X(kGuard, "P025", kWrong, "guard")                                                \
  X(kVersion, "T001", kNeeds, "needs a later PTX ISA version")                      \
  X(kTarget, "T002", kNeeds, "needs another target")                                \
  X(kDevice, "T003", kNeeds, "module for another device")                           \
  X(kUnsupported, "U001", kNotModelled, "instruction that is not modelled yet")     \
  X(kUnsupportedFeature, "U002", kNotModelled, "language feature that is not modelled yet")

enum class Problem : uint8_t {
#define X(id, code, kind, what) id,
  GPULOOM_PTX_PROBLEMS(X)
#undef X
};
std::string_view code(Problem problem);
ProblemKind kind(Problem problem);
std::string_view what(Problem problem);

struct DiagnosticNote {
  std::string text;
  Position position;  // none: line 0
};

struct Diagnostic {
  Severity severity = Severity::kError;
  Problem problem = Problem::kSyntax;
  std::string message;
  Position position;
  uint32_t length = 1;  // bytes to underline, on one line
  std::string label;    // few words beside the caret
  std::string where;    // "in entry `gemm`"
  std::vector<DiagnosticNote> notes;
  std::string hint;
};

// One problem with its source line. `text` is the module's text. No newline at the end.
std::string render(const Diagnostic& diagnostic, std::string_view file_name, std::string_view text);

// The first `limit` problems, and a last line that counts all: "12 errors, 3 warnings" (`errors` and
// `warnings` may exceed what the list holds).
std::string render_all(const std::vector<Diagnostic>& diagnostics, size_t errors, size_t warnings,
                       std::string_view file_name, std::string_view text, size_t limit = 50);

// A JSON array, one object a problem.
std::string render_json(const std::vector<Diagnostic>& diagnostics, std::string_view file_name);

}  // namespace gpuloom::ptx
