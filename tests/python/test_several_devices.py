# SPDX-License-Identifier: Apache-2.0
"""Several GPUs on one timeline: memory, copies, streams and events of each, and kernels on the others' memory."""
import numpy as np
import pytest

import gpuloom
from test_streams import N, STEP, host


@pytest.fixture(params=["timed", "functional"])
def pair(request):
    with gpuloom.devices(["h200", "h200"], functional=request.param == "functional", lines=False) as both:
        yield both


@pytest.fixture
def timed():
    with gpuloom.devices(["h200", "h200"], lines=False) as both:
        yield both


def steps(devices):
    return [device.load_text(STEP, "step.ptx").kernel("step") for device in devices]


def test_each_has_a_number_memory_and_streams_of_its_own(pair):
    a, b = pair
    assert (len(pair), a.number, b.number, pair[1] is b) == (2, 0, 1, True)
    x, y = a.zeros(N, np.uint32), b.zeros(N, np.uint32)
    assert x.address != y.address and a.memory_used == b.memory_used == x.nbytes
    x.set(np.ones(N, np.uint32))
    assert x.get().sum() == N and y.get().sum() == 0


def test_a_copy_between_them_is_on_the_stream_of_either(pair):
    a, b = pair
    x, y, z = a.array(np.arange(N, dtype=np.uint32)), b.zeros(N, np.uint32), b.zeros(N, np.uint32)
    gpuloom.memcpy_async(y, x, a.stream("push"), name="there")
    with b.stream("pull"):
        gpuloom.memcpy_async(z, x)
    pair.synchronize()
    assert np.array_equal(y.get(), np.arange(N)) and np.array_equal(z.get(), np.arange(N))
    work = pair.program().work
    assert [(w.kind, w.device.number, w.stream) for w in work] == [("peer to peer", 0, "push"), ("peer to peer", 1, "pull")]
    assert work[0].name == "there" and work[0].nbytes == 4 * N


