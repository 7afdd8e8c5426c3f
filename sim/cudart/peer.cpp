// SPDX-License-Identifier: Apache-2.0
// Several devices: who may reach whose memory, and copies between them.
#include "sim/cudart/copy.h"

namespace gpuloom::cudart {
namespace {

// cudaDeviceP2PAttr.
enum : int { kPerformanceRank = 1, kAccessSupported, kNativeAtomics, kArrayAccess };

// Addresses say by themselves whose they are; a device that is named has to be one.
host::Copy peer_copy(host::Runtime& r, void* to, int to_device, const void* from, int from_device,
                     size_t bytes) {
  checked_device(r, to_device);
  checked_device(r, from_device);
  return host::linear_copy(address_of(to), address_of(from), bytes, host::CopyKind::kDeviceToDevice);
}

// The device that makes the copy: the current one where it is one of the two, else the source's.
host::Context& one_of(host::Runtime& r, host::Context& current, int to_device, int from_device) {
  const auto number = static_cast<int>(current.number());
  return number == to_device || number == from_device ? current
                                                      : r.context(static_cast<unsigned>(from_device));
}

// Devices whose sides of a link are configured reach each other, every one every other.
bool reach(host::Runtime& r, int device, int peer) {
  return device != peer && r.context(checked_device(r, device)).device().gpu().link.present() &&
         r.context(checked_device(r, peer)).device().gpu().link.present();
}

int copy_box(const Copy3DPeer* box, StreamHandle stream, Defaults defaults, bool waits) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::require(box != nullptr);
    checked_device(r, box->target_device);
    checked_device(r, box->source_device);
    auto [c, s] = any_stream(r, current, stream, defaults);
    constexpr int kDefault = static_cast<int>(host::CopyKind::kDefault);
    submit_copy(c, s,
                copy_of(Copy3D{box->source_array, box->source_position, box->source, box->target_array,
                               box->target_position, box->target, box->extent, kDefault}),
                waits);
  });
}

}  // namespace

GPULOOM_CUDA int cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return call([&](host::Runtime& r, host::Context& current) {
    const host::Copy copy = peer_copy(r, to, to_device, from, from_device, bytes);
    host::Context& c = one_of(r, current, to_device, from_device);
    // It comes after all work of both, and what they do next after it (CUDA runtime API, cudaMemcpyPeer).
    host::Context& other =
        r.context(c.number() == static_cast<unsigned>(to_device) ? from_device : to_device);
    if (&other != &c) c.come_after(other);
    submit_copy(c, c.timeline().legacy(), copy, true);
    if (&other != &c) other.come_after(c);
  });
}

GPULOOM_CUDA int cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                     StreamHandle stream) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, s] = any_stream(r, current, stream, Defaults::kLegacy);
    submit_copy(c, s, peer_copy(r, to, to_device, from, from_device, bytes), false);
  });
}

GPULOOM_BOTH(cudaMemcpy3DPeer, _ptds, (const Copy3DPeer* box), box) {
  return copy_box(box, nullptr, defaults, true);
}
GPULOOM_BOTH(cudaMemcpy3DPeerAsync, _ptsz, (const Copy3DPeer* box, StreamHandle stream), box, stream) {
  return copy_box(box, stream, defaults, false);
}

GPULOOM_CUDA int cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call([&](host::Runtime& r, host::Context&) {
    host::require(can != nullptr);
    *can = reach(r, device, peer) ? 1 : 0;
  });
}

GPULOOM_CUDA int cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::Context& other = r.context(checked_device(r, peer));
    host::require(flags == 0);
    // Of itself there is none.
    host::require(reach(r, static_cast<int>(c.number()), peer), Status::kPeerAccessUnsupported);
    c.enable_peer(other);
  });
}

GPULOOM_CUDA int cudaDeviceDisablePeerAccess(int peer) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::Context& other = r.context(checked_device(r, peer));
    host::require(&other != &c, Status::kPeerAccessNotEnabled);
    c.disable_peer(other);
  });
}

GPULOOM_CUDA int cudaDeviceGetP2PAttribute(int* value, int attribute, int from, int to) {
  return call([&](host::Runtime& r, host::Context&) {
    host::require(value != nullptr && attribute >= kPerformanceRank && attribute <= kArrayAccess);
    checked_device(r, from);
    checked_device(r, to);
    host::require(from != to, Status::kInvalidDevice);
    // Links are alike: all have the first rank, which is 0.
    *value = attribute != kPerformanceRank && reach(r, from, to) ? 1 : 0;
  });
}

}  // namespace gpuloom::cudart
