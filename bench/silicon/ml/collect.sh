#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the jobs of jobs.py on a machine with an NVIDIA GPU: collect.sh FOLDER OUT.  `../process.py OUT FOLDER/cases.json H200` makes the tables.
set -u
cd "$(dirname "$0")"; jobs=$1/jobs.txt; out=$2; mkdir -p "$out"; export PATH=$PATH:/usr/local/cuda/bin
g++ -O2 -std=c++17 -I/usr/local/cuda/include -o "$1/launcher" launcher.cpp -L/usr/local/cuda/lib64/stubs -lcuda || exit 1
skip=$out/skipped.txt; : > "$skip"
# A case that fails or hangs is named in skipped.txt and left out of everything.
until timeout 90 "$1/launcher" "$jobs" --skip "$skip" > "$out/plain.txt" 2>"$out/plain.err"; do
  tail -n 2 "$out/plain.err"; grep -v FAIL "$out/plain.err" | tail -n 1 >> "$skip"; [ "$(wc -l < "$skip")" -lt 12 ] || exit 1
done
"$1/launcher" "$jobs" --skip "$skip" > "$out/again.txt" 2>/dev/null
diff <(sed 's/us=[^ ]*//' "$out/plain.txt") <(sed 's/us=[^ ]*//' "$out/again.txt") > "$out/unstable.txt"
p="ncu --clock-control none --csv --page raw --print-units base"
have=$(ncu --query-metrics 2>/dev/null | awk '{print $1}' | grep __ | sort -u)
names=$(while read -r m; do case $m in launch__*) echo "$m";; *) grep -qx "${m%%.*}" <<<"$have" && echo "$m";; esac; done < ../metrics.txt | paste -sd,)
$p --metrics "$names" "$1/launcher" "$jobs" --quiet --skip "$skip" > "$out/ncu.csv" 2>"$out/ncu.err"
$p --print-metric-instances details --metrics sass__inst_executed_per_opcode,sass__inst_executed_shared_loads,sass__inst_executed_global_loads "$1/launcher" "$jobs" --quiet --skip "$skip" > "$out/opcodes.csv" 2>"$out/opcodes.err"
for k in 1 2 3 4 5 6 7; do $p --metrics sm__cycles_elapsed.max,sm__cycles_active.avg,gpu__time_duration.sum "$1/launcher" "$jobs" --quiet --skip "$skip" 2>/dev/null | grep '^"' > "$out/cycles.$k.csv"; done
wc -l "$out"/plain.txt "$out"/unstable.txt "$out"/ncu.csv "$out"/opcodes.csv
