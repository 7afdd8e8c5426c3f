// SPDX-License-Identifier: Apache-2.0
// Messages to the user. A Logger is passed to whoever speaks; there is no global one.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>

namespace gpuloom {

enum class LogLevel : uint8_t { kError, kWarning, kInfo, kDebug };

class Logger {
 public:
  using Sink = std::function<void(LogLevel, std::string_view)>;
  // Writes "gpuloom: warning: text" lines to stderr, each in one piece.
  explicit Logger(LogLevel level = LogLevel::kWarning);
  // Gives each message to `sink`, which is called from whichever thread speaks.
  Logger(LogLevel level, Sink sink);

  LogLevel level() const { return level_; }
  void set_level(LogLevel level) { level_ = level; }
  // Ask before composing an expensive message.
  bool enabled(LogLevel level) const { return level <= level_; }

  void error(std::string_view text) const { write(LogLevel::kError, text); }
  void warning(std::string_view text) const { write(LogLevel::kWarning, text); }
  void info(std::string_view text) const { write(LogLevel::kInfo, text); }
  void debug(std::string_view text) const { write(LogLevel::kDebug, text); }
  void write(LogLevel level, std::string_view text) const;

 private:
  LogLevel level_;
  Sink sink_;
};

// "error", "warning", "info", "debug".
std::string_view log_level_name(LogLevel level);
// The level of that name; an Error of kind kUsage that names the nearest otherwise.
LogLevel log_level_from_name(std::string_view name);

}  // namespace gpuloom
