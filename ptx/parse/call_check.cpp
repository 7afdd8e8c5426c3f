// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/call_check.h"

#include <string>

namespace gpuloom::ptx {
namespace {

std::string counted(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

bool is_untyped(Type type) { return info(type).kind == TypeKind::kBits; }

// The two sides of a call.
struct Sides {
  std::string callee;
  const std::vector<Variable>*returns = nullptr, *params = nullptr;  // null: not known
  const Operand *results = nullptr, *arguments = nullptr;            // lists
};

Sides sides_of(const Module& module, const Function& caller, const Instruction& in) {
  Sides s;
  bool behind = false;  // the callee has been seen
  for (uint32_t k = 0; k < in.operand_count; ++k) {
    const Operand& operand = caller.operand_pool[in.first_operand + k];
    if (operand.kind == OperandKind::kList) {
      (behind ? s.arguments : s.results) = &operand;
    } else if (operand.kind == OperandKind::kSymbol && operand.symbol_kind == SymbolKind::kFunction) {
      const Function& function = module.functions[operand.id];
      s.returns = &function.returns;
      s.params = &function.params;
      s.callee = function.name;
      behind = true;
    } else if (operand.kind == OperandKind::kSymbol && operand.symbol_kind == SymbolKind::kPrototype) {
      const Prototype& prototype = caller.prototypes[operand.id];
      s.returns = &prototype.returns;
      s.params = &prototype.params;
      s.callee = prototype.name;
    } else if (operand.kind != OperandKind::kNone) {
      behind = true;
    }
  }
  return s;
}

size_t count(const Operand* list) { return list == nullptr ? 0 : list->child_count; }

// Untyped bits go with everything of their width, integers of either sign with each other.
bool agree(Type given, Type formal) {
  if (bits(given) != bits(formal) || (given == Type::kPred) != (formal == Type::kPred)) return false;
  return is_untyped(given) || is_untyped(formal) || is_float(given) == is_float(formal);
}

std::string bytes_in_words(const Variable& v) {
  if (v.unsized) return "an array";
  if (v.is_array) return "an array of " + counted(static_cast<size_t>(v.size_bytes), "byte");
  return "`." + std::string(info(v.type).name) + "`";
}

std::string variable_problem(const Variable& given, const Variable& formal) {
  if (given.space != Space::kParamFunction)
    return "takes a register, a constant or a `.param` variable of the caller's body";
  const bool same =
      given.is_array || formal.is_array || formal.unsized
          ? given.is_array && (formal.unsized || (formal.is_array && given.size_bytes == formal.size_bytes))
          : agree(given.type, formal.type);
  if (!same) return "is " + bytes_in_words(formal) + ", not " + bytes_in_words(given);
  if (given.align_bytes == formal.align_bytes) return {};
  return "is aligned to " + counted(formal.align_bytes, "byte") + ", not to " +
         std::to_string(given.align_bytes);
}

std::string register_problem(const Register& given, const Variable& formal) {
  if (formal.is_array || formal.unsized) return "is " + bytes_in_words(formal) + ", not a register";
  if (agree(given.type, formal.type)) return {};
  return "is " + bytes_in_words(formal) + ", not `." + std::string(info(given.type).name) + "`";
}

std::string constant_problem(const Operand& given, const Variable& formal) {
  if (formal.is_array || formal.unsized) return "is " + bytes_in_words(formal) + ", not a constant";
  const bool floating = given.immediate_type == Type::kF32 || given.immediate_type == Type::kF64;
  if (is_untyped(formal.type) || is_float(formal.type) == floating) return {};
  return "is " + bytes_in_words(formal) + ", not " + (floating ? "a floating-point" : "an integer") +
         " constant";
}

// What is wrong with one argument or result, as the end of a sentence about the formal one; "" where it fits.
std::string problem_of(const Function& caller, const Operand& given, const Variable& formal) {
  switch (given.kind) {
    case OperandKind::kRegister:
      return register_problem(caller.registers[given.id], formal);
    case OperandKind::kImmediate:
      return constant_problem(given, formal);
    case OperandKind::kSymbol:
      return given.variable == nullptr ? std::string() : variable_problem(*given.variable, formal);
    default:
      return {};
  }
}

void check_list(ParseContext& context, const Function& caller, const Sides& sides, const Operand* list,
                const std::vector<Variable>& formals, std::string_view what, const Token& token) {
  for (uint32_t k = 0; k < count(list) && k < formals.size(); ++k) {
    const Operand& given = caller.operand_pool[list->first_child + k];
    const std::string problem = problem_of(caller, given, formals[k]);
    if (problem.empty()) continue;
    const std::string one =
        formals.size() > 1 ? std::string(what) + " " + std::to_string(k + 1) : "the " + std::string(what);
    const Position at = given.position.line > 0 ? given.position : token.position;
    context.report.error(Problem::kCall, at, context.tokens.extent_at(at, token),
                         one + " of " + ticked(sides.callee) + " " + problem);
  }
}

}  // namespace

void check_call(ParseContext& context, const Function& caller, const Instruction& in, const Token& token) {
  const Sides sides = sides_of(context.module, caller, in);
  if (sides.params == nullptr) return;
  const size_t results = count(sides.results), arguments = count(sides.arguments);
  const bool variadic = !sides.params->empty() && sides.params->back().unsized;
  if (results != sides.returns->size() ||
      (arguments != sides.params->size() && !(variadic && arguments + 1 >= sides.params->size()))) {
    Diagnostic& d = context.report.error(Problem::kCall, token,
                                         ticked(sides.callee) + " takes " +
                                             counted(sides.params->size(), "argument") + " and gives " +
                                             counted(sides.returns->size(), "result") + "; this call has " +
                                             std::to_string(arguments) + " and " + std::to_string(results));
    d.hint = "call (result), function, (arguments);";
    return;
  }
  check_list(context, caller, sides, sides.results, *sides.returns, "result", token);
  check_list(context, caller, sides, sides.arguments, *sides.params, "argument", token);
}

}  // namespace gpuloom::ptx
