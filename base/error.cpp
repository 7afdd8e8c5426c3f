// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace gpuloom {

std::string FilePosition::str() const {
  std::string text = file;
  if (line != 0) text += (text.empty() ? "" : ":") + std::to_string(line);
  if (line != 0 && column != 0) text += ":" + std::to_string(column);
  return text;
}

namespace {
std::string compose(const std::string& message, const FilePosition& where, const std::string& hint) {
  std::string text = where.str();
  if (!text.empty()) text += ": ";
  text += message;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}
}  // namespace

Error::Error(ErrorKind kind, std::string message, FilePosition where, std::string hint)
    : std::runtime_error(compose(message, where, hint)),
      kind_(kind),
      message_(std::move(message)),
      where_(std::move(where)),
      hint_(std::move(hint)) {}

}  // namespace gpuloom
