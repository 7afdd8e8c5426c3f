// SPDX-License-Identifier: Apache-2.0
// Attributes of streams.
#include "sim/cudart/launch.h"

namespace gpuloom::cudart {
namespace {

// The attributes of a stream that a launch takes over: see host::Stream.
void read(const host::Stream& stream, int id, LaunchAttributeValue& value) {
  value = {};
  switch (id) {
    case kAttributePriority:
      value.integer = stream.priority;
      return;
    case kAttributeSynchronizationPolicy:
      value.integer = stream.synchronization_policy;
      return;
    case kAttributeAccessWindow:
      if (!stream.window) return;
      value.window = abi_of(*stream.window);
      return;
    default:
      throw Failure(Status::kInvalidValue);
  }
}

}  // namespace

GPULOOM_BOTH(cudaStreamGetAttribute, _ptsz, (StreamHandle stream, int id, LaunchAttributeValue* value),
             stream, id, value) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(value != nullptr);
    read(stream_of(c, stream, defaults), id, *value);
  });
}

GPULOOM_BOTH(cudaStreamSetAttribute, _ptsz, (StreamHandle stream, int id, const LaunchAttributeValue* value),
             stream, id, value) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(value != nullptr);
    host::Stream& s = stream_of(c, stream, defaults);
    if (id == kAttributeSynchronizationPolicy)
      s.synchronization_policy = value->integer;
    else if (id == kAttributeAccessWindow && value->window.bytes == 0)
      s.window.reset();
    else if (id == kAttributeAccessWindow)
      s.window = window_of(value->window);
    else if (id == kAttributePriority)
      s.priority = value->integer;
    else if (id != kAttributeMemorySyncDomain && id != kAttributeMemorySyncDomainMap)
      throw Failure(Status::kInvalidValue);
  });
}

GPULOOM_BOTH(cudaStreamCopyAttributes, _ptsz, (StreamHandle to, StreamHandle from), to, from) {
  return call([&](host::Runtime&, host::Context& c) {
    const host::Stream& source = stream_of(c, from, defaults);
    host::Stream& target = stream_of(c, to, defaults);
    target.window = source.window;
    target.synchronization_policy = source.synchronization_policy;
  });
}

}  // namespace gpuloom::cudart
