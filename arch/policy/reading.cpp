// SPDX-License-Identifier: Apache-2.0
#include "arch/policy/reading.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "arch/policy/library.h"
#include "base/error.h"
#include "base/text.h"

namespace gpuloom::arch {
namespace {

// Parameters from the configuration, kept for later.
class ReadParameters final : public policy::Parameters {
 public:
  ReadParameters(const ConfigView& group, const ReadAt& at) : group_(group), at_(at) {}
  double number(const char* key, double min, double max) override {
    return keep(key, group_.number(key, min, max, at_));
  }
  uint64_t count(const char* key, uint64_t min, uint64_t max) override {
    constexpr uint64_t kExact = uint64_t{1} << 53;  // of whole numbers as a double
    return static_cast<uint64_t>(
        keep(key, static_cast<double>(group_.integer(key, static_cast<int64_t>(std::min(min, kExact)),
                                                     static_cast<int64_t>(std::min(max, kExact)), at_))));
  }
  std::vector<std::pair<std::string, double>> values;

 private:
  double keep(const char* key, double value) {
    values.emplace_back(key, value);
    return value;
  }
  const ConfigView& group_;
  const ReadAt& at_;
};

// There is no group: says what would stand in it.
class MissingParameters final : public policy::Parameters {
 public:
  MissingParameters(const ConfigView& view, std::string_view key, const std::string& group)
      : view_(view), key_(key), group_(group) {}
  double number(const char* key, double min, double max) override {
    missing(key, format_number(min), format_number(max));
    return min;
  }
  uint64_t count(const char* key, uint64_t min, uint64_t max) override {
    missing(key, std::to_string(min), std::to_string(max));  // 1000000, where format_number says 1e+06
    return min;
  }

 private:
  void missing(const char* key, const std::string& min, const std::string& max) {
    view_.problem(key_,
                  "the policy has a parameter '" + std::string(key) + "', from " + min + " to " + max +
                      ", and there is no group '" + group_ + "' beside it",
                  group_ + ": {" + key + ": " + min + "}");
  }
  const ConfigView& view_;
  std::string_view key_;
  const std::string& group_;
};

class KeptParameters final : public policy::Parameters {
 public:
  explicit KeptParameters(const PolicyChoice& choice) : choice_(choice) {}
  double number(const char* key, double, double) override {
    for (const auto& [name, value] : choice_.parameters)
      if (name == key) return value;
    throw Error(ErrorKind::kInput, "the policy '" + choice_.name + "' asks for '" + key +
                                       "' where it is used, and did not where its configuration was read");
  }
  uint64_t count(const char* key, uint64_t min, uint64_t max) override {
    return static_cast<uint64_t>(number(key, static_cast<double>(min), static_cast<double>(max)));
  }

 private:
  const PolicyChoice& choice_;
};

std::string path_from(const std::string& text, const FilePosition& where) {
  const std::filesystem::path path(text);
  if (path.is_absolute()) return text;
  std::error_code error;  // an override has no file: it counts from where the program runs
  if (!std::filesystem::is_regular_file(where.file, error)) return text;
  return (std::filesystem::path(where.file).parent_path() / path).lexically_normal().string();
}

// "ccws" of "./ccws.so" and "libccws.so".
std::string stem_of(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  return stem.starts_with("lib") && stem.size() > 3 ? stem.substr(3) : stem;
}

class Reader {
 public:
  Reader(const ConfigView& view, std::string_view key, const char* kind, policy_reading::Try try_out,
         const ReadAt& at)
      : view_(view), key_(key), kind_(kind), try_(try_out), at_(at) {}

  PolicyChoice read() {
    std::vector<std::string> words;
    for (const policy::Entry* entry : policies(kind_)) words.emplace_back(entry->name);
    for (const std::string& group : library_groups()) words.push_back(group);
    PolicyChoice choice;
    choice.name = view_.word_or_file(key_, words, ".so", at_);
    for (const policy::Entry* entry : policies(kind_)) {
      const bool chosen = choice.name == entry->name;
      auto parameters = parameters_of(*entry, entry->name, chosen);
      if (chosen) choice.entry = entry, choice.parameters = std::move(parameters);
    }
    for (const std::string& group : library_groups()) {
      const ConfigView own = view_.child(group);
      const std::string path = path_from(own.text("library", at_), own.where("library"));
      if (choice.name == group) {
        load(choice, path, group, own, "library");
      } else {  // not loaded, so that it need not be there
        for (const ConfigNode& parameter : own.node()->children) own.text(parameter.key, at_);
      }
    }
    if (choice.entry == nullptr && choice.name.ends_with(".so"))
      load(choice, path_from(choice.name, view_.where(key_)), stem_of(choice.name), view_, key_);
    return choice;
  }

 private:
  // Groups beside the key that say where their policy comes from. Those of another kind belong to another
  // key.
  std::vector<std::string> library_groups() const {
    std::vector<std::string> groups;
    if (view_.node() == nullptr) return groups;
    for (const ConfigNode& child : view_.node()->children)
      if (child.is_map() && child.find("library") != nullptr) {
        const ConfigNode* kind = child.find("kind");
        if (kind != nullptr && kind->scalar == kind_) groups.push_back(child.key);
      }
    return groups;
  }

  std::vector<std::pair<std::string, double>> parameters_of(const policy::Entry& entry,
                                                            const std::string& group, bool needed) {
    if (!view_.has(group)) {
      if (!needed) return {};
      MissingParameters none(view_, key_, group);  // a policy without parameters needs no group
      try_(entry, none);
      return {};
    }
    const ConfigView own = view_.child(group);
    if (!own.present()) return {};
    if (own.has("library")) own.text("library", at_), own.text("kind", at_);
    ReadParameters parameters(own, at_);
    try_(entry, parameters);
    return parameters.values;
  }

  void load(PolicyChoice& choice, const std::string& path, const std::string& group, const ConfigView& place,
            std::string_view key) {
    const LoadedPolicy loaded = load_policy(path, kind_);
    if (loaded.entry == nullptr) {
      place.problem(key, loaded.problem, loaded.hint);
      return;
    }
    choice.entry = loaded.entry;
    choice.library = path;
    choice.key = place.path() + "." + std::string(key);
    choice.parameters = parameters_of(*loaded.entry, group, true);
  }

  const ConfigView& view_;
  std::string_view key_;
  const char* kind_;
  policy_reading::Try try_;
  const ReadAt& at_;
};

}  // namespace

void* PolicyChoice::make_object(const void* host) const {
  if (entry == nullptr) throw Error(ErrorKind::kInternal, "no policy '" + name + "'");
  KeptParameters kept(*this);
  return entry->make(kept, host);
}

PolicyChoice built_in_policy(std::string_view kind, std::string_view name) {
  PolicyChoice choice;
  choice.name = name;
  for (const policy::Entry* entry : policies(kind))
    if (entry->name == name) choice.entry = entry;
  return choice;
}

PolicyChoice policy_reading::read(const ConfigView& view, std::string_view key, const char* kind, Try try_out,
                                  const ReadAt& at) {
  return Reader(view, key, kind, try_out, at).read();
}

}  // namespace gpuloom::arch
