// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/launch_patch.h"

#include <fmt/core.h>

#include <cstring>
#include <string>

#include "base/config/config.h"
#include "base/text.h"
#include "sim/runtime/arguments.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {
namespace {

template <class Named>
size_t index_of(const std::vector<Named>& list, const std::string& name) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return i;
  return SIZE_MAX;
}

class PatchReader {
 public:
  explicit PatchReader(LaunchFile& file) : file_(file) {}

  // Those of arguments belong to `launch`; nullptr: the file has several, and only theirs may name arguments.
  void read(const ConfigView& parent, LaunchSpec* launch) {
    for (const ConfigView& view : parent.items("patch")) {
      PatchSpec p;
      p.where = view.where();
      p.at = static_cast<uint64_t>(view.integer("at", 0));
      if (!target(view, launch, p) || !value(view, p)) continue;
      std::vector<PatchSpec>& list = p.in_argument ? launch->patches : file_.patches;
      if (const std::string wrong = problem(list, p); !wrong.empty()) view.problem("", wrong);
      list.push_back(p);
    }
  }

 private:
  bool target(const ConfigView& view, const LaunchSpec* launch, PatchSpec& p) const {
    p.in_argument = view.has("arg");
    if (p.in_argument == view.has("buffer")) {
      view.problem("", "a patch goes into a `buffer` or an `arg`", "{buffer: table, at: 16, address_of: a}");
      return false;
    }
    if (!p.in_argument) return named(view, "buffer", file_.buffers, "buffer", p.target);
    p.target = static_cast<size_t>(view.integer("arg", 0));
    if (launch == nullptr)
      view.problem("arg", "patches of arguments belong in their launch, below `launches`");
    else if (p.target >= launch->args.size())
      view.problem("arg",
                   fmt::format("there is no argument {}; the launch has {}", p.target, launch->args.size()));
    else
      return true;
    return false;
  }

  bool value(const ConfigView& view, PatchSpec& p) const {
    if (view.has("plus")) p.plus = view.integer("plus");
    if (view.has("tensor_map")) {
      p.value = PatchSpec::Value::kMap;
      if (view.has("address_of") || view.has("plus")) {
        view.problem("", "a patch is an address or a tensor map, not both");
        return false;
      }
      return named(view, "tensor_map", file_.tensor_maps, "tensor map", p.source);
    }
    const std::string name = view.text("address_of");
    p.source = index_of(file_.tensor_maps, name);
    p.value = p.source == SIZE_MAX ? PatchSpec::Value::kAddress : PatchSpec::Value::kMapAddress;
    return p.source != SIZE_MAX || named(view, "address_of", file_.buffers, "buffer", p.source);
  }

  template <class Named>
  static bool named(const ConfigView& view, const char* key, const std::vector<Named>& list, const char* what,
                    size_t& index) {
    const std::string name = view.text(key);
    index = index_of(list, name);
    if (index != SIZE_MAX) return true;
    std::vector<std::string> names;
    for (const Named& n : list) names.push_back(n.name);
    view.problem(key, fmt::format("unknown {} '{}'", what, name), did_you_mean(name, names));
    return false;
  }

  std::string problem(const std::vector<PatchSpec>& list, const PatchSpec& p) const {
    if (!p.in_argument) {
      const BufferSpec& buffer = file_.buffers[p.target];
      if (buffer.bytes() < p.bytes() || p.at > buffer.bytes() - p.bytes())
        return fmt::format("{} bytes at {} are beyond '{}', which has {}", p.bytes(), p.at, buffer.name,
                           buffer.bytes());
    }
    for (const PatchSpec& other : list)
      if (other.target == p.target && other.at < p.at + p.bytes() && p.at < other.at + other.bytes())
        return fmt::format("overlaps the patch at {}", other.at);
    return {};
  }

  LaunchFile& file_;
};

}  // namespace

void read_patches(const ConfigView& root, LaunchFile& file) {
  PatchReader reader(file);
  const bool several = root.has("launches") || root.has("program");
  if (root.has("patch")) reader.read(root, several ? nullptr : file.launches.data());
  if (!several || root.has("program")) return;
  size_t k = 0;
  for (const ConfigView& view : root.items("launches"))
    if (k < file.launches.size() && view.has("patch"))
      reader.read(view, &file.launches[k++]);
    else
      ++k;
}

void apply_patch(const PatchSpec& p, const std::vector<uint64_t>& addresses,
                 const std::vector<PlacedTensorMap>& maps, std::span<uint8_t> target) {
  if (target.size() < p.bytes() || p.at > target.size() - p.bytes())
    throw Error(ErrorKind::kInput,
                fmt::format("a patch of {} bytes at {} is beyond argument {}, which has {}", p.bytes(), p.at,
                            p.target, target.size()),
                p.where);
  if (p.value == PatchSpec::Value::kMap) {
    std::memcpy(&target[p.at], maps[p.source].map.data(), p.bytes());
    return;
  }
  const uint64_t base = p.value == PatchSpec::Value::kAddress ? addresses[p.source] : maps[p.source].address;
  const uint64_t value = base + static_cast<uint64_t>(p.plus);
  std::memcpy(&target[p.at], &value, sizeof value);
}

}  // namespace gpuloom::sim
