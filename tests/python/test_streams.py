# SPDX-License-Identifier: Apache-2.0
"""Streams, events, graphs and copies on a device's timeline."""
import json
import re

import numpy as np
import pytest

import gpuloom

STEP = """.version 8.0
.target sm_80
.address_size 64
.visible .entry step(.param .u64 x, .param .u32 turns)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<10>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [turns];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mad.lo.u32 %r6, %r4, %r5, %r3;
  mul.wide.u32 %rd2, %r6, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r7, [%rd3];
  mad.lo.u32 %r8, %r7, 2, 1;
again:
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra done;
  mad.lo.u32 %r9, %r1, %r1, %r3;
  sub.u32 %r1, %r1, 1;
  bra again;
done:
  st.global.u32 [%rd3], %r8;
  ret;
}
"""
N = 4096


@pytest.fixture(params=["timed", "functional"])
def device(request):
    with gpuloom.Device("h200", functional=request.param == "functional", lines=False) as d:
        yield d


@pytest.fixture
def timed():
    with gpuloom.Device("h200", lines=False) as d:
        yield d


def step(device):
    return device.load_text(STEP, "step.ptx").kernel("step")


def host(n=N):
    array = gpuloom.pinned(n, np.uint32)
    array[:] = np.arange(n)
    return array


