// SPDX-License-Identifier: Apache-2.0
#include "tests/behaviour/configuration_keys/leaves.h"

#include <algorithm>
#include <cmath>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/config/units.h"
#include "base/error.h"
#include "base/text.h"

namespace gpuloom::tests::keys {
namespace {

std::string with_unit(const std::string& text, double factor, double plus) {
  const size_t digits = text.find_first_not_of("0123456789.");
  const double number = std::stod(text.substr(0, digits)) * factor + plus;
  const bool whole =
      text.find('.') == std::string::npos && number == static_cast<double>(static_cast<int64_t>(number));
  return (whole ? std::to_string(static_cast<int64_t>(number)) : format_number(number)) +
         (digits == std::string::npos ? "" : text.substr(digits));
}

// The least that the reader takes, in the unit that factors count from.
std::string least(const KeyRead& read) {
  const double min = std::isfinite(read.min) ? std::max(read.min, 0.0) : 0;
  return format_number(std::ceil(min)) + (read.units == nullptr ? "" : unit_names(*read.units).front());
}

// Much more, the least, much less, a little of either; what the reader refuses is passed over.
std::vector<std::string> candidates(const Leaf& leaf) {
  const KeyRead& read = leaf.read;
  const std::string& path = leaf.path;
  const std::string& now = leaf.value;
  if (read.kind == KeyKind::kBoolean || read.kind == KeyKind::kChoice) {
    std::vector<std::string> words = read.words;
    if (read.kind == KeyKind::kBoolean) words = {"true", "false"};
    std::erase(words, now);
    return words;
  }
  if (read.kind == KeyKind::kText) {
    if (path.find(".sequence.") != std::string::npos) return {now == "imad" ? "dfma" : "imad", "mufu"};
    if (path == "compute_capability") return {"\"7.5\""};
    return {now == "sm_90" ? "sm_75" : "sm_70"};
  }
  const bool size = read.units == &kSizeUnits, limit = path.starts_with("limits.");
  std::vector<std::string> values;
  if (limit) values = {least(read), size ? with_unit(now, 1000, 0) : with_unit(now, 0, 1)};
  // What waits is hidden behind other waits if it is short.
  values.push_back(with_unit(now, size ? 4 : 16, read.units == &kCycleUnits ? 200 : 0));
  for (const std::string& v :
       {with_unit(now, 4, 0), least(read), with_unit(now, 0.0625, 0), with_unit(now, 0.5, 0),
        with_unit(now, 2, 0), with_unit(now, 1, 1), with_unit(now, 3, 50), with_unit(now, 0, 1)})
    values.push_back(v);
  std::vector<std::string> once;
  for (const std::string& v : values)
    if (v != now && std::find(once.begin(), once.end(), v) == once.end()) once.push_back(v);
  return once;
}

std::string list_text(const std::vector<int64_t>& values) {
  std::vector<std::string> words;
  for (const int64_t v : values) words.push_back(std::to_string(v));
  return "[" + join(words, ", ") + "]";
}

std::vector<int64_t> list_at(const Config& config, const char* key) {
  const ConfigNode* node = config.tree().find("gpc")->find(key);
  std::vector<int64_t> values;
  if (node != nullptr)
    for (const ConfigNode& child : node->children) values.push_back(std::stol(child.scalar));
  return values;
}

// SMs of the GPCs, which other lists have to fit.
std::vector<Change> of_gpcs(const Config& config, const std::string& path) {
  std::vector<int64_t> sms = list_at(config, "sms"), groups = list_at(config, "cluster_groups");
  const bool grouped = !groups.empty();
  const auto change = [&](const std::vector<int64_t>& gpcs, const std::vector<int64_t>& clusters) {
    Change c = {"gpc.sms=" + list_text(gpcs)};
    if (grouped) c.push_back("gpc.cluster_groups=" + list_text(clusters));
    return c;
  };
  if (path == "gpc.count") {
    Change c = change({sms[0]}, {sms[0]});
    c.push_back("gpc.count=1");
    return {c};
  }
  if (path.starts_with("gpc.sms.")) {
    sms[std::stoul(path.substr(8))] -= 2;
    return {change(sms, sms)};
  }
  if (!path.starts_with("gpc.cluster_groups.")) return {};
  // A group is divided, or joined with its neighbour in the GPC.
  const size_t i = std::stoul(path.substr(19));
  if (groups[i] > 2) {
    groups[i] -= 2;
    groups.insert(groups.begin() + static_cast<ptrdiff_t>(i), 2);
  } else {
    const size_t other = i + 1 < groups.size() ? i + 1 : i - 1;
    groups[other] += groups[i];
    groups.erase(groups.begin() + static_cast<ptrdiff_t>(i));
  }
  return {change(sms, groups)};
}

// Keys that change together with others or not at all.
std::vector<Change> together(const Config& config, const std::string& path) {
  if (path == "l2.partitions") return {{"l2.partitions=1", "noc.far_partition_extra=0cycles"}};
  if (path == "sm.fetch.l0_icache.line" || path == "sm.fetch.l1_icache.line")
    return {{"sm.fetch.l0_icache.line=64B", "sm.fetch.l1_icache.line=64B"}};
  if (path == "sm.pipes.xu.result") return {{"sm.pipes.xu.result=fixed", "sm.pipes.xu.queue=0"}};
  if (path == "sm.pipes.xu.shared") return {{"sm.pipes.xu.shared=true", "sm.pipes.xu.queue=0"}};
  return of_gpcs(config, path);
}

}  // namespace

std::vector<Leaf> leaves_of(const std::string& machine) {
  const Config config = Config::load(machine);
  arch::load_gpu_config(config.root());
  config.check();
  std::vector<Leaf> leaves;
  for (const std::string& line : split(config.canonical(), '\n')) {
    const size_t is = line.find(" = ");
    if (is == std::string::npos) continue;
    const std::string path = line.substr(0, is);
    const KeyRead* read = key_read(config, path);
    if (read == nullptr) throw Error(ErrorKind::kInput, "no reader has " + path);
    leaves.push_back({path, line.substr(is + 3), *read});
  }
  return leaves;
}

bool takes(const std::string& machine, const Change& change, std::string& refused) {
  try {
    const Config config = Config::load(machine, change);
    arch::load_gpu_config(config.root());
    config.check();
    return true;
  } catch (const Error& e) {
    refused = e.what();
    return false;
  }
}

std::vector<Change> changes_of(const Leaf& leaf, const std::string& machine, size_t most,
                               std::string& refused) {
  const Config config = Config::load(machine);
  std::vector<Change> all = together(config, leaf.path), taken;
  for (const std::string& value : candidates(leaf)) all.push_back({leaf.path + "=" + value});
  for (const Change& change : all)
    if (taken.size() < most && takes(machine, change, refused)) taken.push_back(change);
  return taken;
}

}  // namespace gpuloom::tests::keys
