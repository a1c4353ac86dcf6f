/**
 * The program of the keeper, for `/bin/sh -c`. It reads `add <pgid>:<born>:<marker>` and `del <marker>` and, when its input
 * ends because the host is gone, ends what is still on its list: SIGTERM, one second, SIGKILL, to the groups, to every process
 * that carries a marker, and to whatever these started. A group is left alone when its leader's start time is another: then
 * the number is reused.
 *
 * Most programs end by themselves when the host is gone, and who has lost its parents is nobody's any more. So the groups are
 * halted first, before anything that takes time, and go on when it is known what belongs to them. A program may still be
 * faster; a sandbox leaves nothing to that.
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
  groups=' '
  for each in $list; do
    rest=\${each#*:}
    ours "\${each%%:*}" "\${rest%%:*}" && groups="$groups\${each%%:*} "
  done
}
marked() {
  set --
  for each in $list; do set -- "$@" -e "BAILIWICK_SPAWN=\${each##*:}"; done
  for file in $(grep -laF "$@" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    printf '%s ' "\${file%/environ}"
  done
}
# All that run, as " <pid>:<born>:<parent>:<group> ...".
list_all() {
  table=' '
  IFS='
'
  for line in $(grep -aHo '[)] [^)]*$' /proc/[0-9]*/stat); do
    unset IFS
    pid=\${line#/proc/}
    pid=\${pid%%/*}
    set -- \${line##*) }
    [ $# -ge 20 ] || continue
    case $1 in Z | X) continue ;; esac
    rest=$2:$3
    shift 19
    table="$table$pid:$1:$rest "
  done
  unset IFS
}
# All that is left, as " <pid>:<born> ...": what was found before and still runs, and what belongs to that by now.
kin=' '
gather() {
  before=$kin
  kin=' '
  find_groups
  list_all
  for each in $before; do
    case $table in *" $each:"*) kin="$kin$each " ;; esac
  done
  for pid in $(marked); do look "$pid" && kin="$kin$pid:$born "; done
  more=1
  while [ -n "$more" ]; do
    more=
    for row in $table; do
      pid=\${row%%:*}
      case $kin in *" $pid:"*) continue ;; esac
      rest=\${row#*:}
      born=\${rest%%:*}
      rest=\${rest#*:}
      case $groups in *" \${rest#*:} "*) ;; *)
        case $kin in *" \${rest%%:*}:"*) ;; *) continue ;; esac
      esac
      kin="$kin$pid:$born "
      more=1
    done
  done
  [ "$kin" != ' ' ]
}
send() {
  for group in $groups; do kill -s "$1" -- "-$group"; done
  for each in $kin; do kill -s "$1" "\${each%%:*}"; done
}
find_groups
send STOP
gather
send TERM
send CONT
sleep 1
gather
send KILL
round=0
while gather && [ $round -lt 20 ]; do
  send KILL
  sleep 0.1
  round=$((round + 1))
done
`;
