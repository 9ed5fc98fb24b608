/**
 * The program as process 1, as in a container without an init: orphans become children of process 1, and Node never reaps
 * those, so that each run would leave entries in the process table. The program replaces itself by a shell that starts it
 * again as a child, forwards signals, reaps, and exits as it did.
 */
import { accessSync, constants } from "node:fs"

const shell = "/bin/sh"

/**
 * For dash and bash. Shells give a background job `/dev/null` as stdin, hence descriptor 3. `wait` reaps all children. A
 * trap interrupts it, in bash (5.2) also the next one: a code over 128 counts when it is repeated, or followed by 127,
 * which says that the child had ended.
 * The terminal sends Ctrl-C to the child, too: forwarded, it would be the second one, which ends the program at once.
 * The end of process 1 ends all others: the reaper of a child that was killed (`system/process/reaper.ts`) is awaited.
 */
export const script = `
child= early= trapped=
forward() {
  trapped=yes
  if [ -n "$child" ]; then kill -s "$1" "$child"; else early=$1; fi 2>/dev/null
}
trap 'forward TERM' TERM
trap 'forward HUP' HUP
trap 'forward INT' INT
if (: </dev/tty) 2>/dev/null; then trap 'trapped=yes' INT; fi
exec 3<&0
"$@" <&3 3<&- &
child=$!
exec 3<&-
[ -z "$early" ] || kill -s "$early" "$child"
status=127
last=
while
  trapped=
  wait "$child"
  code=$?
  [ "$code" = 127 ] || status=$code
  [ -n "$trapped" ] || { [ "$code" -gt 128 ] && [ "$code" != "$last" ] && last=$code; }
do :; done 2>/dev/null
rounds=0
while [ "$status" -gt 128 ] && [ "$rounds" -lt 100 ] && grep -qs 'reins-[r]eaper' /proc/[2-9]/cmdline /proc/[1-9][0-9]*/cmdline; do
  rounds=$((rounds + 1))
  sleep 0.1
done
exit "$status"
`

const canRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Does not return if this is process 1 and can be replaced. Node aborts where the replacement fails: hence the check. */
export const leaveFirstProcess = (): void => {
  if (process.pid !== 1 || process.execve === undefined || !canRun(shell)) return
  const own = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(shell, ["sh", "-c", script, "reins", ...own], process.env)
}
