// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/program_file.h"

#include <algorithm>
#include <set>

#include "base/config/config.h"
#include "base/text.h"
#include "sim/memory/device_memory.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {
namespace {

using Kind = ProgramStep::Kind;

struct Verb {
  const char* key;
  Kind kind;
};
constexpr Verb kVerbs[] = {
    {"launch", Kind::kLaunch},
    {"to_device", Kind::kToDevice},
    {"to_host", Kind::kToHost},
    {"copy", Kind::kCopy},
    {"fill", Kind::kFill},
    {"record", Kind::kRecord},
    {"wait", Kind::kWait},
    {"synchronize", Kind::kSynchronize},
    {"synchronize_stream", Kind::kSynchronizeStream},
    {"synchronize_event", Kind::kSynchronizeEvent},
    {"graph", Kind::kGraph},
    {"repeat", Kind::kRepeat},
};

// Whether the key is there. Not ConfigView::has, which would make a schema of every verb in every place.
bool says(const ConfigView& view, std::string_view key) {
  return view.node() != nullptr && view.node()->find(key) != nullptr;
}

// What a list of steps stands in.
struct Place {
  bool in_graph = false, in_repeat = false;
};

class ProgramReader {
 public:
  ProgramReader(const ConfigView& root, const ProgramContext& context, ProgramSpec& out)
      : root_(root), context_(context), out_(out) {}

  void read() {
    if (root_.has("streams"))
      for (const auto& [name, view] : root_.children("streams")) stream(name, view);
    if (root_.has("graphs"))
      for (const auto& [name, view] : root_.children("graphs")) {
        out_.graphs.push_back({name, {}});
        out_.graphs.back().steps = list(view, kSelf, {.in_graph = true});
      }
    out_.steps = list(root_, "program", {});
    if (out_.steps.empty() && root_.sound("program"))
      root_.problem("program", "has no step", "program: [{launch: {kernel: k, grid: 1, block: 32}}]");
    for (const auto& [view, name] : waited_)
      if (!recorded_.contains(name))
        view.problem("", "event '" + name + "' is never recorded", did_you_mean(name, out_.events));
  }

 private:
  void stream(const std::string& name, const ConfigView& view) {
    StreamSpec s;
    s.name = name;
    if (view.has("priority")) s.priority = static_cast<int>(view.integer("priority", -5, 0));
    if (view.has("non_blocking")) s.non_blocking = view.boolean("non_blocking");
    if (view.has("device")) s.device = read_device(view, context_.devices);
    if (name == "default" || find(out_.streams, name) != SIZE_MAX)
      view.problem("", "stream '" + name + "' exists already");
    out_.streams.push_back(std::move(s));
  }

