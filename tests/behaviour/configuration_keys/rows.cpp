// SPDX-License-Identifier: Apache-2.0
#include "tests/behaviour/configuration_keys/rows.h"

#include <algorithm>

#include "base/config/config.h"
#include "base/config/key_meanings.h"
#include "base/text.h"
#include "tests/places.h"

namespace gpuloom::tests::keys {
namespace {

Config read(const char* path) {
  const std::string file = in_tree(path);
  return Config::from(parse_yaml_file(file, file), file);
}

Change texts_if(const ConfigView& row, const char* key) { return row.has(key) ? row.texts(key) : Change{}; }

std::string quoted(const std::string& text) {
  return text.find_first_of("[]{},\"'# ") == std::string::npos ? text : "'" + text + "'";
}

std::string list_of(const Change& change) {
  std::vector<std::string> words;
  for (const std::string& c : change) words.push_back(quoted(c));
  return "[" + join(words, ", ") + "]";
}

}  // namespace

const Row* Known::row(const std::string& machine, const std::string& key) const {
  const Row* found = nullptr;
  for (const Row& r : rows)
    if (r.key == key && (r.machine == machine || (r.machine.empty() && found == nullptr))) found = &r;
  if (found == nullptr || !found->machine.empty()) return found;
  const Silent* why = reason(machine, key);
  return why != nullptr && !why->machine.empty() ? nullptr : found;
}

const Silent* Known::reason(const std::string& machine, const std::string& key) const {
  for (const Silent& s : silent)
    if ((s.machine.empty() || s.machine == machine) && key_matches(s.keys, key)) return &s;
  return nullptr;
}

Known read_rows() {
  Known known;
  const Config shown = read("/tests/behaviour/configuration_keys/shown_by.yaml");
  for (const ConfigView& row : shown.root().items("rows")) {
    Row r{.key = row.text("key"), .machine = {}, .launch = row.text("launch"), .change = {}, .with = {}};
    if (row.has("machine")) r.machine = row.text("machine");
    r.change = row.has("set") ? Change{r.key + "=" + row.text("set")} : row.texts("change");
    r.with = texts_if(row, "with");
    known.rows.push_back(std::move(r));
  }
  shown.check();
  const Config silent = read("/configs/about/silent.yaml");
  for (const ConfigView& row : silent.root().items("silent"))
    known.silent.push_back(
        {row.text("keys"), row.has("machine") ? row.text("machine") : std::string(), row.text("why")});
  silent.check();
  return known;
}

std::string row_text(const Row& row) {
  std::string text = "  - {key: " + row.key;
  if (!row.machine.empty()) text += ", machine: " + row.machine;
  text += ", launch: " + row.launch;
  const std::string own = row.key + "=";
  if (row.change.size() == 1 && row.change[0].starts_with(own))
    text += ", set: " + quoted(row.change[0].substr(own.size()));
  else
    text += ", change: " + list_of(row.change);
  if (!row.with.empty()) text += ", with: " + list_of(row.with);
  return text + "}\n";
}

std::string shown_text(const Row& row, const std::string& machine, const std::string& seen) {
  Change all = row.with;
  all.insert(all.end(), row.change.begin(), row.change.end());
  std::string text = seen;
  std::replace(text.begin(), text.end(), '"', '\'');
  return "  - {key: " + row.key + ", machine: " + machine + ", change: " + list_of(all) +
         ", launch: " + row.launch + ", seen: \"" + text + "\"}\n";
}

}  // namespace gpuloom::tests::keys
