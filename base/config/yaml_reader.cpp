// SPDX-License-Identifier: Apache-2.0
// The only file that includes yaml-cpp. It listens to the parser's events instead of using YAML::Node,
// because Node keeps one of two equal keys in silence and does not tell where a key stands.
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "base/config/config_node.h"

namespace gpuloom {
namespace {

constexpr uint32_t kMaxDepth = 64;  // nesting that no configuration needs
constexpr size_t kMaxNodes =
    200'000;  // nodes after aliases are copied, so that a chain of aliases cannot grow without bound

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  ConfigNode take(std::vector<ConfigProblem>& problems) {
    for (auto& problem : problems_) problems.push_back(std::move(problem));
    return std::move(root_);
  }
  bool has_document() const { return documents_ != 0; }
  bool has_second_document() const { return documents_ > 1; }
  FilePosition position(const YAML::Mark& mark) const {  // yaml-cpp counts from 0
    if (mark.is_null()) return {file_, 0, 0};
    return {file_, static_cast<uint32_t>(mark.line + 1), static_cast<uint32_t>(mark.column + 1)};
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 2) {
      // Where yaml-cpp cannot go on it announces one empty document after another at the same place.
      const bool stuck = !mark.is_null() && mark.pos == first_document_pos_;
      complain(position(mark), stuck ? "not YAML: nothing can begin with this character"
                                     : "a configuration is one YAML document, and here a second begins");
    }
    if (documents_ == 1) first_document_pos_ = mark.pos;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    count_event(mark);
    ConfigNode node;
    node.where = position(mark);
    add_leaf(std::move(node), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    ConfigNode node;
    node.where = position(mark);
    node.kind = ConfigNode::Kind::kScalar;
    node.scalar = value;
    node.quoted = tag == "!";  // plain scalars carry "?"
    check_tag(node.where, tag);
    if (node.quoted) check_closed(mark);
    // yaml-cpp announces a key without a value as a null, and the words of YAML's null as text.
    if (!node.quoted && (value == "~" || value == "null")) node.kind = ConfigNode::Kind::kNull;
    add_leaf(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    ConfigNode node;
    if (known == anchors_.end()) {
      complain(position(mark), "an alias is inside the value that it names");
    } else {
      node = known->second;
      copied_nodes_ += count(node);
      if (copied_nodes_ > kMaxNodes) {
        if (!too_many_) complain(position(mark), "aliases make this file longer than 200,000 values");
        too_many_ = true;
        node = ConfigNode{};
      }
    }
    node.where = position(mark);
    add_leaf(std::move(node), 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, ConfigNode::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, ConfigNode::Kind::kMap);
  }
  void OnMapEnd() override { close(); }

 private:
  // A map or list that is being filled; a map alternates between expecting a key and expecting its value.
  struct Open {
    ConfigNode node;
    YAML::anchor_t anchor;
    bool value_next = false;
    bool drop_value = false;  // its key was wrong, and that has been said
    std::string key;
    FilePosition key_where;
  };

  // yaml-cpp 0.7 announces empty values for ever on some malformed flow lists (found by fuzzing). A value
  // needs at least half a character (`,` gives a key and its value), so a text cannot have more than this.
  void count_event(const YAML::Mark& mark) {
    if (++empty_values_ > 4 * text_.size() + 64)
      throw YAML::ParserException(mark, "a list or map that is not closed");
  }
  static size_t count(const ConfigNode& node) {
    size_t n = 1;
    for (const auto& child : node.children) n += count(child);
    return n;
  }
  void complain(FilePosition where, std::string message, std::string hint = {}) {
    problems_.push_back({std::move(where), std::move(message), std::move(hint)});
  }
  // yaml-cpp takes a quoted scalar that the end of the file cuts off, and everything up to there with it.
  void check_closed(const YAML::Mark& mark) {
    const size_t begin = static_cast<size_t>(mark.pos);
    if (mark.is_null() || begin >= text_.size()) return;
    const char quote = text_[begin];
    if (quote != '"' && quote != '\'') return;  // behind an anchor, where the mark is
    for (size_t i = begin + 1; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        if (quote == '"' || i + 1 >= text_.size() || text_[i + 1] != quote) return;
        ++i;  // '' is a quote inside
      }
    }
    complain(position(mark), "the quotes that begin here are not closed");
  }
  void check_tag(const FilePosition& where, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      complain(where, "the YAML tag '" + tag + "' means nothing here");
  }
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, ConfigNode::Kind kind) {
    if (stack_.size() >= kMaxDepth) {
      throw Error(ErrorKind::kInput, "nested deeper than 64 levels", position(mark));
    }
    Open entry;
    entry.node.kind = kind;
    entry.node.where = position(mark);
    entry.anchor = anchor;
    check_tag(entry.node.where, tag);
    stack_.push_back(std::move(entry));
  }
  void close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    add_leaf(std::move(done.node), done.anchor);
  }
  void add_leaf(ConfigNode node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    if (stack_.empty()) {
      if (documents_ <= 1) root_ = std::move(node);
      return;
    }
    Open& parent = stack_.back();
    if (parent.node.is_list()) {
      node.key_where = node.where;
      parent.node.children.push_back(std::move(node));
    } else if (!parent.value_next) {
      take_key(parent, node);
    } else {
      parent.value_next = false;
      if (parent.drop_value) return;
      // The place of a value that is not there is where the parser found that out: some line below.
      if (node.kind == ConfigNode::Kind::kNull) node.where = parent.key_where;
      node.key = std::move(parent.key);
      node.key_where = parent.key_where;
      parent.node.children.push_back(std::move(node));
    }
  }
  void take_key(Open& map, const ConfigNode& key) {
    map.value_next = true;
    map.drop_value = true;
    if (!key.is_scalar() || key.scalar.empty())
      return complain(key.where, "expected a key, got " + key.describe());
    if (key.scalar == "<<" && !key.quoted) {
      return complain(key.where, "merge keys ('<<') are not supported",
                      "use 'extends:', or repeat the values");
    }
    if (key.scalar.find('.') != std::string::npos) {
      return complain(key.where,
                      "the key '" + key.scalar + "' holds a point, which separates the keys of a path");
    }
    if (const ConfigNode* first = map.node.find(key.scalar)) {
      return complain(key.where, "duplicate key '" + key.scalar + "'",
                      "first set at " + first->key_where.str());
    }
    map.drop_value = false;
    map.key = key.scalar;
    map.key_where = key.where;
  }

  std::string_view text_;
  std::string file_;
  ConfigNode root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, ConfigNode> anchors_;
  std::vector<ConfigProblem> problems_;
  size_t copied_nodes_ = 0, empty_values_ = 0;
  bool too_many_ = false;
  int documents_ = 0;
  int first_document_pos_ = -1;
};

}  // namespace

