// SPDX-License-Identifier: Apache-2.0
// Graphs: the runtime's under the driver's names; structures that differ are converted.
#include <vector>

#include "sim/cuda/copy.h"
#include "sim/cuda/driver.h"

namespace gpuloom::driver {
namespace {

using cudart::AllocateNode;
using cudart::EdgeData;
using cudart::GraphExecHandle;
using cudart::GraphHandle;
using cudart::HostNode;
using cudart::InstantiateParams;
using cudart::LaunchAttributeValue;
using cudart::MemsetAbi;
using cudart::NodeHandle;
using cudart::NodeParams;
using cudart::UpdateInfo;

// The kernel may stand in either field.
cudart::KernelNode kernel_node(const KernelNode& node) {
  cudart::KernelNode common = node.common;
  if (common.function == nullptr) common.function = node.kernel;
  return common;
}

// The runtime's copy of a node, or the error of one that makes no sense.
template <class F>
int with_copy(const Copy3D* copy, F&& body) {
  return in_context([&]() -> int {
    if (copy == nullptr) return kInvalidValue;
    try {
      const cudart::Copy3D converted = runtime_copy(*copy);
      return body(&converted);
    } catch (const Failure& failure) {
      return static_cast<int>(failure.status());
    }
  });
}

template <class F>
int with_kernel(const KernelNode* node, F&& body) {
  return in_context([&]() -> int {
    if (node == nullptr) return kInvalidValue;
    const cudart::KernelNode converted = kernel_node(*node);
    return body(&converted);
  });
}

}  // namespace

GPULOOM_SAME(cuGraphCreate, cudaGraphCreate, (GraphHandle * graph, unsigned flags), graph, flags)
GPULOOM_SAME(cuGraphDestroy, cudaGraphDestroy, (GraphHandle graph), graph)
GPULOOM_SAME(cuGraphClone, cudaGraphClone, (GraphHandle * clone, GraphHandle graph), clone, graph)
GPULOOM_SAME(cuGraphNodeFindInClone, cudaGraphNodeFindInClone,
             (NodeHandle * node, NodeHandle original, GraphHandle clone), node, original, clone)
GPULOOM_SAME(cuGraphGetNodes, cudaGraphGetNodes, (GraphHandle graph, NodeHandle* nodes, size_t* count), graph,
             nodes, count)
GPULOOM_SAME(cuGraphGetRootNodes, cudaGraphGetRootNodes,
             (GraphHandle graph, NodeHandle* nodes, size_t* count), graph, nodes, count)
GPULOOM_SAME(cuGraphGetEdges_v2, cudaGraphGetEdges,
             (GraphHandle graph, NodeHandle* from, NodeHandle* to, EdgeData* data, size_t* count), graph,
             from, to, data, count)
GPULOOM_SAME(cuGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies,
             (NodeHandle node, NodeHandle* from, EdgeData* data, size_t* count), node, from, data, count)
GPULOOM_SAME(cuGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes,
             (NodeHandle node, NodeHandle* to, EdgeData* data, size_t* count), node, to, data, count)
GPULOOM_SAME(cuGraphAddDependencies_v2, cudaGraphAddDependencies,
             (GraphHandle graph, const NodeHandle* from, const NodeHandle* to, const EdgeData* data,
              size_t count),
             graph, from, to, data, count)
GPULOOM_SAME(cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies,
             (GraphHandle graph, const NodeHandle* from, const NodeHandle* to, const EdgeData* data,
              size_t count),
             graph, from, to, data, count)

// Before 12.3, without data of edges.
GPULOOM_CUDA int cuGraphGetEdges(GraphHandle graph, NodeHandle* from, NodeHandle* to, size_t* count) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}
GPULOOM_CUDA int cuGraphNodeGetDependencies(NodeHandle node, NodeHandle* from, size_t* count) {
  return cuGraphNodeGetDependencies_v2(node, from, nullptr, count);
}
GPULOOM_CUDA int cuGraphNodeGetDependentNodes(NodeHandle node, NodeHandle* to, size_t* count) {
  return cuGraphNodeGetDependentNodes_v2(node, to, nullptr, count);
}
GPULOOM_CUDA int cuGraphAddDependencies(GraphHandle graph, const NodeHandle* from, const NodeHandle* to,
                                        size_t count) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
