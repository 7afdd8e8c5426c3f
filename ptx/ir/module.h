// SPDX-License-Identifier: Apache-2.0
// A parsed PTX module: what the text says, names resolved, forms matched, nothing lowered yet.
// Produced by ptx/parse; consumed by ptx/passes (decode) and by `gpuloom check|info`.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ir/types.h"

namespace gpuloom::ptx {

struct Form;  // ptx/isa/table/form.h

struct Position {  // in the PTX text; both count from 1, 0 is "nowhere"
  uint32_t line = 0;
  uint32_t column = 0;
};

// Source line of `.loc file line column [, function_name label, inlined_at file line column]` (PTX
// ISA 11.5.2).
struct SourceLine {
  uint32_t file = 0;  // index given by .file, 0 is "none"
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t inlined_at = 0;  // index + 1 into Module::source_lines of the call site, 0 is "not inlined"
  std::string inlined_function;
};

// A memory address that an initialiser stores: `generic(symbol) + offset` or `symbol + offset`.
struct Relocation {
  uint32_t offset_bytes = 0;  // where in the variable
  uint8_t width_bytes = 8;
  bool generic = false;
  uint8_t mask_shift =
      0;  // `0xff00(symbol)`: the byte that the mask selects, counted in bits; width_bytes is 1 then
  std::string symbol;
  int64_t addend = 0;
};

enum class Linkage : uint8_t { kNone, kExtern, kVisible, kWeak, kCommon };

struct Variable {
  std::string name;
  Space space = Space::kGeneric;
  Type type = Type::kNone;
  uint8_t vector = 1;  // 2 or 4 for .v2/.v4
  Linkage linkage = Linkage::kNone;
  bool managed = false;     // .attribute(.managed)
  bool is_pointer = false;  // parameter with .ptr
  Space pointer_space = Space::kGeneric;
  uint32_t pointer_align = 0;
  uint32_t align_bytes = 0;  // explicit or natural
  uint64_t size_bytes = 0;   // whole variable; 0 for `[]` (extern .shared)
  bool unsized = false;      // declared `[]`
  bool is_array = false;
  std::vector<uint8_t> initial;  // empty: zero
  std::vector<Relocation> relocations;
  Position position;
};

struct Register {
  std::string name;  // with the leading % where the text has one
  Type type = Type::kNone;
  uint8_t vector = 1;
  Position position;
};

enum class OperandKind : uint8_t {
  kNone,
  kRegister,   // id: index into Function::registers; component for .x .y .z .w of a vector register (0-3),
               // 0xff: whole
  kImmediate,  // value: 64 bits as immediate_type says
  kSymbol,     // symbol: a variable, function or label by name; value: byte offset added
  kAddress,    // [base + value]; base is a register (id), a symbol, or none
  kVector,     // {a, b, ...}: children
  kSpecialRegister,  // id: SpecialRegister
  kLabel,            // id: index into Function::labels
  kSink,             // _
  kTensor,           // [address, {coordinates} ...]: children[0] is the address, the rest as written
  kPair,             // d|p: children[0], children[1] (a sink where absent)
  kList,             // ( ... ) of call: children
};

enum class SymbolKind : uint8_t {
  kNone,
  kVariable,
  kParameter,
  kFunction,
  kLabel,
  kPrototype,
  kBranchTargets,
  kCallTargets
};

struct Operand {
  OperandKind kind = OperandKind::kNone;
  bool negated = false;  // !p, or -a where a form allows it
  uint8_t component = 0xff;
  Type immediate_type =
      Type::kNone;  // kS64/kU64 for integers, kF32 for 0f, kF64 for 0d and decimal, kPred for none
  SymbolKind symbol_kind = SymbolKind::kNone;
  bool base_is_symbol = false;  // kAddress
  bool has_base = false;        // kAddress; false for an absolute address
  uint32_t id = 0;
  int64_t value = 0;
  const Variable* variable = nullptr;         // kSymbol/kAddress naming a variable or parameter
  uint32_t first_child = 0, child_count = 0;  // into Function::operand_pool
  Position position;
};

struct Guard {
  int32_t register_id = -1;  // -1: unguarded
  bool negated = false;
};

constexpr unsigned kMaxModifierSlots = 16;

// One instruction. `mods[k]` is the value chosen for slot k of the form: index into that slot's values plus
// 1, 0 for "absent".
struct Instruction {
  const Form* form = nullptr;
  uint8_t mods[kMaxModifierSlots] = {};
  Guard guard;
  uint32_t first_operand = 0;  // into Function::operand_pool
  uint16_t operand_count = 0;
  uint32_t source_line = 0;  // index + 1 into Module::source_lines, 0: none
  Position position;
};

struct Label {
  std::string name;
  uint32_t instruction = 0;  // index of the instruction it stands before; == instructions.size() at the end
  Position position;
};

// .callprototype (PTX ISA 11.4.?), also the signature of a .func.
struct Prototype {
  std::string name;
  std::vector<Variable> returns, params;
  bool noreturn = false;
  Position position;
};

struct LabelList {  // .branchtargets / .calltargets
  std::string name;
  std::vector<std::string> targets;
  Position position;
};

struct Directives {  // performance-tuning and cluster directives (PTX ISA 11.4, 11.7)
  uint32_t maxntid[3] = {0, 0, 0};
  uint32_t reqntid[3] = {0, 0, 0};
  uint32_t minnctapersm = 0, maxnctapersm = 0, maxnreg = 0;
  bool explicit_cluster = false;
  uint32_t reqnctapercluster[3] = {0, 0, 0};
  uint32_t maxclusterrank = 0;
  bool blocks_are_clusters = false;
  bool noreturn = false;
  std::vector<std::string> pragmas;

  // Threads of a block, at most, as the directives have it; 0: they do not say.
  uint64_t block_threads() const {
    const uint32_t* v = reqntid[0] != 0 ? reqntid : maxntid;
    return uint64_t{v[0]} * (v[1] == 0 ? 1 : v[1]) * (v[2] == 0 ? 1 : v[2]);
  }
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  Linkage linkage = Linkage::kNone;
  std::vector<Variable> returns, params;
  Directives directives;
  // Registers of all scopes; names may repeat between nested scopes, ids do not.
  std::vector<Register> registers;
  // Variables declared in the body: .local, .shared, .param (call-site), .const/.global are not allowed
  // there. Stable addresses.
  std::deque<Variable> variables;
  std::vector<Instruction> instructions;
  std::vector<Operand> operand_pool;
  std::vector<Label> labels;
  std::vector<Prototype> prototypes;
  std::vector<LabelList> branch_targets, call_targets;
  Position position;
};

struct Alias {
  std::string name, target;
  Position position;
};

struct Module {
  std::string file_name;
  uint32_t version_major = 0, version_minor = 0;
  std::vector<std::string> targets;  // as written: "sm_90a", "texmode_independent", "debug"
  uint32_t address_bits = 64;
  std::deque<Variable> variables;  // module scope: .global .const .shared .tex; stable addresses
  std::deque<Function> functions;  // entries and functions, declarations too; stable addresses
  std::vector<Alias> aliases;
  std::vector<std::string> files;  // by .file index
  std::vector<SourceLine> source_lines;
  std::vector<std::string> text_lines;  // filled on demand for messages; may stay empty

  const Function* find_function(std::string_view name) const;
  const Variable* find_variable(std::string_view name) const;
};

}  // namespace gpuloom::ptx
