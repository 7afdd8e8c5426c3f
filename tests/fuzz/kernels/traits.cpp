// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/kernels/traits.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <utility>

#include "ptx/ir/types.h"
#include "tests/fuzz/kernels/kernel.h"

namespace gpuloom::fuzz {
namespace {

using Names = std::set<std::string>;

// Instructions of which one operand may make the result a constant: x & 0, x - x, x << 40.
const Names& absorbing() {
  static const Names names = {"and", "or",  "xor", "sub",  "mul",  "mul24", "shl",  "shr", "min",  "max",
                              "bfe", "rem", "sad", "lop3", "prmt", "shf",   "setp", "set", "bmsk", "cnot"};
  return names;
}

std::vector<std::string> operands_of(const std::string& list) {
  std::vector<std::string> out;
  std::string one;
  for (const char c : list) {
    if (c == ',' || c == ';' || c == '{' || c == '}' || c == ' ') {
      if (!one.empty()) out.push_back(std::exchange(one, ""));
    } else {
      one += c;
    }
  }
  if (!one.empty()) out.push_back(one);
  return out;
}

bool is_immediate(const std::string& operand) {
  return operand[0] == '-' || std::isdigit(static_cast<unsigned char>(operand[0])) != 0 ||
         operand == "WARP_SZ";
}

// The type of the result: the first that an opcode names.
std::string first_type(const Parts& p) {
  for (const std::string& word : p.words)
    if (ptx::type_named(word) != ptx::Type::kNone) return word;
  return "";
}

bool makes_nothing(const Parts& p) {
  static const Names names = {"st",  "red",     "bra",  "brx", "ret",     "exit",
                              "bar", "barrier", "call", "cp",  "prefetch"};
  return p.to.empty() || p.to[0] == '[' || names.count(p.mnemonic) != 0;
}

}  // namespace

bool Parts::has(const std::string& word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<Parts> parts_of(const std::string& text) {
  std::vector<Parts> out;
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);) {
    size_t at = one.find_first_not_of(' ');
    if (at == std::string::npos) continue;
    if (one[at] == '@') at = one.find_first_not_of(' ', one.find(' ', at));
    const size_t end = at == std::string::npos ? at : one.find(' ', at);
    if (end == std::string::npos) continue;
    Parts p;
    std::istringstream words(one.substr(at, end - at));
    std::getline(words, p.mnemonic, '.');
    for (std::string word; std::getline(words, word, '.');) p.words.push_back(word);
    const size_t begin = one.find_first_not_of(' ', end);
    if (begin == std::string::npos) continue;
    const size_t stop = one.find(one[begin] == '{' ? '}' : one[begin] == '[' ? ']' : ',', begin);
    p.to = one.substr(begin, stop == std::string::npos ? stop : stop - begin);
    if (stop != std::string::npos) p.from = one.substr(stop + 1);
    out.push_back(std::move(p));
  }
  return out;
}

bool Traits::has(const std::string& name, uint8_t trait) const {
  const auto known = of_.find(name);
  return known != of_.end() && (known->second & trait) != 0;
}

bool Traits::any_constant(const std::string& operands) const {
  const std::vector<std::string> all = operands_of(operands);
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& one) { return is_immediate(one) || constant(one); });
}

bool Traits::gives_constant(const Parts& p) const {
  // Loads are of memory that anybody may change; but a function may be expanded where it is called, and the
  // block's size may be stated.
  if (p.mnemonic == "ld") return p.from.find("[retval0") != std::string::npos;
  if (p.mnemonic == "atom") return false;
  const std::vector<std::string> from = operands_of(p.from);
  bool all = true, twice = false;
  for (const std::string& one : from) {
    const bool special = one.starts_with("%ntid") || one.ends_with(".y") || one.ends_with(".z");
    all =
        all && (is_immediate(one) || constant(one) || constant(one.substr(one[0] == '!' ? 1 : 0)) || special);
    twice = twice || std::count(from.begin(), from.end(), one) > 1;
  }
  return all || (absorbing().count(p.mnemonic) != 0 && (twice || any_constant(p.from)));
}

uint8_t Traits::result_of(const Parts& p) const {
  static const Names floats = {"f16", "bf16", "tf32", "f32", "f64"};
  static const Names narrow = {"b8", "u8", "s8", "b16", "u16", "s16"};
  const std::string type = first_type(p);
  uint8_t traits = 0;
  if (gives_constant(p)) traits |= kConstant;
  if (floats.count(type) != 0) traits |= kFloat;
  if (p.mnemonic == "ld" && narrow.count(type) != 0) traits |= kNarrow;
  return traits;
}

void Traits::note(const std::string& text) {
  for (const Parts& p : parts_of(text)) {
    // Behind a comparison with a constant ptxas may know the value, where it branches on it.
    if ((p.mnemonic == "setp" || p.mnemonic == "set") && any_constant(p.from))
      for (const std::string& one : operands_of(p.from)) of_[one] |= kConstant;
    if (makes_nothing(p)) continue;
    const uint8_t traits = result_of(p);
    for (const std::string& name : names_in(p.to)) of_[name] = traits;
  }
}

}  // namespace gpuloom::fuzz