GPULOOM_CUDA int cuGraphRemoveDependencies(GraphHandle graph, const NodeHandle* from, const NodeHandle* to,
                                           size_t count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

GPULOOM_SAME(cuGraphDestroyNode, cudaGraphDestroyNode, (NodeHandle node), node)
GPULOOM_SAME(cuGraphNodeGetType, cudaGraphNodeGetType, (NodeHandle node, int* type), node, type)
GPULOOM_SAME(cuGraphDebugDotPrint, cudaGraphDebugDotPrint,
             (GraphHandle graph, const char* path, unsigned flags), graph, path, flags)
GPULOOM_SAME(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags,
             (GraphExecHandle * exec, GraphHandle graph, unsigned long long flags), exec, graph, flags)
GPULOOM_SAME_BOTH(cuGraphInstantiateWithParams, _ptsz, cudaGraphInstantiateWithParams, _ptsz,
                  (GraphExecHandle * exec, GraphHandle graph, InstantiateParams* params), exec, graph, params)
GPULOOM_SAME(cuGraphExecGetFlags, cudaGraphExecGetFlags, (GraphExecHandle exec, unsigned long long* flags),
             exec, flags)
GPULOOM_SAME_BOTH(cuGraphLaunch, _ptsz, cudaGraphLaunch, _ptsz, (GraphExecHandle exec, StreamHandle stream),
                  exec, stream)
GPULOOM_SAME_BOTH(cuGraphUpload, _ptsz, cudaGraphUpload, _ptsz, (GraphExecHandle exec, StreamHandle stream),
                  exec, stream)
GPULOOM_SAME(cuGraphExecDestroy, cudaGraphExecDestroy, (GraphExecHandle exec), exec)
GPULOOM_SAME(cuGraphExecUpdate_v2, cudaGraphExecUpdate,
             (GraphExecHandle exec, GraphHandle graph, UpdateInfo* info), exec, graph, info)
GPULOOM_SAME(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled,
             (GraphExecHandle exec, NodeHandle node, unsigned enabled), exec, node, enabled)
GPULOOM_SAME(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled,
             (GraphExecHandle exec, NodeHandle node, unsigned* enabled), exec, node, enabled)

GPULOOM_SAME(cuGraphAddEmptyNode, cudaGraphAddEmptyNode,
             (NodeHandle * node, GraphHandle graph, const NodeHandle* from, size_t count), node, graph, from,
             count)
GPULOOM_SAME(cuGraphAddHostNode, cudaGraphAddHostNode,
             (NodeHandle * node, GraphHandle graph, const NodeHandle* from, size_t count,
              const HostNode* params),
             node, graph, from, count, params)
GPULOOM_SAME(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams, (NodeHandle node, const HostNode* params),
             node, params)
GPULOOM_SAME(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams, (NodeHandle node, HostNode* params), node,
             params)
GPULOOM_SAME(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams,
             (GraphExecHandle exec, NodeHandle node, const HostNode* params), exec, node, params)
GPULOOM_SAME(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode,
             (NodeHandle * node, GraphHandle graph, const NodeHandle* from, size_t count, GraphHandle child),
             node, graph, from, count, child)
GPULOOM_SAME(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph,
             (NodeHandle node, GraphHandle* graph), node, graph)
GPULOOM_SAME(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams,
             (GraphExecHandle exec, NodeHandle node, GraphHandle child), exec, node, child)
GPULOOM_SAME(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode,
             (NodeHandle * node, GraphHandle graph, const NodeHandle* from, size_t count, EventHandle event),
             node, graph, from, count, event)
GPULOOM_SAME(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode,
             (NodeHandle * node, GraphHandle graph, const NodeHandle* from, size_t count, EventHandle event),
             node, graph, from, count, event)
GPULOOM_SAME(cuGraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent,
             (NodeHandle node, EventHandle* event), node, event)
GPULOOM_SAME(cuGraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent,
             (NodeHandle node, EventHandle* event), node, event)
GPULOOM_SAME(cuGraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent,
             (NodeHandle node, EventHandle event), node, event)
GPULOOM_SAME(cuGraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent,
             (NodeHandle node, EventHandle event), node, event)
GPULOOM_SAME(cuGraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
             (GraphExecHandle exec, NodeHandle node, EventHandle event), exec, node, event)
GPULOOM_SAME(cuGraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
             (GraphExecHandle exec, NodeHandle node, EventHandle event), exec, node, event)
GPULOOM_SAME(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode,
             (NodeHandle * node, GraphHandle graph, const NodeHandle* from, size_t count,
              AllocateNode* params),
             node, graph, from, count, params)
GPULOOM_SAME(cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode,
             (NodeHandle * node, GraphHandle graph, const NodeHandle* from, size_t count, void* pointer),
             node, graph, from, count, pointer)
GPULOOM_SAME(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams, (NodeHandle node, void* pointer),
             node, pointer)

// Nodes of the driver name a context, which is that of the device.
GPULOOM_SAME(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams,
             (NodeHandle node, const MemsetAbi* params), node, params)
GPULOOM_SAME(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams, (NodeHandle node, MemsetAbi* params),
             node, params)
extern "C" int cudaGraphAddMemsetNode(NodeHandle*, GraphHandle, const NodeHandle*, size_t, const MemsetAbi*);
extern "C" int cudaGraphExecMemsetNodeSetParams(GraphExecHandle, NodeHandle, const MemsetAbi*);
GPULOOM_CUDA int cuGraphAddMemsetNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                      size_t count, const MemsetAbi* params, ContextHandle) {
  return in_context([&] { return cudaGraphAddMemsetNode(node, graph, from, count, params); });
}
GPULOOM_CUDA int cuGraphExecMemsetNodeSetParams(GraphExecHandle exec, NodeHandle node,
                                                const MemsetAbi* params, ContextHandle) {
  return in_context([&] { return cudaGraphExecMemsetNodeSetParams(exec, node, params); });
}

