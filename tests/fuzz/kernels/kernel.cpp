// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/kernels/kernel.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <sstream>

#include "tests/fuzz/kernels/random.h"

namespace gpuloom::fuzz {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

// PTX's types of the registers that the generator uses, by the letters of their names.
const std::map<std::string, std::string>& register_types() {
  static const std::map<std::string, std::string> types = {
      {"%p", ".pred"}, {"%rs", ".b16"},    {"%r", ".b32"},      {"%rd", ".b64"},   {"%f", ".f32"},
      {"%fd", ".f64"}, {"%h", ".f16"},     {"%w", ".u16"},      {"%hh", ".f16x2"}, {"%u", ".u32"},
      {"%s", ".s32"},  {"%x", ".s64"},     {"%q", ".b128"},     {"%pt", ".b64"},   {"%tx", ".b32"},
      {"%ms", ".b32"}, {"%v", ".v4 .f32"}, {"%vv", ".v2 .b32"}, {"%pr", ".pred"}};
  return types;
}

void put(const std::vector<Statement>& list, std::string& text) {
  for (const Statement& s : list) {
    if (!s.text.empty()) text += "  " + s.text + "\n";
    put(s.parts, text);
  }
}

std::string type_of(const std::string& letters, bool bits_only) {
  if (bits_only && letters == "%f") return ".b32";
  if (bits_only && letters == "%fd") return ".b64";
  return register_types().at(letters);
}

// Declarations of the registers that `body` names.
std::string declarations(const std::string& body, bool bits_only) {
  std::map<std::string, unsigned> counts;
  for (const std::string& name : names_in(body)) {
    if (name[0] != '%') continue;
    const std::string letters = class_of(name);
    if (register_types().count(letters) == 0 || letters.size() == name.size()) continue;
    const auto number = static_cast<unsigned>(std::atoi(name.c_str() + letters.size()));
    counts[letters] = std::max(counts[letters], number + 1);
  }
  std::string text;
  for (const auto& [letters, count] : counts)
    text += "  .reg " + type_of(letters, bits_only) + " " + letters + "<" + std::to_string(count) + ">;\n";
  return text;
}

std::string with_name(std::string text, const std::string& name) {
  for (size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + name.size()))
    text.replace(at, 1, name);
  return text;
}

}  // namespace

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const bool opens = text[at] == '%' || is_name(text[at]);
    size_t end = at + 1;
    while (opens && end < text.size() && is_name(text[end])) ++end;
    if (opens) out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

bool names(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || (!is_name(text[at - 1]) && text[at - 1] != '%');
    const size_t end = at + name.size();
    if (begins && (end == text.size() || !is_name(text[end]))) return true;
  }
  return false;
}

std::string renamed(const std::string& text, const std::string& from, const std::string& to) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const bool opens = text[at] == '%' || is_name(text[at]);
    size_t end = at + 1;
    while (opens && end < text.size() && is_name(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    out += word == from ? to : word;
    at = end;
  }
  return out;
}

std::string class_of(const std::string& name) {
  size_t end = 1;
  while (end < name.size() && std::isalpha(static_cast<unsigned char>(name[end])) != 0) ++end;
  return name.substr(0, end);
}

std::string module_head() { return ".version 9.0\n.target sm_90a\n.address_size 64\n"; }

std::string render(const RandomKernel& kernel) {
  std::string body, text;
  put(kernel.body, body);
  for (const Statement& s : kernel.module) {
    std::string inside;
    put(s.parts, inside);
    text += s.text + "\n";
    if (!inside.empty()) text += "{\n" + declarations(inside, kernel.bits_only) + inside + "}\n";
  }
  text += ".visible .entry $(" + kernel.parameters + ")" + kernel.directives + "\n{\n" +
          declarations(body, kernel.bits_only);
  put(kernel.variables, text);
  return with_name(text + body + "}\n", kernel.name);
}

std::string render_module(const RandomKernel& kernel) {
  return kernel.text.empty() ? module_head() + render(kernel) : kernel.text;
}