namespace {

// The library names what it met, not what the person did.
std::string yaml_hint(std::string_view text, const YAML::Exception& e) {
  size_t begin = 0;
  for (int line = 0; !e.mark.is_null() && line <= e.mark.line && begin < text.size(); ++line) {
    const size_t first = text.find_first_not_of(' ', begin);
    if (first != std::string_view::npos && text[first] == '\t')
      return "line " + std::to_string(line + 1) + " begins with a tab; YAML must be indented with spaces";
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  }
  if (e.msg.starts_with("end of map flow")) return "a { before this place has no closing }";
  if (e.msg.starts_with("end of sequence flow")) return "a [ before this place has no closing ]";
  return "";
}

}  // namespace

ConfigNode parse_yaml(std::string_view text, const std::string& file) {
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(text, file);
  std::vector<ConfigProblem> problems;
  try {
    YAML::Parser parser(stream);
    while (!builder.has_second_document() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    ConfigNode partial = builder.take(problems);
    problems.push_back({builder.position(e.mark), "not YAML: " + e.msg, yaml_hint(text, e)});
  }
  ConfigNode root = builder.take(problems);
  throw_problems(std::move(problems));
  if (root.where.file.empty()) root.where = {file, 1, 1};
  root.key_where = root.where;
  return root;
}

ConfigNode parse_yaml_file(const std::string& path, const std::string& shown_as) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || stream.bad()) throw Error(ErrorKind::kInput, "cannot read the file", {shown_as, 0, 0});
  return parse_yaml(text.str(), shown_as);
}

}  // namespace gpuloom
