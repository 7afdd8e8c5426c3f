// SPDX-License-Identifier: Apache-2.0
// What a node does: from the parameters that a program gives, and back.
#include <algorithm>

#include "sim/cudart/array.h"
#include "sim/cudart/copy.h"
#include "sim/cudart/graph.h"
#include "sim/cudart/launch.h"

namespace gpuloom::cudart {
namespace {

// cudaGraphNodeType.
enum : int {
  kKernel,
  kMemcpy,
  kMemset,
  kHost,
  kChild,
  kEmpty,
  kWaitEvent,
  kRecordEvent,
  kAllocate = 10,
  kRelease = 11,
  kConditional = 13
};

// The graphs that it may run are made with it; the program fills them afterwards.
host::Operation conditional_of(host::Context& c, ConditionalNode& node) {
  using Kind = host::Conditional::Kind;
  constexpr unsigned kMost[] = {2, 1, UINT32_MAX};  // graphs, by type
  host::require(node.type >= 0 && node.type <= static_cast<int>(Kind::kSwitch) && node.size != 0 &&
                node.size <= kMost[node.type]);
  host::Conditional conditional;
  conditional.value = c.conditionals().find(node.handle);
  conditional.kind = static_cast<Kind>(node.type);
  conditional.for_program = std::make_shared<std::vector<host::Graph*>>();
  for (unsigned i = 0; i < node.size; ++i) {
    conditional.bodies.push_back(std::make_shared<host::Graph>());
    conditional.for_program->push_back(conditional.bodies.back().get());
  }
  node.bodies = reinterpret_cast<GraphHandle*>(conditional.for_program->data());
  return conditional;
}

}  // namespace

host::Operation child_of(GraphHandle graph) {
  return host::ChildGraph{std::shared_ptr<host::Graph>(graph_of(graph).clone())};
}

host::Operation allocation_of(host::Context& c, AllocateNode& node) {
  node.pointer = pointer_of(c.pools().reserve_for_graph(node.bytes));
  return host::Allocate{address_of(node.pointer), node.bytes};
}

host::Fill fill_of(const MemsetAbi& m) {
  host::Fill fill;
  host::require(m.element == 1 || m.element == 2 || m.element == 4);
  fill.address = address_of(m.target);
  fill.pitch = m.pitch;
  fill.value = m.value;
  fill.element = m.element;
  fill.width = m.width;
  fill.height = m.height;
  return fill;
}

MemsetAbi abi_of(const host::Fill& f) {
  return {pointer_of(f.address), f.pitch, f.value, f.element, f.width, f.height};
}

Copy3D abi_of(const host::Copy& copy) {
  Copy3D p{};
  const auto side = [](const host::CopySide& s, ArrayHandle& array, PositionAbi& at, PitchedPointer& memory) {
    const uint64_t texel = s.array != nullptr ? s.array->state.texel_bytes() : 1;
    at = {s.x / texel, s.y, s.z};
    if (s.array != nullptr)
      array = handle_of(*s.array);
    else
      memory = {pointer_of(s.address), s.pitch, s.pitch, s.slice_rows};
    return texel;
  };
  const uint64_t texel = std::max(side(copy.from, p.source_array, p.source_position, p.source),
                                  side(copy.to, p.target_array, p.target_position, p.target));
  p.extent = {copy.width / texel, copy.height, copy.depth};
  p.kind = static_cast<int>(copy.kind);
  return p;
}

int type_of(const host::Operation& operation) {
  struct Visitor {
    int operator()(const host::Nothing&) const { return kEmpty; }
    int operator()(const host::Launch&) const { return kKernel; }
    int operator()(const host::Copy&) const { return kMemcpy; }
    int operator()(const host::Fill&) const { return kMemset; }
    int operator()(const host::HostCall&) const { return kHost; }
    int operator()(const host::HostCallback&) const { return kHost; }
    int operator()(const host::ChildGraph&) const { return kChild; }
    int operator()(const host::EventRecord&) const { return kRecordEvent; }
    int operator()(const host::EventWait&) const { return kWaitEvent; }
    int operator()(const host::Allocate&) const { return kAllocate; }
    int operator()(const host::Release&) const { return kRelease; }
    int operator()(const host::Conditional&) const { return kConditional; }
  };
  return std::visit(Visitor{}, operation);
}

host::Operation operation_of(host::Runtime& r, host::Context& c, NodeParams& p) {
  switch (p.type) {
    case kKernel:
      return launch_of(r, c, p.kernel);
    case kMemcpy:
      return copy_of(p.copy.copy);
    case kMemset:
      return fill_of(p.memset);
    case kHost:
      return host::HostCall{p.host.function, p.host.data};
    case kChild:
      return child_of(p.graph);
    case kEmpty:
      return host::Nothing{};
    case kWaitEvent:
      return host::EventWait{&event_of(c, p.event)};
    case kRecordEvent:
      return host::EventRecord{&event_of(c, p.event)};
    case kAllocate:
      return allocation_of(c, p.allocate);
    case kRelease:
      return host::Release{address_of(p.release)};
    case kConditional:
      return conditional_of(c, p.conditional);
    default:  // external semaphores, batches of memory operations
      throw Failure(Status::kNotSupported);
  }
}

}  // namespace gpuloom::cudart
