#!/bin/sh
# One JSON value for the tool that is named by the first argument.
set -eu

# A text as JSON has it; for awk.
QUOTE='function quote(text) { gsub(/[\\"]/, "\\\\&", text); gsub(/[[:cntrl:]]/, " ", text); return "\"" text "\"" }'

case $1 in
  free_space)
    # df ends with 1 when it may not look at one of them; the others are still told.
    { df -Pk 2>/dev/null || :; } | awk "$QUOTE"'
      BEGIN { printf "{\"file_systems\":[" }
      NR > 1 && $2 ~ /^[0-9]+$/ && $4 ~ /^[0-9]+$/ {
        place = $0
        sub(/^.*%[ \t]+/, "", place)
        printf "%s{\"mounted_on\":%s,\"size_kib\":%.0f,\"free_kib\":%.0f}", (n++ ? "," : ""), quote(place), $2, $4
      }
      END { print "]}" }'
    ;;
  memory)
    awk '
      $1 == "MemTotal:" { total = $2 }
      $1 == "MemAvailable:" { available = $2 }
      END { printf "{\"total_kib\":%.0f,\"available_kib\":%.0f}\n", total, available }' /proc/meminfo
    ;;
  busiest)
    ps -eo pcpu=,comm= --sort=-pcpu | head -n 10 | awk "$QUOTE"'
      BEGIN { printf "{\"programs\":[" }
      { share = $1; sub(/^[ \t]*[^ \t]+[ \t]+/, ""); printf "%s{\"name\":%s,\"percent\":%s}", (n++ ? "," : ""), quote($0), share }
      END { print "]}" }'
    ;;
  *)
    echo "there is no tool $1 here" >&2
    exit 2
    ;;
esac
