// SPDX-License-Identifier: Apache-2.0
// Small text helpers: suggestions and numbers for people.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other, ignoring
// case.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word` if it is near enough to be what was meant (a third of its letters), else
// "".
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean 'banks'?"; where nothing is near, up to three candidates that have the word between their
// points, dashes and underlines ('shared': 'dynamic-shared'); or "". `prefix` stands before each.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& prefix = "");

// "a, b or c".
std::string either(const std::vector<std::string>& words);
std::string join(const std::vector<std::string>& words, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

// `text` for a message: at most `most` bytes, with dots where it is cut (never inside a character of UTF-8),
// and '?' for control characters.
std::string printable(std::string_view text, size_t most);

// 1234567 -> "1,234,567".
std::string with_thousands(uint64_t value);
// Fixed digits after the point, with thousands: (1234.5, 2) -> "1,234.50".
std::string with_thousands(double value, int digits);
// 233472 -> "228 KiB", 1500 -> "1500 B", 1572864 -> "1.5 MiB".
std::string format_bytes(uint64_t bytes);
// Shortest text that reads back as the same number: 0.1 -> "0.1", 3 -> "3".
std::string format_number(double value);

}  // namespace gpuloom