extern "C" int cudaGraphAddMemcpyNode(NodeHandle*, GraphHandle, const NodeHandle*, size_t,
                                      const cudart::Copy3D*);
extern "C" int cudaGraphMemcpyNodeSetParams(NodeHandle, const cudart::Copy3D*);
extern "C" int cudaGraphExecMemcpyNodeSetParams(GraphExecHandle, NodeHandle, const cudart::Copy3D*);
GPULOOM_CUDA int cuGraphAddMemcpyNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                      size_t count, const Copy3D* params, ContextHandle) {
  return with_copy(
      params, [&](const cudart::Copy3D* c) { return cudaGraphAddMemcpyNode(node, graph, from, count, c); });
}
GPULOOM_CUDA int cuGraphMemcpyNodeSetParams(NodeHandle node, const Copy3D* params) {
  return with_copy(params, [&](const cudart::Copy3D* c) { return cudaGraphMemcpyNodeSetParams(node, c); });
}
GPULOOM_CUDA int cuGraphExecMemcpyNodeSetParams(GraphExecHandle exec, NodeHandle node, const Copy3D* params,
                                                ContextHandle) {
  return with_copy(params,
                   [&](const cudart::Copy3D* c) { return cudaGraphExecMemcpyNodeSetParams(exec, node, c); });
}

extern "C" int cudaGraphAddKernelNode(NodeHandle*, GraphHandle, const NodeHandle*, size_t,
                                      const cudart::KernelNode*);
extern "C" int cudaGraphKernelNodeSetParams(NodeHandle, const cudart::KernelNode*);
extern "C" int cudaGraphKernelNodeGetParams(NodeHandle, cudart::KernelNode*);
extern "C" int cudaGraphExecKernelNodeSetParams(GraphExecHandle, NodeHandle, const cudart::KernelNode*);
GPULOOM_CUDA int cuGraphAddKernelNode_v2(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                         size_t count, const KernelNode* params) {
  return with_kernel(params, [&](const cudart::KernelNode* k) {
    return cudaGraphAddKernelNode(node, graph, from, count, k);
  });
}
GPULOOM_CUDA int cuGraphKernelNodeSetParams_v2(NodeHandle node, const KernelNode* params) {
  return with_kernel(params,
                     [&](const cudart::KernelNode* k) { return cudaGraphKernelNodeSetParams(node, k); });
}
GPULOOM_CUDA int cuGraphExecKernelNodeSetParams_v2(GraphExecHandle exec, NodeHandle node,
                                                   const KernelNode* params) {
  return with_kernel(
      params, [&](const cudart::KernelNode* k) { return cudaGraphExecKernelNodeSetParams(exec, node, k); });
}
GPULOOM_CUDA int cuGraphKernelNodeGetParams_v2(NodeHandle node, KernelNode* params) {
  return in_context([&]() -> int {
    if (params == nullptr) return kInvalidValue;
    params->kernel = nullptr;
    params->context = nullptr;
    return cudaGraphKernelNodeGetParams(node, &params->common);
  });
}
GPULOOM_SAME(cuGraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute,
             (NodeHandle node, int id, const LaunchAttributeValue* value), node, id, value)
GPULOOM_SAME(cuGraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute,
             (NodeHandle node, int id, LaunchAttributeValue* value), node, id, value)
GPULOOM_SAME(cuGraphKernelNodeCopyAttributes, cudaGraphKernelNodeCopyAttributes,
             (NodeHandle to, NodeHandle from), to, from)

// Nodes by their type: all structures but that of copies are the runtime's.
extern "C" int cudaGraphAddNode(NodeHandle*, GraphHandle, const NodeHandle*, const EdgeData*, size_t,
                                NodeParams*);
GPULOOM_CUDA int cuGraphAddNode_v2(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                   const EdgeData* data, size_t count, NodeParams* params) {
  constexpr int kKernel = 0, kMemcpy = 1;
  if (params == nullptr) return in_context([]() -> int { return kInvalidValue; });
  if (params->type == kMemcpy) {
    const auto* copy = reinterpret_cast<const CopyNode*>(&params->copy);
    return cuGraphAddMemcpyNode(node, graph, from, count, &copy->copy, nullptr);
  }
  if (params->type == kKernel)
    return cuGraphAddKernelNode_v2(node, graph, from, count,
                                   reinterpret_cast<const KernelNode*>(&params->kernel));
  return in_context([&] { return cudaGraphAddNode(node, graph, from, data, count, params); });
}
extern "C" int cudaGraphConditionalHandleCreate(unsigned long long*, GraphHandle, unsigned, unsigned);
GPULOOM_CUDA int cuGraphConditionalHandleCreate(unsigned long long* handle, GraphHandle graph, ContextHandle,
                                                unsigned at_launch, unsigned flags) {
  return in_context([&] { return cudaGraphConditionalHandleCreate(handle, graph, at_launch, flags); });
}

GPULOOM_CUDA int cuGraphAddNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from, size_t count,
                                NodeParams* params) {
  return cuGraphAddNode_v2(node, graph, from, nullptr, count, params);
}

}  // namespace gpuloom::driver
