#!/usr/bin/env bash
# Runs all fuzz targets of a folder at once: tests/fuzz/run.sh FOLDER SECONDS
#
# FOLDER holds the programs fuzz_* of a build with the preset `fuzz` (build-fuzz/bin; libtvm_ffi.so beside them or in
# ../lib). Corpora are copied, so that the repository's stay as they are. Prints one line for each target: its name,
# executions, seconds, findings; the inputs of findings stay in FOLDER/found. Fails where there is one, or where no
# target was found.
set -u
folder=$(cd "${1:?usage: run.sh FOLDER SECONDS}" && pwd)
seconds=${2:?usage: run.sh FOLDER SECONDS}
corpora=$(cd "$(dirname "$0")/corpus" && pwd)
found=$folder/found
rm -rf "$found"
mkdir -p "$found"

declare -A pids=()
for program in "$folder"/fuzz_*; do
  [[ -f $program && -x $program ]] || continue
  name=${program##*/fuzz_}
  mkdir -p "$found/$name/corpus" "$found/$name/inputs"
  [[ -d $corpora/$name ]] && cp "$corpora/$name"/* "$found/$name/corpus/"
  "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$found/$name/inputs/" "$found/$name/corpus" > "$found/$name/log" 2>&1 &
  pids[$name]=$!
done
if [[ ${#pids[@]} == 0 ]]; then
  echo "no fuzz_* program in $folder" >&2
  exit 2
fi

failed=0
printf '%-20s %14s %9s %9s\n' target executions seconds findings
for name in $(printf '%s\n' "${!pids[@]}" | sort); do
  wait "${pids[$name]}"
  status=$?
  log=$found/$name/log
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  elapsed=$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) second.*/\1/p' "$log")
  findings=$(find "$found/$name/inputs" -type f | wc -l)
  # A program that could not start has neither findings nor executions.
  [[ $status != 0 && $findings == 0 ]] && findings="exit $status"
  [[ $findings == 0 && -n $executions ]] || failed=1
  printf '%-20s %14s %9s %9s\n' "$name" "${executions:-none}" "${elapsed:--}" "$findings"
done
exit $failed
