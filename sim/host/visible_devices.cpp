// SPDX-License-Identifier: Apache-2.0
#include "sim/host/visible_devices.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace gpuloom::host {
namespace {

constexpr size_t kIdentityBytes = 16;
constexpr std::string_view kUuidStart = "GPU-";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// -1: no device, or more than one.
int device_named(std::string_view entry, int count, const std::function<std::string(int)>& uuid) {
  int device = -1;
  if (!entry.starts_with(kUuidStart)) {
    const auto [end, problem] = std::from_chars(entry.data(), entry.data() + entry.size(), device);
    const bool whole = problem == std::errc() && end == entry.data() + entry.size();
    return whole && device >= 0 && device < count ? device : -1;
  }
  for (int k = 0; k < count; ++k) {
    if (entry.size() == kUuidStart.size() || !uuid(k).starts_with(entry)) continue;
    if (device >= 0) return -1;
    device = k;
  }
  return device;
}

}  // namespace

std::string device_identity(const Config& config, unsigned number) {
  std::string identity = config.digest().substr(0, kIdentityBytes);
  identity.back() = static_cast<char>(identity.back() + static_cast<char>(number));
  return identity;
}

std::string device_uuid(const Config& config, unsigned number) {
  std::string text(kUuidStart);
  constexpr const char* kDigits = "0123456789abcdef";
  const std::string identity = device_identity(config, number);
  for (size_t k = 0; k < identity.size(); ++k) {
    const auto byte = static_cast<unsigned char>(identity[k]);
    if (k == 4 || k == 6 || k == 8 || k == 10) text += '-';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::vector<int> visible_devices(const char* list, int count, const std::function<std::string(int)>& uuid) {
  std::vector<int> devices;
  if (list == nullptr) {
    for (int k = 0; k < count; ++k) devices.push_back(k);
    return devices;
  }
  const std::string_view text(list);
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const int device = device_named(trimmed(text.substr(at, end - at)), count, uuid);
    if (device < 0 || std::find(devices.begin(), devices.end(), device) != devices.end()) break;
    devices.push_back(device);
    at = end + 1;
  }
  return devices;
}

}  // namespace gpuloom::host
