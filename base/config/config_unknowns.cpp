// SPDX-License-Identifier: Apache-2.0
#include "base/config/config_unknowns.h"

#include <map>
#include <string_view>

#include "base/config/config_comments.h"
#include "base/config/yaml_writer.h"

namespace gpuloom {
namespace {

// "9.0" and "10.0": the first is the older.
bool older(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Whether a comment marks what it explains: "estimated:", "estimated beyond 9.0:" where the capability is
// another, "estimated above 9.0:" where it is later, "estimated from 9.0:" where it is that one or later, and
// "estimated below 9.0:" where it is earlier. `mark` is the word that begins it.
bool says_estimated(std::string_view comment, std::string_view mark, const std::string& capability) {
  for (size_t at = comment.find(mark); at != std::string_view::npos; at = comment.find(mark, at + 1)) {
    std::string_view rest = comment.substr(at + mark.size());
    if (rest.starts_with(":")) return true;
    const auto names = [&](std::string_view word) {
      if (!rest.starts_with(word)) return std::string_view();
      rest.remove_prefix(word.size());
      return rest.substr(0, rest.find(':'));
    };
    const std::string_view beyond = names(" beyond "), above = names(" above "), from = names(" from ");
    const std::string_view below = names(" below ");
    if (!beyond.empty() && beyond != capability) return true;
    if (!above.empty() && older(above, capability)) return true;
    if (!from.empty() && !older(capability, from)) return true;
    if (!below.empty() && older(capability, below)) return true;
  }
  return false;
}

class Finder {
 public:
  ConfigUnknowns run(const ConfigNode& root) {
    root_ = &root;
    if (const ConfigNode* cc = root.find("compute_capability"); cc != nullptr) capability_ = cc->scalar;
    visit(root, "");
    return std::move(found_);
  }

 private:
  struct Reason {
    std::string comment;        // what explains the value: its own comment, or that of the nearest group
    std::string all_estimated;  // the comment of a group that says so
    bool idle = false;  // another value, which the comment or a group's names, leaves it without effect
  };

  // "of no effect where link.links is 0": whether the configuration's value of that key is the one named.
  bool idle(std::string_view comment) const {
    constexpr std::string_view kBegins = "of no effect where ", kIs = " is ";
    const size_t begin = comment.find(kBegins);
    if (begin == std::string_view::npos) return false;
    std::string_view rest = comment.substr(begin + kBegins.size());
    const size_t is = rest.find(kIs);
    if (is == std::string_view::npos) return false;
    const ConfigNode* node = root_;
    for (std::string_view key = rest.substr(0, is); node != nullptr && !key.empty();) {
      const size_t dot = key.find('.');
      node = node->find(key.substr(0, dot));
      key.remove_prefix(dot == std::string_view::npos ? key.size() : dot + 1);
    }
    rest.remove_prefix(is + kIs.size());
    return node != nullptr && node->scalar == rest.substr(0, rest.find_first_of(" ,;:."));
  }

  Reason reason(FilePosition at) {
    Reason found{comments_.of(at), {}, false};
    found.idle = idle(found.comment);
    while ((at.line = comments_.group(at)) != 0) {
      const std::string above = comments_.of(at);
      if (found.all_estimated.empty() && says_estimated(above, "all estimated", capability_))
        found.all_estimated = above;
      found.idle = found.idle || idle(above);
      if (found.comment.empty()) found.comment = above;
    }
    return found;
  }

  // Values of one group that stand on one line are one entry: a row of operations.
  void visit(const ConfigNode& group, const std::string& path) {
    std::map<std::pair<std::string, uint32_t>, size_t> entries;
    for (const ConfigNode& child : group.children) {
      const std::string child_path = path.empty() ? child.key : path + "." + child.key;
      if (child.is_map()) {
        visit(child, child_path);
        continue;
      }
      const Reason why = reason(child.key_where);
      ++found_.values;
      if (why.comment.empty()) found_.silent.push_back(child_path);
      const bool own = says_estimated(why.comment, "estimated", capability_);
      if (why.idle || (!own && why.all_estimated.empty())) continue;
      ++found_.estimated_values;
      add(entries, child, path, own ? why.comment : why.comment + " (" + why.all_estimated + ")");
    }
  }

  void add(std::map<std::pair<std::string, uint32_t>, size_t>& entries, const ConfigNode& child,
           const std::string& path, const std::string& why) {
    const FilePosition& at = child.key_where;
    const std::string text = child.key + ": " + yaml_inline(child);
    const auto known = entries.find({at.file, at.line});
    if (known == entries.end()) {
      entries[{at.file, at.line}] = found_.estimated.size();
      found_.estimated.push_back(
          {path.empty() ? child.key : path + "." + child.key, yaml_inline(child), why, at});
      return;
    }
    ConfigUnknown& row = found_.estimated[known->second];
    if (row.path != path) {
      row.value = row.path.substr(path.size() + (path.empty() ? 0 : 1)) + ": " + row.value;
      row.path = path;
    }
    row.value += ", " + text;
  }

  const ConfigNode* root_ = nullptr;
  std::string capability_;
  ConfigComments comments_;
  ConfigUnknowns found_;
};

}  // namespace

ConfigUnknowns config_unknowns(const Config& config) { return Finder().run(config.tree()); }

}  // namespace gpuloom
