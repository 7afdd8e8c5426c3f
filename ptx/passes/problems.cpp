// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/error.h"
#include "ptx/passes/draft.h"

namespace gpuloom::ptx {

void Problems::add(Position at, std::string message, std::string hint, bool input) {
  for (Problem& p : list_) {
    if (p.message == message) {
      ++p.more;
      return;
    }
  }
  list_.push_back({at, std::move(message), std::move(hint), input, 0});
}

void Problems::unsupported(Position at, std::string message, std::string hint) {
  add(at, std::move(message), std::move(hint), false);
}

void Problems::bad_input(Position at, std::string message, std::string hint) {
  add(at, std::move(message), std::move(hint), true);
}

void Problems::throw_if_any() const {
  if (list_.empty()) return;
  const auto text = [](const Problem& p) {
    if (p.more == 0) return p.message;
    return p.message + " (and " + std::to_string(p.more) + (p.more == 1 ? " more use)" : " more uses)");
  };
  std::string message = text(list_.front());
  for (size_t i = 1; i < list_.size(); ++i) {
    const FilePosition at{module_->file_name, list_[i].at.line, list_[i].at.column};
    message += "\n" + at.str() + ": " + text(list_[i]);
    if (!list_[i].hint.empty()) message += "\n  hint: " + list_[i].hint;
  }
  const bool input = std::any_of(list_.begin(), list_.end(), [](const Problem& p) { return p.input; });
  const Position first = list_.front().at;
  throw Error(input ? ErrorKind::kInput : ErrorKind::kUnsupported, message,
              {module_->file_name, first.line, first.column}, list_.front().hint);
}

}  // namespace gpuloom::ptx