std::string launch_line(const RandomKernel& k) {
  std::ostringstream out;
  out << "// launch " << k.name << " grid " << k.grid.x << " block " << k.block.x << " " << k.block.y
      << " shared " << k.dynamic_shared << " input " << k.input_offset << " arguments ";
  for (const uint8_t byte : k.arguments)
    out << "0123456789abcdef"[byte >> 4] << "0123456789abcdef"[byte & 15];
  return out.str() + "\n";
}

RandomKernel read_kernel(const std::string& text) {
  RandomKernel k;
  k.text = text;
  std::istringstream in(text.substr(text.find("// launch ")));
  std::string word, arguments;
  in >> word >> word >> k.name >> word >> k.grid.x >> word >> k.block.x >> k.block.y >> word >>
      k.dynamic_shared >> word >> k.input_offset >> word >> arguments;
  for (size_t at = 0; at + 1 < arguments.size(); at += 2)
    k.arguments.push_back(static_cast<uint8_t>(std::stoi(arguments.substr(at, 2), nullptr, 16)));
  return k;
}

namespace {

// Sixteen bytes of one kind of value, so that every type finds values that mean something to it.
void fill(Random& rng, uint8_t* at) {
  static const uint32_t words[] = {0,          1,          2,          3,          31,         32,
                                   0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000,
                                   0xff800000, 0x7fc00000, 0x7f800001, 0x00800000, 0x00000001, 0x807fffff,
                                   0x7f7fffff, 0x4b800000, 0x3f7fffff, 0x3c003c00, 0x7bff0001, 0x7c00fc00,
                                   0x3f80bf80, 0x00ff00ff, 0xffff0000, 0x7fff8000};
  static const uint64_t longs[] = {0x3ff0000000000000, 0xbff8000000000000, 0x7ff0000000000000,
                                   0x7ff8000000000000, 0x0010000000000000, 0x0000000000000001,
                                   0x7fefffffffffffff, 0x8000000000000000, 0x7fffffffffffffff,
                                   0xffffffffffffffff, 0x00000000ffffffff, 0x4340000000000001};
  const uint32_t kind = rng.below(7);
  for (unsigned k = 0; k < 4; ++k) {
    uint32_t w = static_cast<uint32_t>(rng.next());
    if (kind == 1) w = words[rng.below(std::size(words))];
    if (kind == 2) w = (w & 0x807fffffu) | ((127u - 8 + rng.below(16)) << 23);  // f32 near one
    if (kind == 3) w = static_cast<uint32_t>(rng.range(-40, 40));
    if (kind == 4)
      w = (w & 0x83ff83ffu) | ((11u + rng.below(8)) << 26) | ((11u + rng.below(8)) << 10);  // f16
    std::memcpy(at + 4 * k, &w, 4);
  }
  for (unsigned k = 0; k < 2 && kind >= 5; ++k) {
    uint64_t d = rng.next();
    if (kind == 5) d = (d & 0x800fffffffffffffull) | (uint64_t{1023 - 8 + rng.below(16)} << 52);
    if (kind == 6) d = longs[rng.below(std::size(longs))];
    std::memcpy(at + 8 * k, &d, 8);
  }
}

std::vector<uint8_t> pattern(uint64_t seed, uint32_t bytes) {
  Random rng(seed);
  std::vector<uint8_t> out(bytes);
  for (uint32_t at = 0; at + 16 <= bytes; at += 16) fill(rng, out.data() + at);
  return out;
}

}  // namespace

std::vector<uint8_t> input_bytes() { return pattern(77, kInputBytes); }

std::vector<uint8_t> output_bytes() {
  std::vector<uint8_t> out = pattern(78, kOutputBytes);
  // The words that all threads share begin at zero: what is added to them stays exact.
  std::fill(out.end() - kSharedWords * 8, out.end(), uint8_t{0});
  return out;
}

}  // namespace gpuloom::fuzz
