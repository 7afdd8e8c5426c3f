// SPDX-License-Identifier: Apache-2.0
#include "sim/base/config/config_unknowns.h"

#include <fstream>
#include <map>

#include "sim/base/config/yaml_writer.h"

namespace gpuloom {
namespace {

// Position of the `#` that begins a comment, npos without one: outside quotes, at the begin or after a blank.
size_t comment_begin(const std::string& line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return i;
    }
  }
  return std::string::npos;
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t#");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class Comments {
 public:
  // The comment that belongs to what begins on this line; "" without one.
  std::string of(const FilePosition& where) {
    const std::vector<std::string>& lines = file(where.file);
    const size_t at = where.line;
    if (at == 0 || at > lines.size()) return {};
    const std::string& own = lines[at - 1];
    if (const size_t begin = comment_begin(own); begin != std::string::npos)
      return trimmed(own.substr(begin));
    std::string above;
    for (size_t k = at - 1; k > 0; --k) {
      const size_t first = lines[k - 1].find_first_not_of(" \t");
      if (first == std::string::npos || lines[k - 1][first] != '#') break;
      above = trimmed(lines[k - 1]) + (above.empty() ? "" : " " + above);
    }
    return above;
  }

 private:
  const std::vector<std::string>& file(const std::string& name) {
    const auto known = files_.find(name);
    if (known != files_.end()) return known->second;
    std::vector<std::string>& lines = files_[name];
    std::ifstream in(name);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  std::map<std::string, std::vector<std::string>> files_;
};

class Finder {
 public:
  ConfigUnknowns run(const ConfigNode& root) {
    visit(root, "", {}, {});
    return std::move(found_);
  }

 private:
  // Values of one group that stand on one line are one entry: a row of operations.
  void visit(const ConfigNode& group, const std::string& path, const std::string& inherited,
             const FilePosition& inherited_from) {
    std::map<std::pair<std::string, uint32_t>, size_t> entries;
    for (const ConfigNode& child : group.children) {
      const FilePosition& at = child.key_where;
      const std::string child_path = path.empty() ? child.key : path + "." + child.key;
      std::string comment = comments_.of(at);
      FilePosition from = at;
      if (comment.empty() && at.file == inherited_from.file) {
        comment = inherited;
        from = inherited_from;
      }
      if (child.is_map()) {
        visit(child, child_path, comment, from);
        continue;
      }
      ++found_.values;
      if (comment.find("estimated") == std::string::npos && comment.find("guess") == std::string::npos)
        continue;
      ++found_.estimated_values;
      const std::string text = child.key + ": " + yaml_inline(child);
      const auto known = entries.find({at.file, at.line});
      if (known != entries.end()) {
        ConfigUnknown& row = found_.estimated[known->second];
        if (row.path != path) {
          row.value = row.path.substr(path.size() + (path.empty() ? 0 : 1)) + ": " + row.value;
          row.path = path;
        }
        row.value += ", " + text;
        continue;
      }
      entries[{at.file, at.line}] = found_.estimated.size();
      found_.estimated.push_back({child_path, yaml_inline(child), comment, at});
    }
  }

  Comments comments_;
  ConfigUnknowns found_;
};

}  // namespace

ConfigUnknowns config_unknowns(const Config& config) { return Finder().run(config.tree()); }

}  // namespace gpuloom
