/**
 * The program of the keeper, for `/bin/sh -c`. It reads `add <pgid>:<born>:<marker>` and `del <marker>` and, when its input
 * ends because the host is gone, ends what is still on its list: SIGTERM, one second, SIGKILL, to the groups and to every
 * process that carries a marker. A group is left alone when its leader's start time is another: then the number is reused.
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

born() {
  read -r stat < "/proc/$1/stat" || return 0
  set -- \${stat##*) }
  shift 19
  printf %s "$1"
}
ours() {
  [ "$1" != 0 ] || return 1
  [ -d "/proc/$1" ] || return 0
  [ "$(born "$1")" = "$2" ]
}
marked() {
  set --
  for each in $list; do set -- "$@" -e "BAILIWICK_SPAWN=\${each##*:}"; done
  for file in $(grep -laF "$@" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    printf '%s ' "\${file%/environ}"
  done
}
groups() {
  for each in $list; do
    pgid=\${each%%:*}
    rest=\${each#*:}
    ours "$pgid" "\${rest%%:*}" && kill -s "$1" -- "-$pgid"
  done
  for pid in $(marked); do kill -s "$1" "$pid"; done
}
groups TERM
sleep 1
groups KILL
round=0
while [ -n "$(marked)" ] && [ $round -lt 20 ]; do
  groups KILL
  sleep 0.1
  round=$((round + 1))
done
`;