def test_half_of_the_work_on_the_other(pair):
    a, b = pair
    here, there = steps(pair)
    x, result = a.array(np.arange(N, dtype=np.uint32)), gpuloom.pinned(N, np.uint32)
    half = b.zeros(N // 2, np.uint32)
    s, t = a.stream("s"), b.stream("t")
    gpuloom.memcpy_async(half, x[N // 2:], s)
    t.wait(s.record())
    here.launch_async(N // 2 // 256, 256, [x[:N // 2], 10], s)
    there.launch_async(N // 2 // 256, 256, [half, 10], t)
    gpuloom.memcpy_async(x[N // 2:], half, t)
    s.wait(t.record())
    gpuloom.memcpy_async(result, x, s)
    s.synchronize()
    assert np.array_equal(result, 2 * np.arange(N) + 1)


def test_a_kernel_writes_to_the_others_memory(pair):
    y = pair[1].array(np.arange(N, dtype=np.uint32))
    steps(pair)[0].launch_async(N // 256, 256, [y, 0])
    pair.synchronize()
    assert np.array_equal(y.get(), 2 * np.arange(N) + 1)


def test_events_order_work_of_both_on_one_clock(timed):
    a, b = timed
    here, there = steps(timed)
    x, y = a.zeros(256, np.uint32), b.zeros(256, np.uint32)
    s, t = a.stream(), b.stream()
    first = here.launch_async(1, 256, [x, 2000], s)
    t.wait(s.record())
    second = there.launch_async(1, 256, [y, 10], t)
    timed.synchronize()
    assert second.begin_ns > first.end_ns
    assert a.now_ns == b.now_ns >= second.end_ns


def test_work_of_both_runs_side_by_side(timed):
    works = [kernel.launch_async(1, 256, [device.zeros(256, np.uint32), 2000], device.stream())
             for kernel, device in zip(steps(timed), timed)]
    timed.synchronize()
    assert works[1].begin_ns < works[0].end_ns and works[0].shared_with == []
    program = timed.program()
    assert program.table()["device"].tolist() == [0, 1]
    assert program.metrics["program__time_duration"] >= works[1].end_ns - works[0].begin_ns


def test_a_graph_has_pieces_on_both(pair):
    a, b = pair
    here, there = steps(pair)
    x, y = a.array(np.arange(N, dtype=np.uint32)), b.zeros(N, np.uint32)
    s, t = a.stream("work"), b.stream("work")  # the same name, and two streams
    with pair.graph("both") as graph:
        here.launch_async(N // 256, 256, [x, 10], s)
        t.wait(s.record())
        gpuloom.memcpy_async(y, x, t)
        there.launch_async(N // 256, 256, [y, 10], t)
        s.wait(t.record())
        gpuloom.memset_async(x, 0, s)
    assert len(graph) == 4 and graph.dot().count("->") == 4
    assert y.get().sum() == 0, "nothing has run"
    for stream in (s, t):
        x.set(np.arange(N, dtype=np.uint32))
        graph.launch(stream)
        stream.synchronize()
        assert np.array_equal(y.get(), 2 * (2 * np.arange(N) + 1) + 1) and x.get().sum() == 0
    work = pair.program().work
    assert [(w.device.number, w.kind) for w in work].count((1, "kernel")) == 2


def test_pieces_on_both_run_side_by_side(timed):
    with timed[1].graph() as graph:
        for kernel, device in zip(steps(timed), timed):
            kernel.launch_async(1, 256, [device.zeros(256, np.uint32), 2000], device.stream())
    graph.launch()
    timed.synchronize()
    first, second = timed.program().work
    assert first.device is not second.device and first.begin_ns < second.end_ns and second.begin_ns < first.end_ns


def test_a_graph_is_not_launched_in_a_stream_of_another_timeline(pair):
    with pair.graph() as graph:
        gpuloom.memset_async(pair[0].zeros(N, np.uint32), 1)
    with gpuloom.Device("h200", functional=True) as other, pytest.raises(gpuloom.UsageError, match="another device"):
        graph.launch(other.stream())


def test_a_blocking_launch_has_a_result_of_its_own(pair):
    y = np.arange(N, dtype=np.uint32)
    result = steps(pair)[1].launch(N // 256, 256, [y, 10])
    assert np.array_equal(y, 2 * np.arange(N) + 1)
    assert result.kernel == "step"


def test_what_belongs_to_no_timeline_of_theirs_is_refused(pair):
    a = pair[0]
    with gpuloom.Device("h200", functional=True) as other:
        x = other.zeros(N, np.uint32)
        with pytest.raises(gpuloom.InputError, match="two timelines"):
            gpuloom.memcpy_async(x, a.zeros(N, np.uint32))
        with pytest.raises(gpuloom.UsageError, match="another timeline"):
            a.stream().wait(other.stream().record())
    with pytest.raises(gpuloom.UsageError, match="a configuration or more"):
        gpuloom.devices([])


def test_without_a_link_copies_go_through_the_host_and_kernels_fault():
    both = gpuloom.devices(["rtx4090", "rtx4090"], lines=False)
    a, b = both
    x, y = a.array(np.arange(N, dtype=np.uint32)), b.zeros(N, np.uint32)
    copy = gpuloom.memcpy_async(y, x)
    a.synchronize()
    assert np.array_equal(y.get(), np.arange(N)) and copy.end_ns > copy.begin_ns
    steps([a])[0].launch_async(N // 256, 256, [y, 0])
    with pytest.raises(gpuloom.ProgramError, match="peer access"):
        a.synchronize()
    both.close()


def test_after_close_others_have_their_turn():
    both = gpuloom.devices(["h200", "h200"], lines=False)
    stream = both[0].stream()
    gpuloom.memcpy_async(both[1].zeros(N, np.uint32), both[0].zeros(N, np.uint32), stream)
    with pytest.raises(gpuloom.UsageError, match="one timeline"):
        gpuloom.Device("h200").stream()
    both.close()
    with pytest.raises(gpuloom.UsageError, match="closed"):
        stream.synchronize()
    with gpuloom.Device("h200", lines=False) as alone:
        gpuloom.memset_async(alone.zeros(N, np.uint32), 1).device.synchronize()
    x = host()
    gpuloom.memcpy_async(both[1].zeros(N, np.uint32), x)
    both.close()
