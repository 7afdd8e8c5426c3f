// SPDX-License-Identifier: Apache-2.0
// TLM-2.0 sockets for traffic beyond the SM. Our units hand on a MemoryRequest, which rides as an extension
// on an ordinary generic payload through b_transport; the payload alone says enough (command, address,
// length, delay) for any other TLM-2.0 memory model, which can therefore be bound in place of ours.
#pragma once
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

#include "arch/systemc/clock.h"
#include "arch/systemc/memory_request.h"
#include "arch/systemc/module.h"

namespace gpuloom::sim {

class MemoryTarget;

// Carries our request. It belongs to the sender and lives as long as the call.
struct RequestExtension : tlm::tlm_extension<RequestExtension> {
  MemoryRequest* request = nullptr;
  MemoryTarget* answered = nullptr;  // who understood the request: request->time holds its completion
  tlm::tlm_extension_base* clone() const override { return new RequestExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const RequestExtension&>(other);
  }
};

// A module that takes requests.
class MemoryTarget : public sc_core::sc_module {
 public:
  MemoryTarget(const ModuleName& name, double clock_hz);
  tlm_utils::simple_target_socket<MemoryTarget> socket;
  // Serves the request: on entry `time` is its arrival, on return its completion. Calls come in the order in
  // which they are served.
  virtual void access(MemoryRequest& request) = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  ClockRatio clock_;
};

// A socket that sends requests. Payloads come from a free list.
class MemoryInitiator : public tlm::tlm_mm_interface {
 public:
  MemoryInitiator(const char* name, double clock_hz);
  ~MemoryInitiator() override;
  // Hands the request to whoever is bound. On return `time` is the completion. A target of ours that is bound
  // without anything in between is known by its first answer and called without a payload from then on.
  void send(MemoryRequest& request);
  tlm_utils::simple_initiator_socket<MemoryInitiator> socket;

 private:
  void free(tlm::tlm_generic_payload* payload) override;
  tlm::tlm_generic_payload* allocate();
  void send_payload(MemoryRequest& request);
  ClockRatio clock_;
  MemoryTarget* direct_ = nullptr;
  std::vector<tlm::tlm_generic_payload*> free_;
  std::vector<tlm::tlm_generic_payload*> all_;
  unsigned char no_data_[128] = {};  // values are not carried: function is apart from time
};

}  // namespace gpuloom::sim
