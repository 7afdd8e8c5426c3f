// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <cstdio>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace gpuloom {

Logger::Logger(LogLevel level)
    : Logger(level, [](LogLevel at, std::string_view text) {
        std::string line = "gpuloom: ";
        if (at != LogLevel::kInfo) line += std::string(log_level_name(at)) + ": ";
        line += text;
        line += '\n';
        std::fwrite(line.data(), 1, line.size(), stderr);  // one call: lines of several threads do not mix
      }) {}

Logger::Logger(LogLevel level, Sink sink) : level_(level), sink_(std::move(sink)) {}

void Logger::write(LogLevel level, std::string_view text) const {
  if (enabled(level)) sink_(level, text);
}

std::string_view log_level_name(LogLevel level) {
  static constexpr std::string_view kNames[] = {"error", "warning", "info", "debug"};
  return kNames[static_cast<size_t>(level)];
}

LogLevel log_level_from_name(std::string_view name) {
  const std::vector<std::string> names = {"error", "warning", "info", "debug"};
  for (size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return static_cast<LogLevel>(i);
  }
  throw Error(ErrorKind::kUsage, "unknown log level '" + std::string(name) + "': expected " + either(names),
              {}, did_you_mean(name, names));
}

}  // namespace gpuloom
