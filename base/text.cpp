// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace gpuloom {
namespace {
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
}  // namespace

std::string printable(std::string_view text, size_t most) {
  size_t end = std::min(text.size(), most);
  if (end < text.size())
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  std::string out(text.substr(0, end));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return end < text.size() ? out + "..." : out;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table of prefix distances (Damerau-Levenshtein, each place changed once).
  const size_t n = b.size() + 1;
  std::vector<size_t> before(n), last(n), row(n);
  for (size_t j = 0; j < n; ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j < n; ++j) {
      const size_t replace = last[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto common_prefix = [](std::string_view a, std::string_view b) {
    return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  };
  std::string best;
  size_t best_common = 0, best_distance = std::max<size_t>(1, (word.size() + 2) / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance >= std::max(word.size(), candidate.size())) continue;
    // Of equally near words the one that begins alike for longer: slips come late in a word.
    const size_t common = common_prefix(word, candidate);
    if (distance < best_distance || (distance == best_distance && !best.empty() && common > best_common)) {
      best = candidate;
      best_distance = distance;
      best_common = common;
    }
  }
  return best;
}

namespace {

bool is_separator(char c) { return c == '.' || c == '-' || c == '_'; }

bool has_part(std::string_view text, std::string_view part) {
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    const size_t end = at + part.size();
    if ((at == 0 || is_separator(text[at - 1])) && (end == text.size() || is_separator(text[end])))
      return true;
  }
  return false;
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& prefix) {
  const std::string best = closest(word, candidates);
  if (!best.empty()) return "did you mean '" + prefix + best + "'?";
  constexpr size_t kShortest = 3,
                   kMost = 3;  // letters of a word that says something; words that a person reads
  std::vector<std::string> with;
  for (const std::string& candidate : candidates)
    if (word.size() >= kShortest && has_part(candidate, word)) with.push_back("'" + prefix + candidate + "'");
  return with.empty() || with.size() > kMost ? "" : "did you mean " + either(with) + "?";
}

std::string either(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += separator;
    text += words[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || text[i] == separator) {
      parts.emplace_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return parts;
}

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string with_thousands(uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string with_thousands(double value, int digits) {
  char buffer[512];  // the largest double has 309 digits
  std::snprintf(buffer, sizeof(buffer), "%.*f", std::clamp(digits, 0, 100), value);
  const std::string_view text = buffer;
  const size_t start = text[0] == '-' ? 1 : 0;
  const size_t point = std::min(text.find('.'), text.size());
  if (start >= text.size() || text[start] < '0' || text[start] > '9') return std::string(text);  // inf, nan
  std::string result(text.substr(0, start));
  for (size_t i = start; i < point; ++i) {
    if (i != start && (point - i) % 3 == 0) result += ',';
    result += text[i];
  }
  return result + std::string(text.substr(point));
}

std::string format_bytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024 || (bytes < 1024 * 1024 && bytes % 128 != 0)) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.4g %s", value, kUnits[unit]);
  return buffer;
}

std::string format_number(double value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return error == std::errc{} ? std::string(buffer, end) : std::string("?");
}

}  // namespace gpuloom
