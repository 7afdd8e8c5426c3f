// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/argument_text.h"

#include <algorithm>
#include <cctype>

#include "base/config/units.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/memory/array_file.h"
#include "sim/memory/element_type.h"

namespace gpuloom::cli {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

// "f32", "unsigned int"
bool is_type(const std::string& text) {
  sim::ElementType ignored{};
  return sim::element_type_named(text, ignored);
}

[[noreturn]] void no_buffer(const std::string& text) {
  throw Error(ErrorKind::kUsage, "--arg '" + text + "' is not a buffer", {},
              "f32[1024]=uniform:7 ('=uniform' and ':7', the seed, are optional); f32[3]=1,2,3; or "
              "@file.npy");
}

// Before and after the first `mark` that stands outside of brackets and braces.
bool cut(const std::string& text, char mark, std::string& before, std::string& after) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ']' || text[i] == '}') --depth;
    if (text[i] != mark || depth != 0) continue;
    before = trim(std::string_view(text).substr(0, i));
    after = trim(std::string_view(text).substr(i + 1));
    return true;
  }
  return false;
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::string rest = text, part, more;
  while (cut(rest, ',', part, more)) {
    parts.push_back(part);
    rest = more;
  }
  if (!trim(rest).empty()) parts.emplace_back(trim(rest));
  return parts;
}

bool begins_number(const std::string& text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-' ||
                           text[0] == '+' || text[0] == '.');
}

ConfigNode list_of(const std::vector<std::string>& words) {
  ConfigNode list = node_of(ConfigNode::Kind::kList);
  for (const std::string& word : words) list.children.push_back(text_node(word));
  return list;
}

// What follows "f32[1024]=": "@file", "1,2,3", "uniform" or "uniform:7".
void put_contents(ConfigNode& buffer, const std::string& contents, const std::string& whole) {
  if (contents.starts_with("@")) {
    ConfigNode file = node_of(ConfigNode::Kind::kMap);
    put(file, "file", text_node(contents.substr(1)));
    return put(buffer, "init", std::move(file));
  }
  if (begins_number(contents)) return put(buffer, "values", list_of(parts_of(contents)));
  const size_t colon = contents.find(':');
  const std::string fill = contents.substr(0, colon);
  if (!is_word(fill)) no_buffer(whole);
  put(buffer, "init", text_node(fill));
  put(buffer, "seed", text_node(colon == std::string::npos ? "1" : contents.substr(colon + 1)));
}

// "f32[1024]=uniform:7", "f32[32,32]", "@a.npy"
ConfigNode buffer_of(const std::string& text, const std::string& otherwise) {
  ConfigNode buffer = node_of(ConfigNode::Kind::kMap);
  if (text.starts_with("@")) {
    if (!sim::is_array_file(text))
      throw Error(ErrorKind::kUsage, "'" + text.substr(1) + "' is not a .npy, .npz or .safetensors file", {},
                  "raw bytes need a type and a count, as in f32[1024]=" + text);
    put_contents(buffer, text, text);
    return buffer;
  }
  const size_t open = text.find('['), close = text.find(']', open);
  const bool filled = close != std::string::npos && close + 1 < text.size();
  if (close == std::string::npos || (filled && text[close + 1] != '=')) no_buffer(text);
  const std::string extents = text.substr(open + 1, close - open - 1);
  put(buffer, "type", text_node(std::string(trim(text.substr(0, open)))));
  if (extents.find_first_of(",x") == std::string::npos) {
    put(buffer, "count", text_node(extents));
  } else {
    std::vector<std::string> shape;
    for (const uint32_t n : extents_of(extents, "--arg")) shape.push_back(std::to_string(n));
    put(buffer, "shape", list_of(shape));
  }
  const std::string contents = filled ? text.substr(close + 2) : otherwise;
  if (!contents.empty()) put_contents(buffer, contents, text);
  return buffer;
}

bool is_buffer(const std::string& text) {
  if (text.starts_with("@")) return true;
  const size_t open = text.find('['), equals = text.find('=');
  return open != std::string::npos && open < equals;
}

ConfigNode new_buffer(const std::string& text, const std::string& given, ConfigNode& buffers) {
  const std::string name = given.empty() ? "arg" + std::to_string(buffers.children.size()) : given;
  ConfigNode buffer = buffer_of(text, "zero");
  put(buffer, "output", text_node("true"));
  put(buffers, name, std::move(buffer));
  return text_node(name);
}