def test_what_streams_do_is_there_after_synchronize(device):
    kernel, x, y = step(device), host(), gpuloom.pinned(N, np.uint32)
    a = device.zeros(N, np.uint32)
    stream = device.stream("one")
    gpuloom.memcpy_async(a, x, stream)
    kernel.launch_async(N // 256, 256, [a, 10], stream)
    gpuloom.memcpy_async(y, a, stream)
    device.synchronize()
    assert np.array_equal(y, 2 * x + 1)
    assert np.array_equal(a.get(), y)


def test_with_makes_a_stream_the_one_that_calls_take(timed):
    a, stream = timed.zeros(N, np.uint32), timed.stream("mine")
    with stream:
        inside = gpuloom.memset_async(a, 1)
    outside = gpuloom.memset_async(a, 2)
    timed.synchronize()
    assert (inside.stream, outside.stream) == ("mine", "default")
    assert outside.begin_ns >= inside.end_ns  # the default stream waits for the other


def test_copies_of_one_stream_hide_behind_kernels_of_another(timed):
    kernel = step(timed)
    x, a = host(1 << 18), timed.zeros(1 << 18, np.uint32)
    streams = [timed.stream(), timed.stream()]
    part = len(a) // 4
    for k in range(4):
        with streams[k % 2]:
            here = slice(k * part, (k + 1) * part)
            gpuloom.memcpy_async(a[here], x[here])
            kernel.launch_async(part // 256, 256, [a[here], 400])
    program = timed.program()
    assert program.metrics["program__overlap.pct"] > 0
    assert "overlapped" in program.summary()
    assert len(program.work) == 8 and len(program.table()) == 8


def test_events_order_streams_and_tell_the_time(timed):
    kernel, a = step(timed), timed.zeros(N, np.uint32)
    one, two = timed.stream(non_blocking=True), timed.stream(non_blocking=True)
    begin = one.record()
    first = kernel.launch_async(4, 256, [a, 1000], one)
    end = one.record()
    assert end.time_ns is None
    two.wait(end)
    second = kernel.launch_async(4, 256, [a, 10], two)
    two.synchronize()
    assert second.begin_ns >= first.end_ns
    assert end.elapsed_ns(begin) >= first.end_ns - first.begin_ns
    with pytest.raises(gpuloom.UsageError, match="no time yet"):
        timed.event().elapsed_ns(begin)


def test_a_program_that_polls_sees_work_end(timed):
    a = timed.zeros(N, np.uint32)
    stream = timed.stream()
    step(timed).launch_async(4, 256, [a, 1000], stream)
    assert not stream.done
    assert stream.done


def test_pageable_memory_makes_a_copy_wait_and_pinned_memory_does_not(timed):
    a, stream = timed.zeros(1 << 16, np.uint32), timed.stream()
    pageable = gpuloom.memcpy_async(a, np.ones(1 << 16, np.uint32), stream)
    assert pageable.done
    pinned = gpuloom.memcpy_async(a, host(1 << 16), stream)
    assert not pinned.done
    back = gpuloom.memcpy_async(np.empty(1 << 16, np.uint32), a, stream)  # the host empties a buffer at its own pace
    assert back.done
    assert pinned.end_ns - pinned.begin_ns < back.end_ns - back.begin_ns


def test_kernels_that_share_the_gpu_say_so_and_have_metrics(timed):
    kernel = step(timed)
    a, b = timed.zeros(N, np.uint32), timed.zeros(N, np.uint32)
    one = kernel.launch_async(4, 256, [a, 4000], timed.stream())
    two = kernel.launch_async(4, 256, [b, 4000], timed.stream())
    assert one.result is None
    timed.synchronize()
    assert [w.place for w in one.shared_with] == [two.place]
    assert one.result["sm__cycles_elapsed.max"].value > 1000


def test_a_graph_takes_what_is_asked_for_inside(device):
    kernel, x, y = step(device), host(), gpuloom.pinned(N, np.uint32)
    a = device.zeros(N, np.uint32)
    one, two = device.stream("one"), device.stream("two")
    with device.graph("step") as graph:
        gpuloom.memcpy_async(a, x, one)
        there = one.record()
        two.wait(there)
        assert kernel.launch_async(N // 256, 256, [a, 10], two) is None
        gpuloom.memcpy_async(y, a, two)
        with pytest.raises(gpuloom.UsageError, match="StreamCaptureUnsupported"):
            one.synchronize()
    assert len(graph) == 3 and graph.dot().count("->") == 2
    for _ in range(2):
        graph.launch(one)
    one.synchronize()
    assert np.array_equal(y, 2 * x + 1)
    x[:] = 7
    graph.launch(one)
    device.synchronize()
    assert (y == 15).all()


def test_a_graph_costs_the_host_one_call(timed):
    kernel, a = step(timed), timed.zeros(N, np.uint32)
    stream = timed.stream()
    begin = timed.now_ns
    for _ in range(20):
        kernel.launch_async(1, 32, [a, 0], stream)
    by_calls = timed.now_ns - begin
    with timed.graph() as graph:
        for _ in range(20):
            kernel.launch_async(1, 32, [a, 0], stream)
    begin = timed.now_ns
    graph.launch(stream)
    assert timed.now_ns - begin < by_calls / 10


def test_a_fault_is_raised_where_somebody_waits_and_from_then_on(timed):
    kernel, a = step(timed), timed.zeros(16, np.uint32)
    kernel.launch_async(64, 256, [a, 1])
    with pytest.raises(gpuloom.ProgramError, match="step"):
        timed.synchronize()
    with pytest.raises(gpuloom.ProgramError):
        kernel.launch_async(1, 16, [a, 1])
    timed.close()
    kernel.launch_async(1, 16, [a, 1])  # new streams: as after cudaDeviceReset
    timed.synchronize()


def test_what_cannot_be_is_refused(timed):
    kernel, a = step(timed), timed.zeros(16, np.uint32)
    with pytest.raises(gpuloom.InputError, match="array of the host"):
        kernel.launch_async(1, 16, [np.zeros(16, np.uint32), 1])
    with pytest.raises(gpuloom.InputError, match="a copy of 64 bytes from 32 to 64"):
        gpuloom.memcpy_async(a, np.zeros(8, np.uint32))
    with pytest.raises(gpuloom.InputError, match="neither side"):
        gpuloom.memcpy_async(np.zeros(8), np.zeros(8))
    with pytest.raises(gpuloom.InputError, match="1024"):
        kernel.launch_async(1, 2048, [a, 1])
    with pytest.raises(gpuloom.UsageError, match="0 to -5"):
        timed.stream(priority=1)
    kernel.launch_async(1, 16, [a, 1])  # a launch that was refused leaves the rest alone
    timed.synchronize()


def test_another_timed_device_waits_until_the_first_is_closed(timed):
    timed.stream()
    timed.synchronize()
    with gpuloom.Device("h200", lines=False) as other:
        with pytest.raises(gpuloom.UsageError, match="close it first"):
            other.synchronize()
        timed.close()
        other.synchronize()


def test_the_timeline_and_the_result_are_files(timed, tmp_path):
    step(timed).launch_async(4, 256, [timed.zeros(N, np.uint32), 10], timed.stream("mine"))
    program = timed.program()
    program.timeline(tmp_path / "t.json")
    names = {e["args"]["name"] for e in json.loads((tmp_path / "t.json").read_text())["traceEvents"] if e["ph"] == "M"}
    assert {"stream mine", "kernels"} <= names
    program.save(tmp_path / "result.json")
    assert gpuloom.load(tmp_path / "result.json").json() == program._run.json()


def test_a_launch_beside_streams_comes_after_what_they_have(timed):
    kernel, a = step(timed), timed.zeros(256, np.uint32)
    kernel.launch_async(1, 256, [a, 10])
    kernel.launch(1, 256, [a, 10])
    assert (a.get() == 3).all()
    assert timed.now_ns > 0


def test_a_program_of_a_launch_file_runs_from_python(tmp_path):
    (tmp_path / "step.ptx").write_text(STEP)
    (tmp_path / "p.yaml").write_text(re.sub("^ {8}", "", """
        ptx: step.ptx
        buffers: {x: {type: u32, count: 1024, init: iota, host: pinned, output: true}}
        program:
          - {to_device: x}
          - {launch: {kernel: step, grid: 4, block: 256, args: [x, 10]}}
          - {to_host: x}
        """, flags=re.M))
    run = gpuloom.run_file(tmp_path / "p.yaml")
    assert "host to device" in run.summary()
