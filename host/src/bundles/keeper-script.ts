/**
 * The program of the keeper, for `/bin/sh -c`. It reads `add <pgid>:<born>:<brand>:<marker>` and `del <marker>` and, when its
 * input ends because the host is gone, ends what is still on its list: SIGTERM, 0.8 seconds at most, SIGKILL, to the groups, to
 * every process that carries a brand or a marker, and to whatever these started. A group is left alone when its leader's start
 * time is another: then the number is reused.
 *
 * Most programs end by themselves when the host is gone, and where there are no brands, who has lost its parents is nobody's
 * any more. So the groups are halted first, before anything that takes time, and go on when it is known what belongs to them.
 *
 * A look at a machine with thousands of processes must not take long, hence one `grep` and one `awk` for all of them.
 */
export const KEEPER_SCRIPT = `
trap '' HUP INT QUIT TERM PIPE USR1 USR2 ALRM
list=
while read -r verb item; do
  case $verb in
    add) list="$list $item" ;;
    del)
      rest=
      for each in $list; do
        case $each in *:"$item") ;; *) rest="$rest $each" ;; esac
      done
      list=$rest ;;
  esac
done
[ -n "$list" ] || exit 0

# The start time of a process; fails for one that is gone. A name may hold line breaks and parentheses.
look() {
  last=
  while IFS= read -r line || [ -n "$line" ]; do last=$line; done < "/proc/$1/stat" || return 1
  set -- \${last##*) }
  [ $# -ge 20 ] || return 1
  case $1 in Z | X) return 1 ;; esac
  shift 19
  born=$1
}
ours() {
  [ "$1" != 0 ] || return 1
  look "$1" || return 0
  [ "$born" = "$2" ]
}
find_groups() {
  groups=
  for each in $list; do
    rest=\${each#*:}
    ours "\${each%%:*}" "\${rest%%:*}" && groups="$groups \${each%%:*}"
  done
}
# Files of /proc that hold a brand or a marker, a line each.
marked() {
  set --
  for each in $list; do
    rest=\${each%:*}
    set -- "$@" -e " \${rest##*:} " -e "BAILIWICK_SPAWN=\${each##*:}"
  done
  grep -laF "$@" /proc/[0-9]*/limits /proc/[0-9]*/environ
}
# All that is left, as "<pid>:<born> ...": what was found before and still runs, and what belongs to that by now.
gather() {
  find_groups
  kin=$({
    marked
    grep -aHo '[)] [^)]*$' /proc/[0-9]*/stat
  } | awk -v before="$kin" -v groups="$groups" '
    { split($1, path, "/"); pid = path[3] }
    NF == 1 { marked[pid]; next }
    NF > 20 && $2 != "Z" && $2 != "X" { parent[pid] = $3; group[pid] = $4; born[pid] = $21 }
    END {
      for (i = split(before, list, " "); i > 0; i--) known[list[i]]
      for (i = split(groups, list, " "); i > 0; i--) ours[list[i]]
      for (pid in born) {
        if (pid in marked || group[pid] in ours || (pid ":" born[pid]) in known) kin[pid]
      }
      do {
        more = 0
        for (pid in born) if (!(pid in kin) && parent[pid] in kin) { kin[pid]; more = 1 }
      } while (more)
      for (pid in kin) printf "%s:%s ", pid, born[pid]
    }')
  [ -n "$kin" ]
}
send() {
  for group in $groups; do kill -s "$1" -- "-$group"; done
  for each in $kin; do kill -s "$1" "\${each%%:*}"; done
}
# Whether any of them still runs.
alive() {
  for each in $kin; do kill -s 0 "\${each%%:*}" && return 0; done
  return 1
}
kin=
find_groups
send STOP
gather
send TERM
send CONT
round=0
while alive && [ $round -lt 4 ]; do
  sleep 0.2
  round=$((round + 1))
done
round=0
while gather && [ $round -lt 20 ]; do
  send KILL
  sleep 0.1
  round=$((round + 1))
done
`;
