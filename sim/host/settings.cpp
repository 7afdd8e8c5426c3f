// SPDX-License-Identifier: Apache-2.0
#include "sim/host/settings.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/config/units.h"
#include "base/error.h"
#include "base/text.h"

namespace gpuloom::host {
namespace {

std::string text_of(const char* name, std::string otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::string(value) : std::move(otherwise);
}

template <class T>
T number_of(const char* name, T otherwise) {
  const std::string text = text_of(name, "");
  if (text.empty()) return otherwise;
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size())
    throw Error(ErrorKind::kUsage, std::string(name) + " is '" + text + "', which is not a number");
  return value;
}

bool flag_of(const char* name, bool otherwise) { return number_of<unsigned>(name, otherwise ? 1 : 0) != 0; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

HostCode parse_host_code(const std::string& text) {
  HostCode code;
  if (text == "free") return code;
  constexpr std::string_view kReal = "real", kTimes = "real*";
  if (text == kReal) {
    code.scale = 1;
  } else if (text.starts_with(kTimes) && parse_number(text.substr(kTimes.size()), code.scale) &&
             code.scale >= 0) {
  } else if (const Quantity time = parse_quantity(text, kDurationUnits);
             time.status == Quantity::Status::kOk && time.value >= 0) {
    code.fixed_ns = time.value;
  } else {
    throw Error(ErrorKind::kUsage, "'" + text + "' is not a time that host code can take", {},
                "free; real or real*2.5, of the time that it takes here; or a time before each call: 500ns");
  }
  return code;
}

Settings settings_from_environment() {
  Settings s;
  if (std::vector<std::string> named = lines_of(text_of("GPULOOM_CONFIG", "")); !named.empty())
    s.configs = std::move(named);
  s.overrides = lines_of(text_of("GPULOOM_OVERRIDES", ""));
  s.timed = flag_of("GPULOOM_TIMED", s.timed);
  s.kernel = text_of("GPULOOM_KERNEL", "");
  s.skip = number_of("GPULOOM_LAUNCH_SKIP", s.skip);
  s.count = number_of("GPULOOM_LAUNCH_COUNT", s.count);
  s.threads = number_of("GPULOOM_THREADS", s.threads);
  s.contract = flag_of("GPULOOM_CONTRACT", s.contract);
  const std::string bounds = text_of("GPULOOM_BOUNDS", "exact");
  if (bounds != "exact" && bounds != "pages")
    throw Error(ErrorKind::kUsage, "GPULOOM_BOUNDS is '" + bounds + "'", {}, "exact or pages");
  s.bounds = bounds == "pages" ? sim::Bounds::kPages : sim::Bounds::kExact;
  s.output = text_of("GPULOOM_OUTPUT", "");
  s.extract = text_of("GPULOOM_EXTRACT", "");
  s.trace = text_of("GPULOOM_TRACE", "");
  s.cache = text_of("GPULOOM_CACHE", "");
  s.summary = flag_of("GPULOOM_SUMMARY", s.summary);
  s.host_code = text_of("GPULOOM_HOST_CODE", s.host_code);
  parse_host_code(s.host_code);
  s.max_seconds = number_of("GPULOOM_MAX_SECONDS", s.max_seconds);
  return s;
}

std::vector<std::pair<std::string, std::string>> environment_of(const Settings& s) {
  return {{"GPULOOM_CONFIG", join(s.configs, "\n")},
          {"GPULOOM_OVERRIDES", join(s.overrides, "\n")},
          {"GPULOOM_TIMED", s.timed ? "1" : "0"},
          {"GPULOOM_KERNEL", s.kernel},
          {"GPULOOM_LAUNCH_SKIP", std::to_string(s.skip)},
          {"GPULOOM_LAUNCH_COUNT", std::to_string(s.count)},
          {"GPULOOM_THREADS", std::to_string(s.threads)},
          {"GPULOOM_CONTRACT", s.contract ? "1" : "0"},
          {"GPULOOM_BOUNDS", s.bounds == sim::Bounds::kPages ? "pages" : "exact"},
          {"GPULOOM_OUTPUT", s.output},
          {"GPULOOM_EXTRACT", s.extract},
          {"GPULOOM_TRACE", s.trace},
          {"GPULOOM_CACHE", s.cache},
          {"GPULOOM_SUMMARY", s.summary ? "1" : "0"},
          {"GPULOOM_HOST_CODE", s.host_code},
          {"GPULOOM_MAX_SECONDS", std::to_string(s.max_seconds)}};
}

}  // namespace gpuloom::host
