// SPDX-License-Identifier: Apache-2.0
#include "arch/systemc/memory_socket.h"

#include <bit>

#include "base/error.h"

namespace gpuloom::sim {

using sc_core::sc_time;

MemoryTarget::MemoryTarget(const ModuleName& name, double clock_hz)
    : sc_module(name), socket("socket"), clock_(clock_hz) {
  socket.register_b_transport(this, &MemoryTarget::b_transport);
}

void MemoryTarget::b_transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
  RequestExtension* extension = nullptr;
  payload.get_extension(extension);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (extension && extension->request) {
    const uint64_t arrival = clock_.to_fs(extension->request->time);
    access(*extension->request);
    extension->answered = this;
    delay += sc_time::from_value(clock_.to_fs(extension->request->time) - arrival);
    return;
  }
  // Somebody else's payload: cut into lines, served one after another.
  const uint64_t now = sc_core::sc_time_stamp().value() + delay.value();
  const uint64_t first = payload.get_address(), last = first + payload.get_data_length() - 1;
  uint64_t done = clock_.to_cycles(now);
  for (uint64_t line = first & ~uint64_t{127}; line <= last; line += 128) {
    MemoryRequest request;
    request.line = line;
    request.op = payload.is_write() ? RequestOp::kWrite : RequestOp::kRead;
    for (unsigned s = 0; s < 4; ++s)
      if (line + 32 * s <= last && line + 32 * s + 31 >= first)
        request.sectors |= static_cast<uint8_t>(1u << s);
    request.bytes = static_cast<uint16_t>(32 * std::popcount(request.sectors));
    request.full_sectors = true;
    request.time = clock_.to_cycles(now);
    access(request);
    done = std::max<uint64_t>(done, request.time);
  }
  delay += sc_time::from_value(clock_.to_fs(done) - std::min<uint64_t>(clock_.to_fs(done), now));
}

MemoryInitiator::MemoryInitiator(const char* name, double clock_hz) : socket(name), clock_(clock_hz) {}

MemoryInitiator::~MemoryInitiator() {
  for (tlm::tlm_generic_payload* payload : all_) {
    payload->set_mm(nullptr);
    delete payload;  // and its extension
  }
}

tlm::tlm_generic_payload* MemoryInitiator::allocate() {
  if (!free_.empty()) {
    tlm::tlm_generic_payload* payload = free_.back();
    free_.pop_back();
    return payload;
  }
  auto* payload = new tlm::tlm_generic_payload(this);
  payload->set_extension(new RequestExtension);
  payload->set_data_ptr(no_data_);
  payload->set_byte_enable_ptr(nullptr);
  payload->set_dmi_allowed(false);
  all_.push_back(payload);
  return payload;
}

void MemoryInitiator::free(tlm::tlm_generic_payload* payload) { free_.push_back(payload); }

void MemoryInitiator::send(MemoryRequest& request) {
  if (direct_ != nullptr)
    direct_->access(request);
  else
    send_payload(request);
}

void MemoryInitiator::send_payload(MemoryRequest& request) {
  tlm::tlm_generic_payload* payload = allocate();
  payload->acquire();
  RequestExtension* extension = nullptr;
  payload->get_extension(extension);
  extension->request = &request;
  extension->answered = nullptr;
  const bool write = request.op != RequestOp::kRead && request.op != RequestOp::kPrefetch;
  const unsigned first = static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(request.sectors)));
  const unsigned end = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(request.sectors)));
  payload->set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload->set_address(request.line + 32ull * first);
  payload->set_data_length(32 * (end - first));
  payload->set_streaming_width(32 * (end - first));
  payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  // The time of arrival may lie ahead of SystemC's time or, inside a window that is being served, behind it.
  const uint64_t now = sc_core::sc_time_stamp().value(), at = clock_.to_fs(request.time);
  const uint64_t ahead = at > now ? at - now : 0;
  sc_time delay = sc_time::from_value(ahead);
  socket->b_transport(*payload, delay);
  if (MemoryTarget* target = extension->answered) {
    if (target->socket.get_base_export().get_interface() == socket.get_base_port().get_interface())
      direct_ = target;
  } else {
    request.time += clock_.to_cycles(delay.value() - std::min<uint64_t>(ahead, delay.value()));
  }
  const bool ok = payload->is_response_ok();
  extension->request = nullptr;
  payload->release();
  if (!ok)
    throw Error(ErrorKind::kInternal,
                std::string("memory model bound to ") + socket.name() + " refused a request");
}

}  // namespace gpuloom::sim