ConfigNode structure_of(const std::string& text, ConfigNode& buffers) {
  if (!text.ends_with("}"))
    throw Error(ErrorKind::kUsage, "--arg '" + text + "': the closing brace is missing");
  ConfigNode fields = node_of(ConfigNode::Kind::kList);
  for (const std::string& part : parts_of(text.substr(1, text.size() - 2)))
    fields.children.push_back(argument_node(part, buffers));
  ConfigNode structure = node_of(ConfigNode::Kind::kMap);
  put(structure, "struct", std::move(fields));
  return structure;
}

}  // namespace

ConfigNode node_of(ConfigNode::Kind kind) {
  ConfigNode node;
  node.kind = kind;
  node.where = node.key_where = {"command line", 0, 0};
  return node;
}

ConfigNode text_node(const std::string& text) {
  ConfigNode node = node_of(ConfigNode::Kind::kScalar);
  node.scalar = text;
  return node;
}

void put(ConfigNode& map, const std::string& key, ConfigNode value) {
  value.key = key;
  map.children.push_back(std::move(value));
}

void put_instead(ConfigNode& map, const std::string& key, ConfigNode value) {
  std::erase_if(map.children, [&](const ConfigNode& child) { return child.key == key; });
  put(map, key, std::move(value));
}

std::vector<uint32_t> extents_of(const std::string& text, const char* option) {
  std::string even = text;
  std::replace(even.begin(), even.end(), 'x', ',');
  std::vector<uint32_t> list;
  for (const std::string& word : split(even, ',')) {
    const std::string_view digits = trim(word);
    if (digits.empty() || digits.size() > 10 || digits.find_first_not_of("0123456789") != std::string::npos ||
        std::stoull(std::string(digits)) > UINT32_MAX)
      throw Error(ErrorKind::kUsage, std::string(option) + ": '" + text + "' is not a size", {},
                  "256, 16,16 or 16x16x4");
    list.push_back(static_cast<uint32_t>(std::stoul(std::string(digits))));
  }
  return list;
}

uint64_t size_option(const char* option, const std::string& text, uint64_t most) {
  int64_t plain = 0;
  if (parse_integer(text, plain) && plain >= 0 && static_cast<uint64_t>(plain) <= most)
    return static_cast<uint64_t>(plain);
  const Quantity q = parse_quantity(text, kSizeUnits);
  if (q.status == Quantity::Status::kOk && q.value >= 0 && q.value <= static_cast<double>(most))
    return static_cast<uint64_t>(q.value);
  throw Error(ErrorKind::kUsage, std::string(option) + ": '" + text + "' is not a size of memory", {},
              "4096, or 4KiB");
}

ConfigNode argument_node(const std::string& whole, ConfigNode& buffers) {
  const std::string text(trim(whole));
  if (text.empty()) throw Error(ErrorKind::kUsage, "--arg is empty", {}, "5, u32=5, f32[1024]");
  if (text.starts_with("{")) return structure_of(text, buffers);
  if (is_buffer(text)) return new_buffer(text, "", buffers);
  std::string before, after;
  if (!cut(text, '=', before, after)) return text_node(text);
  if (is_word(before) && !is_type(before) && is_buffer(after)) return new_buffer(after, before, buffers);
  ConfigNode value = node_of(ConfigNode::Kind::kMap);
  if (before == "bytes") {
    put(value, "bytes", text_node(after));
  } else if (is_type(before) && after.find(',') != std::string::npos) {
    put(value, before, list_of(parts_of(after)));
  } else {
    put(value, "type", text_node(before));
    put(value, "value", text_node(after));
  }
  return value;
}

void symbol_node(const std::string& text, ConfigNode& symbols) {
  std::string name, value, type, values;
  if (!cut(text, '=', name, value) || name.empty() || value.empty())
    throw Error(ErrorKind::kUsage, "--symbol '" + text + "' has no value", {},
                "coef=f32=1,2,3, coef=f32[16]=uniform, coef=@coef.npy, or scale=2.5");
  if (is_buffer(value)) return put(symbols, name, buffer_of(value, "zero"));
  ConfigNode node = node_of(ConfigNode::Kind::kMap);
  if (cut(value, '=', type, values)) put(node, "type", text_node(type));
  put(node, "values", list_of(parts_of(type.empty() ? value : values)));
  put(symbols, name, std::move(node));
}

}  // namespace gpuloom::cli
