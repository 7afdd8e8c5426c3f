// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/usage_rules.h"

#include <algorithm>

#include "ptx/target.h"

namespace gpuloom::ptx {
namespace {

bool says(const Form& form, std::string_view word) { return form.syntax.find(word) != std::string::npos; }

// `.L2::cache_hint` and the cache policy come together (PTX ISA 9.7.9.2).
std::string policy_problem(const FormUse& use) {
  const Form& form = use.form();
  if (form.operands.empty() || !form.operands.back().optional || form.operands.back().type != Type::kB64 ||
      !says(form, "cache_hint"))
    return {};
  const bool policy = use.operand(static_cast<unsigned>(form.operands.size() - 1)).kind != OperandKind::kNone;
  const bool hint = use.has(".L2::cache_hint");
  if (policy && !hint) return "a cache policy needs the modifier `.L2::cache_hint`";
  if (hint && !policy) return "`.L2::cache_hint` needs a cache policy as the last operand";
  return {};
}

// Accesses of 256 bits (PTX ISA 5.4.2).
std::string wide_vector_problem(const FormUse& use, std::string_view target) {
  if (use.vec() * bits(use.type()) <= 128 || covers(target, "sm_100")) return {};
  return "vectors of 256 bits need sm_100 or later";
}

// An order without a scope, or a scope without an order (9.7.13.16).
std::string mbarrier_problem(const FormUse& use, unsigned version) {
  const Form& form = use.form();
  if (use.operand_count() > 0 && use.operand(0).kind == OperandKind::kSink && version < ptx_version(7, 1))
    return "a state that is thrown away, `_`, needs PTX ISA 7.1";
  if (!says(form, "{.scope}")) return {};
  const bool order = !use.mod(".sem").empty() || use.has(".relaxed");
  const bool scope = !use.mod(".scope").empty();
  if (order && !scope) return "an order needs a scope, `.cta` or `.cluster`, after it";
  if (scope && !order) return "a scope needs an order before it";
  return {};
}

// Until PTX ISA 1.3 the bare words were approximations, or rounded to nearest.
std::string rounding_problem(const FormUse& use, unsigned version) {
  const Form& form = use.form();
  const std::string& word = form.instruction->mnemonic;
  if (version < ptx_version(1, 4) || form.instruction->family != "floating") return {};
  constexpr std::string_view kApproximate[] = {"sin", "cos", "lg2", "ex2", "rsqrt"};
  constexpr std::string_view kRounded[] = {"rcp", "sqrt", "div"};
  if (std::find(std::begin(kApproximate), std::end(kApproximate), word) != std::end(kApproximate))
    return says(form, ".approx") ? "" : "`" + word + "` needs `.approx` since PTX ISA 1.4";
  if (std::find(std::begin(kRounded), std::end(kRounded), word) == std::end(kRounded)) return {};
  if (says(form, ".approx") || says(form, ".full") || !use.mod(".rnd").empty()) return {};
  return "`" + word + "` needs a rounding modifier or `.approx` since PTX ISA 1.4";
}

// Registers of one brace list have one width, and not both integers and floats.
std::string elements_problem(const FormUse& use) {
  for (unsigned k = 0; k < use.operand_count(); ++k) {
    const Operand& list = use.operand(k);
    if (list.kind != OperandKind::kVector) continue;
    Type typed = Type::kNone;
    unsigned width = 0;
    for (uint32_t c = 0; c < list.child_count; ++c) {
      const Operand& element = use.function()->operand_pool[list.first_child + c];
      if (element.kind != OperandKind::kRegister) continue;
      const Type type = use.function()->registers[element.id].type;
      if (width != 0 && bits(type) != width)
        return "the elements of a brace list have one width, not " + std::to_string(width) + " and " +
               std::to_string(bits(type)) + " bits";
      width = bits(type);
      if (info(type).kind == TypeKind::kBits) continue;
      if (typed != Type::kNone && is_float(typed) != is_float(type))
        return "a brace list does not mix `." + std::string(info(typed).name) + "` and `." +
               std::string(info(type).name) + "`";
      typed = type;
    }
  }
  return {};
}

}  // namespace

std::string usage_problem(const FormUse& use, unsigned version, std::string_view target) {
  const std::string& word = use.form().instruction->mnemonic;
  if (std::string problem = policy_problem(use); !problem.empty()) return problem;
  if (word == "ld" || word == "st")
    if (std::string problem = wide_vector_problem(use, target); !problem.empty()) return problem;
  if (word == "mov" || word == "ld" || word == "st") return elements_problem(use);
  if (word.compare(0, 8, "mbarrier") == 0) return mbarrier_problem(use, version);
  if ((word == "vote" || word == "shfl") && !says(use.form(), ".sync") && version >= ptx_version(6, 4) &&
      covers(target, "sm_70"))
    return "`" + word + "` without `.sync` is gone on sm_70 and later since PTX ISA 6.4";
  return rounding_problem(use, version);
}

}  // namespace gpuloom::ptx
