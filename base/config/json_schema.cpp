// SPDX-License-Identifier: Apache-2.0
#include "base/config/json_schema.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/config/key_meanings.h"
#include "base/config/units.h"
#include "base/text.h"

namespace gpuloom {
namespace {

using Json = nlohmann::ordered_json;

// Whole numbers beyond this lose digits as JSON numbers, and no bound so large says anything.
constexpr double kSayable = 9e15;

struct Node {
  std::vector<std::pair<std::string, Node>> children;  // in the order of reading; `*`: every other
  std::vector<const KeyRead*> reads;

  Node& child(const std::string& key) {
    for (auto& [name, node] : children)
      if (name == key) return node;
    return children.emplace_back(key, Node{}).second;
  }
  const Node* find(std::string_view key) const {
    for (const auto& [name, node] : children)
      if (name == key) return &node;
    return nullptr;
  }
};

void bounds(Json& schema, const KeyRead& read) {
  if (std::isfinite(read.min) && std::abs(read.min) < kSayable) {
    if (read.kind == KeyKind::kInteger)
      schema["minimum"] = static_cast<int64_t>(read.min);
    else
      schema["minimum"] = read.min;
  }
  if (std::isfinite(read.max) && std::abs(read.max) < kSayable) {
    if (read.kind == KeyKind::kInteger)
      schema["maximum"] = static_cast<int64_t>(read.max);
    else
      schema["maximum"] = read.max;
  }
}

Json scalar_schema(const KeyRead& read) {
  Json schema;
  switch (read.kind) {
    case KeyKind::kInteger:
      schema["type"] = "integer";
      bounds(schema, read);
      break;
    case KeyKind::kNumber:
      schema["type"] = "number";
      bounds(schema, read);
      break;
    case KeyKind::kBoolean:
      schema["type"] = "boolean";
      break;
    case KeyKind::kChoice: {
      schema["enum"] = read.words;
      if (read.suffix.empty()) break;
      const std::string pattern = "\\" + read.suffix + "$";  // suffixes begin with a point
      schema = Json{{"anyOf", Json::array({schema, Json{{"type", "string"}, {"pattern", pattern}}})}};
      break;
    }
    case KeyKind::kQuantity:
      schema["type"] = "string";
      schema["pattern"] =
          "^\\+?[0-9]*\\.?[0-9]+([eE][+-]?[0-9]+)? *(" + join(unit_names(*read.units), "|") + ")$";
      break;
    default:  // text: YAML may see a number in it
      schema["type"] = Json::array({"string", "number", "boolean"});
      break;
  }
  return schema;
}

class Writer {
 public:
  explicit Writer(const KeyMeanings& known) : known_(known) {}

  Json write(const Node& node, const std::string& path) const {
    std::vector<Json> ways;
    const Node* star = node.find("*");
    bool list = false, map = false;
    for (const KeyRead* read : node.reads) {
      list |= read->kind == KeyKind::kList;
      map |= read->kind == KeyKind::kMap;
      if (read->kind != KeyKind::kList && read->kind != KeyKind::kMap) ways.push_back(scalar_schema(*read));
    }
    const bool keys = std::any_of(node.children.begin(), node.children.end(),
                                  [](const auto& child) { return child.first != "*"; });
    if (list) ways.push_back(list_schema(star, path));
    if (map || keys || path.empty()) ways.push_back(map_schema(node, list ? nullptr : star, path));
    Json schema = ways.empty() ? Json::object() : ways.size() == 1 ? ways[0] : Json{{"anyOf", ways}};
    describe(schema, node, path);
    return schema;
  }

 private:
  Json list_schema(const Node* star, const std::string& path) const {
    Json schema{{"type", "array"}};
    if (star != nullptr) schema["items"] = write(*star, below(path, "*"));
    return schema;
  }

  Json map_schema(const Node& node, const Node* star, const std::string& path) const {
    Json schema{{"type", "object"}};
    bool policies = false;
    for (const auto& [key, child] : node.children) {
      if (key == "*") continue;
      schema["properties"][key] = write(child, below(path, key));
      for (const KeyRead* read : child.reads) policies |= !read->suffix.empty();
    }
    if (star != nullptr)
      schema["additionalProperties"] = write(*star, below(path, "*"));
    else if (policies)
      schema["additionalProperties"] = Json{{"type", "object"}};  // of a policy from a shared object
    else
      schema["additionalProperties"] = false;
    return schema;
  }

  void describe(Json& schema, const Node& node, const std::string& path) const {
    std::string text = known_.meaning(path);
    for (const KeyRead* read : node.reads) {
      if (read->kind == KeyKind::kMap || read->kind == KeyKind::kList || read->kind == KeyKind::kText)
        continue;
      text += (text.empty() ? "" : "; ") + read->expected +
              (read->kind == KeyKind::kQuantity ? range_of(*read) : "");
      if (!read->information.empty()) text += "; changing it has no effect: " + read->information;
    }
    if (!text.empty()) schema["description"] = text;
  }

  static std::string below(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }
  const KeyMeanings& known_;
};

}  // namespace

void join_keys(std::vector<KeyRead>& all, const std::vector<KeyRead>& more) {
  for (const KeyRead& key : more) {
    const auto same = std::find_if(
        all.begin(), all.end(), [&](const KeyRead& k) { return k.path == key.path && k.kind == key.kind; });
    if (same == all.end()) {
      all.push_back(key);
      continue;
    }
    same->min = std::min(same->min, key.min);
    same->max = std::max(same->max, key.max);
    for (const std::string& word : key.words)
      if (std::find(same->words.begin(), same->words.end(), word) == same->words.end())
        same->words.push_back(word);
    same->optional |= key.optional;
    same->named |= key.named;
  }
}

nlohmann::ordered_json json_schema(const std::vector<KeyRead>& keys, const KeyMeanings& known) {
  Node root;
  for (const KeyRead& key : keys) {
    Node* node = &root;
    for (const std::string& part : split(key.path, '.')) node = &node->child(part);
    node->reads.push_back(&key);
  }
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
  schema.update(Writer(known).write(root, ""));
  return schema;
}

}  // namespace gpuloom