  template <class Named>
  static size_t find(const std::vector<Named>& list, const std::string& name) {
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].name == name) return i;
    return SIZE_MAX;
  }

  template <class Named>
  static size_t named(const ConfigView& view, std::string_view key, const char* what,
                      const std::vector<Named>& list, const std::string& name, const char* where) {
    const size_t index = find(list, name);
    if (index != SIZE_MAX) return index;
    std::vector<std::string> names;
    for (const Named& n : list) names.push_back(n.name);
    const std::string near = did_you_mean(name, names);
    view.problem(key, std::string("unknown ") + what + " '" + name + "'", near.empty() ? where : near);
    return 0;
  }

  size_t stream_named(const ConfigView& view, std::string_view key, const std::string& name) const {
    return named(view, key, "stream", out_.streams, name, "streams: {NAME: {}} defines one");
  }

  // Each event is known by its name from the first step on that records or waits for it.
  size_t event(const std::string& name) {
    const auto at = std::find(out_.events.begin(), out_.events.end(), name);
    if (at != out_.events.end()) return static_cast<size_t>(at - out_.events.begin());
    out_.events.push_back(name);
    return out_.events.size() - 1;
  }

  std::vector<ProgramStep> list(const ConfigView& view, std::string_view key, Place place) {
    std::vector<ProgramStep> steps;
    for (const ConfigView& item : view.items(key))
      if (ProgramStep s; step(item, place, s)) steps.push_back(std::move(s));
    return steps;
  }

  // A step has one of the verbs.
  static const Verb* verb_of(const ConfigView& view) {
    const Verb* verb = nullptr;
    for (const Verb& v : kVerbs) {
      if (!says(view, v.key)) continue;
      if (verb != nullptr) {
        view.problem(v.key, std::string("a step does one thing, and this one has '") + verb->key + "' too");
        return nullptr;
      }
      verb = &v;
    }
    if (verb != nullptr) return verb;
    std::vector<std::string> keys;
    for (const Verb& v : kVerbs) keys.emplace_back(v.key);
    std::string near;
    if (view.node() != nullptr && view.node()->is_map())
      for (const ConfigNode& child : view.node()->children)
        if (near.empty()) near = did_you_mean(child.key, keys);
    view.problem("", "is not a step of a program", near.empty() ? "a step is one of " + either(keys) : near);
    return nullptr;
  }

  bool step(const ConfigView& view, Place place, ProgramStep& s) {
    const Verb* verb = verb_of(view);
    if (verb == nullptr) return false;
    s.kind = verb->kind;
    s.where = view.where();
    if (place.in_graph && s.kind >= Kind::kSynchronize && s.kind <= Kind::kGraph)
      view.problem(verb->key, "cannot be part of a graph", "a graph has launches, copies, fills and events");
    if (says(view, "part")) {
      view.one_of("part", {"turn"});
      s.part = true;
      if (!place.in_repeat)
        view.problem("part", "works only in the steps of a repetition", "{repeat: 4, steps: [...]}");
    }
    streams(view, place, s);
    action(view, place, verb->key, s);
    return true;
  }

  void streams(const ConfigView& view, Place place, ProgramStep& s) const {
    if (!view.has("stream")) return;
    if (s.kind == Kind::kSynchronize || s.kind == Kind::kSynchronizeStream ||
        s.kind == Kind::kSynchronizeEvent || s.kind == Kind::kRepeat)
      view.problem("stream", "has no effect here");
    const ConfigNode* node = view.node()->find("stream");
    const bool several = node != nullptr && node->is_list();
    const std::vector<std::string> names =
        several ? view.texts("stream") : std::vector<std::string>{view.text("stream")};
    if (several && !place.in_repeat)
      view.problem("stream", "streams are taken in turn by a repetition", "{repeat: 4, steps: [...]}");
    for (const std::string& name : names)
      if (name != "default") s.streams.push_back(stream_named(view, "stream", name));
  }

  void action(const ConfigView& view, Place place, const char* key, ProgramStep& s) {
    switch (s.kind) {
      case Kind::kLaunch:
        if (s.part) view.problem("part", "of a launch belongs to its arguments", "{buffer: a, part: turn}");
        s.what = context_.launch(view.child(key));
        break;
      case Kind::kToDevice:
      case Kind::kToHost:
        s.what = with_host_side(view, key);
        break;
      case Kind::kCopy:
        copy(view.child(key), s);
        break;
      case Kind::kFill:
        s.what = context_.buffer(view, key);
        if (view.has("value")) s.value = static_cast<uint8_t>(view.count("value", 0, 255));
        break;
      case Kind::kRecord:
        recorded_.insert(view.text(key));
        s.what = event(view.text(key));
        break;
      case Kind::kWait:
      case Kind::kSynchronizeEvent:
        s.what = event(view.text(key));
        waited_.emplace_back(view, view.text(key));
        break;
      case Kind::kSynchronize:
        view.one_of(key, {"device"});
        break;
      case Kind::kSynchronizeStream:
        s.what = stream_named(view, key, view.text(key));
        break;
      case Kind::kGraph:
        s.what = named(view, key, "graph", out_.graphs, view.text(key), "graphs: {NAME: [...]} defines one");
        break;
      case Kind::kRepeat:
        if (place.in_repeat) view.problem(key, "repetitions do not nest");
        s.times = view.count(key, 1, 100000);
        s.steps = list(view, "steps", {place.in_graph, true});
        break;
    }
  }

  size_t with_host_side(const ConfigView& view, const char* key) const {
    const size_t index = context_.buffer(view, key);
    if (index < context_.buffers.size() && context_.buffers[index].host == HostSide::kNone)
      view.problem(key, "buffer '" + context_.buffers[index].name + "' has no host side",
                   "say `host: pinned` or `host: pageable` where it is defined");
    return index;
  }

  void copy(const ConfigView& view, ProgramStep& s) const {
    s.what = context_.buffer(view, "from");
    s.to = context_.buffer(view, "to");
    const size_t n = context_.buffers.size();
    if (s.what < n && s.to < n && context_.buffers[s.to].bytes() < context_.buffers[s.what].bytes())
      view.problem("to", "'" + context_.buffers[s.to].name + "' is smaller than '" +
                             context_.buffers[s.what].name + "'");
  }

  const ConfigView& root_;
  const ProgramContext& context_;
  ProgramSpec& out_;
  std::set<std::string> recorded_;
  std::vector<std::pair<ConfigView, std::string>> waited_;
};

}  // namespace

unsigned read_device(const ConfigView& view, unsigned devices) {
  const unsigned device = view.count("device", 0, DeviceMemory::kMostDevices - 1);
  if (device >= devices)
    view.problem("device", "the program has " + std::to_string(devices) + (devices == 1 ? " GPU" : " GPUs"),
                 "devices: " + std::to_string(device + 1));
  return device;
}

HostSide read_host_side(const ConfigView& buffer, bool in_program) {
  if (!in_program) buffer.problem("host", "has an effect only in a `program`");
  return buffer.choice<HostSide>("host", {{"pinned", HostSide::kPinned}, {"pageable", HostSide::kPageable}});
}

void read_program(const ConfigView& root, const ProgramContext& context, ProgramSpec& out) {
  ProgramReader(root, context, out).read();
}

}  // namespace gpuloom::sim
