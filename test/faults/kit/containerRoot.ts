/** A root as a container has it: read-only, with one volume, for a user who has no name. */
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const repository = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "")
const user = 54_321

/** `$1`: an empty directory, `$2`: the repository, `$3`: the user, `$4`: file of a control group, or nothing. */
const script = `
set -e
root=$1 repository=$2 user=$3 group=$4
shift 4
[ -z "$group" ] || echo $$ > "$group"
mount -t tmpfs tmpfs "$root"
for name in bin sbin lib lib64 usr; do
  if [ -L "/$name" ]; then cp -P "/$name" "$root/$name"
  elif [ -d "/$name" ]; then mkdir "$root/$name"; mount --bind "/$name" "$root/$name"; fi
done
mkdir "$root/dev" "$root/etc" "$root/proc" "$root/tmp" "$root/state" "$root/work"
# Before the repository, which may be below it.
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mkdir -p "$root$repository"
mount --bind "$repository" "$root$repository"
mount -o remount,bind,ro "$root$repository"
for name in null zero urandom; do : > "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
mount -t proc proc "$root/proc"
mount -t tmpfs -o "mode=700,uid=$user,gid=$user" tmpfs "$root/state"
mount -o remount,ro "$root"
cd "$root/work"
exec chroot "$root" /usr/bin/env -C /work setpriv --reuid="$user" --regid="$user" --clear-groups --bounding-set=-all \\
  env -i PATH=/usr/bin:/bin XDG_STATE_HOME=/state "$@"
`

const unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]

/** The command that starts a program as process 1 in such a root. `group`: see `makeProcessLimit`. */
export const inContainer = (root: string, group: string | undefined, program: ReadonlyArray<string>) => [
  ...[...unshare, "sh", "-c", script, "sh", root, repository, String(user), group ?? ""],
  ...program
]

/** Why no such root can be made here; undefined if one can. */
export const containerProblem = (root: string): string | undefined => {
  if (process.getuid?.() !== 0) return "only root can make one"
  const [command = "", ...args] = inContainer(root, undefined, ["cat", join(repository, "package.json")])
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" })
  return status === 0 ? undefined : stderr
}

export interface ProcessLimit {
  /** The file of its processes: a pid that is written into it is limited, with its children. */
  readonly group: string
  readonly remove: () => void
}

const hierarchies = () =>
  readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, , kind = "", options = ""]) => kind === "cgroup2" || (kind === "cgroup" && options.includes("pids")))
    .map(([, path = ""]) => path)

/** A control group with a limit on processes; undefined where none can be made. */
export const makeProcessLimit = (most: number): ProcessLimit | undefined => {
  for (const parent of hierarchies()) {
    const directory = join(parent, `reins-test-${process.pid}`)
    try {
      mkdirSync(directory)
      writeFileSync(join(directory, "pids.max"), String(most))
      return { group: join(directory, "cgroup.procs"), remove: () => rmdirSync(directory) }
    } catch {
      spawnSync("rmdir", [directory]) // it may not have been made
    }
  }
  return undefined
}
