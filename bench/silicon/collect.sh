#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the suite on a machine with an NVIDIA GPU, runs it plainly (checksums, event times) and under Nsight Compute.
# Usage: collect.sh OUTDIR [FOLDER]: the suite, or the set of that folder (corner_cases, algorithms, benchmarks, libraries, applications)
set -u
cd "$(dirname "$0")"; out=$1; suite=./${2:+$2/}suite; mkdir -p "$out"; export PATH=$PATH:/usr/local/cuda/bin
make -s -j16 "${suite#./}" 2>"$out/build.log" || { tail -5 "$out/build.log"; exit 1; }
nvcc -O2 -arch=sm_90 -o devquery devquery.cu 2>>"$out/build.log" && ./devquery > "$out/device.jsonl"
"$suite" > "$out/plain.txt" 2>"$out/plain.err"; tail -2 "$out/plain.err"
ncu --query-metrics 2>/dev/null | awk '{print $1}' | grep __ | sort -u > "$out/available.txt"
have=$(while read -r m; do b=${m%%.*}; case $m in launch__*) echo "$m";; *) grep -qx "$b" "$out/available.txt" && echo "$m";; esac; done < metrics.txt | paste -sd,)
ncu --clock-control none --csv --page raw --print-units base --metrics "$have" "$suite" > "$out/ncu.csv" 2>"$out/ncu.err"
ncu --clock-control none --csv --page raw --print-units base --print-metric-instances details --metrics sass__inst_executed_per_opcode,sass__inst_executed_shared_loads,sass__inst_executed_global_loads "$suite" > "$out/opcodes.csv" 2>"$out/opcodes.err"
cuobjdump --dump-sass "$suite" > "$out/suite.sass" 2>>"$out/build.log"; gzip -9 -f "$out/suite.sass"
for k in 1 2 3 4 5 6 7; do ncu --clock-control none --csv --page raw --print-units base --metrics sm__cycles_elapsed.max,sm__cycles_active.avg,gpu__time_duration.sum "$suite" 2>/dev/null | grep '^"' > "$out/cycles.$k.csv"; done
wc -l "$out"/plain.txt "$out"/ncu.csv "$out"/available.txt
