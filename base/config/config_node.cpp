// SPDX-License-Identifier: Apache-2.0
#include "base/config/config_node.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"

namespace gpuloom {

const ConfigNode* ConfigNode::find(std::string_view name) const {
  if (kind != Kind::kMap) return nullptr;
  for (const auto& child : children) {
    if (child.key == name) return &child;
  }
  return nullptr;
}

ConfigNode* ConfigNode::find(std::string_view name) {
  return const_cast<ConfigNode*>(static_cast<const ConfigNode*>(this)->find(name));
}

// Text of a value that a message repeats, in bytes.
constexpr size_t kMostShown = 80;

std::string ConfigNode::describe() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return "'" + printable(scalar, kMostShown) + "'";
    case Kind::kList:
      return "a list of " + std::to_string(children.size());
    case Kind::kMap:
      return "a map";
  }
  return "nothing";
}

void throw_problems(std::vector<ConfigProblem> problems) {
  if (problems.empty()) return;
  // By file in order of first appearance, then by place in it; a problem without a place keeps its turn.
  std::vector<std::string> files;
  const auto rank = [&files](const ConfigProblem& problem) {
    const auto it = std::find(files.begin(), files.end(), problem.where.file);
    return it - files.begin();
  };
  for (const auto& problem : problems) {
    if (std::find(files.begin(), files.end(), problem.where.file) == files.end())
      files.push_back(problem.where.file);
  }
  std::stable_sort(problems.begin(), problems.end(), [&](const ConfigProblem& a, const ConfigProblem& b) {
    return std::make_tuple(rank(a), a.where.line, a.where.column) <
           std::make_tuple(rank(b), b.where.line, b.where.column);
  });
  if (problems.size() == 1)
    throw Error(ErrorKind::kInput, problems[0].message, problems[0].where, problems[0].hint);
  // Error::what() is position, message, hint; so the first problem's hint goes into the message, before the
  // other lines.
  std::string text = problems[0].message;
  if (!problems[0].hint.empty()) text += " (" + problems[0].hint + ")";
  for (size_t i = 1; i < problems.size(); ++i) {
    text +=
        "\n" + std::string(
                   Error(ErrorKind::kInput, problems[i].message, problems[i].where, problems[i].hint).what());
  }
  throw Error(ErrorKind::kInput, text, problems[0].where);
}

}  // namespace gpuloom
