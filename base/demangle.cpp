// SPDX-License-Identifier: Apache-2.0
#include "base/demangle.h"

#include <cxxabi.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <regex>

#include "base/error.h"

namespace gpuloom {
namespace {

constexpr std::string_view kRegex = "regex:";

// Whether a bracket stands there. Template arguments may hold operators: "value>=(32)", "(a)<<(b)", "p->q". A
// ">" of its own stands in parentheses, and two closing ones have a blank between them.
bool is_operator(std::string_view text, size_t at) {
  const char before = at > 0 ? text[at - 1] : ' ', after = at + 1 < text.size() ? text[at + 1] : ' ';
  return after == '=' || before == text[at] || after == text[at] || (text[at] == '>' && before == '-');
}
bool opens(std::string_view text, size_t at) {
  const char c = text[at];
  return c == '(' || c == '{' || c == '[' || (c == '<' && !is_operator(text, at));
}
bool closes(std::string_view text, size_t at) {
  const char c = text[at];
  return c == ')' || c == '}' || c == ']' || (c == '>' && !is_operator(text, at));
}

// Where the parameters of "void ns::f<int>(int)" begin: the last top-level list. npos where there is none.
size_t parameter_list(const std::string& text) {
  if (text.empty() || text.back() != ')') return std::string::npos;
  int depth = 0;
  for (size_t at = text.size(); at-- > 0;) {
    if (closes(text, at)) ++depth;
    if (opens(text, at) && --depth == 0) return at;
  }
  return 0;
}

// Of "void ns::f<int>(int)": "ns::f<int>". What stands before the last top-level blank is the return type,
// which only templates have.
std::string without_types(const std::string& text) {
  const size_t end = parameter_list(text);
  if (end == std::string::npos) return text;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < end; ++i) {
    if (opens(text, i)) ++depth;
    if (closes(text, i)) --depth;
    if (text[i] == ' ' && depth == 0) begin = i + 1;
  }
  return text.substr(begin, end - begin);
}

// Of "ns::f<int>": "ns::f".
std::string without_arguments(const std::string& name) {
  int depth = 0;
  if (name.empty() || name.back() != '>') return name;
  for (size_t i = name.size(); i-- > 0;) {
    if (closes(name, i)) ++depth;
    if (opens(name, i) && --depth == 0) return name.substr(0, i);
  }
  return name;
}

std::string without_scopes(const std::string& name) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    if (opens(name, i)) ++depth;
    if (closes(name, i)) --depth;
    if (depth == 0 && name[i] == ':' && name[i + 1] == ':') begin = i + 2;
  }
  return name.substr(begin);
}

// With -rdc=true nvcc puts "__nv_static_<length>_", that many characters of file and hash, and "_" before the
// name of what is static. 0: `name` has no such prefix.
size_t length_of_file_prefix(std::string_view name) {
  constexpr std::string_view kStatic = "__nv_static_";
  if (!name.starts_with(kStatic)) return 0;
  size_t length = 0;
  const char* begin = name.data() + kStatic.size();
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), length);
  const size_t prefix = kStatic.size() + static_cast<size_t>(end - begin) + 1 + length + 1;
  return error == std::errc() && length < name.size() && prefix < name.size() ? prefix : 0;
}

std::vector<size_t> fitting(std::string_view expression, const std::vector<std::string>& names) {
  std::vector<size_t> found;
  try {
    const std::regex regex{std::string(expression)};
    for (size_t i = 0; i < names.size(); ++i)
      if (std::regex_search(names[i], regex) || std::regex_search(demangled(names[i]), regex))
        found.push_back(i);
  } catch (const std::regex_error& e) {
    throw Error(ErrorKind::kUsage,
                "'" + std::string(expression) + "' is not a regular expression: " + e.what());
  }
  return found;
}

}  // namespace

std::string demangled(const std::string& name) {
  if (const size_t own = length_of_file_prefix(name); own != 0) {
    const std::string rest = name.substr(own), text = demangled(rest);
    return text == rest ? name : text;
  }
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

std::vector<std::string> parameter_types(const std::string& name) {
  const std::string whole = demangled(name);
  const size_t open = whole == name ? std::string::npos : parameter_list(whole);
  std::vector<std::string> types;
  if (open == std::string::npos || open + 2 == whole.size()) return types;
  int depth = 0;
  types.emplace_back();
  for (size_t i = open + 1; i + 1 < whole.size(); ++i) {
    const char c = whole[i];
    if (opens(whole, i)) ++depth;
    if (closes(whole, i)) --depth;
    if (c == ',' && depth == 0) {
      types.emplace_back();
    } else if (c != ' ' || !types.back().empty()) {
      types.back() += c;
    }
  }
  return types;
}

std::string short_name(const std::string& name) {
  const std::string whole = demangled(name);
  return whole == name ? name : without_types(whole);
}

std::vector<size_t> names_meant(std::string_view pattern, const std::vector<std::string>& names) {
  if (pattern.starts_with(kRegex)) return fitting(pattern.substr(kRegex.size()), names);
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == pattern) return {i};
  std::array<std::vector<size_t>, 5> found;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string whole = demangled(names[i]), name = short_name(names[i]);
    const std::string plain = without_arguments(name);
    const std::string ways[] = {whole, name, without_scopes(name), plain, without_scopes(plain)};
    for (size_t way = 0; way < found.size(); ++way)
      if (ways[way] == pattern) found[way].push_back(i);
  }
  for (std::vector<size_t>& way : found)
    if (!way.empty()) return way;
  return {};
}

std::string listed_name(const std::string& name) {
  const std::string whole = demangled(name);
  return whole == name ? name : whole + "  [" + name + "]";
}

}  // namespace gpuloom
