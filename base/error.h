// SPDX-License-Identifier: Apache-2.0
// Errors that a user can cause, each with the exit code that the command line returns for it.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace gpuloom {

// Values are the exit codes (README.md at the root).
enum class ErrorKind : uint8_t {
  kVerification = 1,  // an output differs from what was expected
  kUsage = 2,         // wrong command line or API call
  kInput = 3,         // malformed PTX, YAML or data
  kUnsupported = 4,   // valid input that gpuloom does not model
  kProgram = 5,       // the simulated program failed: fault, deadlock, cycle limit
  kInternal = 70,     // a bug of ours
};

// A position in a text file; line and column count from 1, 0 means unknown.
struct FilePosition {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  // "file:line:column", leaving out what is unknown.
  std::string str() const;
};

// what() is the whole message, position and hint included; message() and hint() are the parts.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string message, FilePosition where = {}, std::string hint = {});
  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const FilePosition& where() const { return where_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorKind kind_;
  std::string message_;
  FilePosition where_;
  std::string hint_;
};

}  // namespace gpuloom
