// SPDX-License-Identifier: Apache-2.0
#include "base/config/yaml_writer.h"

#include <algorithm>

#include "base/text.h"

namespace gpuloom {
namespace {

// A scalar as YAML that reads back as the same scalar.
std::string scalar_text(const ConfigNode& node) {
  if (node.kind == ConfigNode::Kind::kNull) return "~";
  const bool plain =
      !node.scalar.empty() && !node.quoted && node.scalar.find_first_of("\n\t\"'") == std::string::npos;
  if (plain) return node.scalar;
  std::string text = "\"";
  for (const char c : node.scalar) {
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text + "\"";
}

}  // namespace

bool yaml_has_map(const ConfigNode& node) {
  return node.is_map() || std::any_of(node.children.begin(), node.children.end(), yaml_has_map);
}

// A scalar, or a list without maps on one line.
std::string yaml_inline(const ConfigNode& node) {
  if (node.is_map()) return "{}";  // only empty ones come here
  if (!node.is_list()) return scalar_text(node);
  std::vector<std::string> items;
  for (const auto& child : node.children) items.push_back(yaml_inline(child));
  return "[" + join(items, ", ") + "]";
}

namespace {

void list_lines(const ConfigNode& node, size_t indent, std::vector<YamlLine>& lines);

void map_lines(const ConfigNode& node, size_t indent, std::vector<YamlLine>& lines) {
  for (const auto& child : node.children) {
    const std::string start = std::string(indent, ' ') + child.key + ":";
    if (!yaml_has_map(child)) {
      lines.push_back({start + " " + yaml_inline(child), child.where.str()});
    } else if (child.children.empty()) {
      lines.push_back({start + " {}", child.where.str()});
    } else {
      lines.push_back({start, ""});
      if (child.is_map()) {
        map_lines(child, indent + 2, lines);
      } else {
        list_lines(child, indent + 2, lines);
      }
    }
  }
}

// A list with maps in it: one element after another, the first line of each behind a dash.
void list_lines(const ConfigNode& node, size_t indent, std::vector<YamlLine>& lines) {
  for (const auto& child : node.children) {
    const size_t first = lines.size();
    if (child.is_map()) {
      map_lines(child, indent + 2, lines);
    } else {
      lines.push_back({std::string(indent + 2, ' ') + yaml_inline(child), child.where.str()});
    }
    if (first < lines.size()) lines[first].text[indent] = '-';
  }
}

}  // namespace

std::vector<YamlLine> yaml_lines(const ConfigNode& tree) {
  std::vector<YamlLine> lines;
  map_lines(tree, 0, lines);
  return lines;
}

std::string yaml_text(const ConfigNode& tree) {
  std::string text;
  for (const YamlLine& line : yaml_lines(tree)) text += line.text + "\n";
  return text;
}

}  // namespace gpuloom
