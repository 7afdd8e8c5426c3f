// SPDX-License-Identifier: Apache-2.0
// What the readers of a configuration take, noted while they read: for `config show KEY` and for the JSON
// schemas that editors use. So neither can tell of a key, a unit or a range that no reader has.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom {

class Config;
struct UnitTable;

enum class KeyKind : uint8_t { kMap, kList, kInteger, kNumber, kBoolean, kText, kChoice, kQuantity };

// One key as its reader asked for it.
struct KeyRead {
  std::string path;  // "sm.l1.mshrs"; in a schema "sm.operations.*.latency"
  KeyKind kind = KeyKind::kText;
  std::string expected;              // "a whole number from 1 to 64"
  const UnitTable* units = nullptr;  // kQuantity
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  std::vector<std::string> words;  // kChoice
  std::string suffix;              // kChoice: a file that ends so will do too; "" for none
  std::string reader;              // "arch/l2/config.cpp:21 (read_l2_config)"
  std::string information;         // why changing it has no effect; "" where it acts
  bool optional = false;           // its reader asked first whether it is there
  bool named = false;              // kMap: its keys are names
};

// Everything that was read of the configuration so far. Elements of lists and names that are not keys are
// `*`, each path once for each kind that its readers take.
std::vector<KeyRead> keys_read(const Config& config);
// Paths that readers asked whether they are there, with `*` as above.
std::vector<std::string> keys_asked(const Config& config);
// What was read at this very path; the last, where it was read more than once. Null where nothing was.
const KeyRead* key_read(const Config& config, std::string_view path);
// The same path with `*` for elements and names: "sm.operations.iadd.latency" is "sm.operations.*.latency".
std::string schema_path(const Config& config, std::string_view path);

// "arch/l2/config.cpp:21 (read_l2_config)" of a source_location's parts.
std::string reader_text(std::string_view file, uint32_t line, std::string_view function);

}  // namespace gpuloom
