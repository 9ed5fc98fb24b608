/** Environments that hosts run in, alone or several at once, and how a program is started in them. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { endAll, processesWith, until } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"

interface Environment {
  /** Two of the same part exclude each other. */
  readonly part: string
  /** Flags of `unshare`. */
  readonly namespaces?: ReadonlyArray<string>
  /** A shell runs them before it becomes the program. `$place` is the directory of the run. */
  readonly lines?: string
  readonly redirections?: string
  /** In front of the program. */
  readonly by?: ReadonlyArray<string>
  readonly variables?: (place: string) => Readonly<Record<string, string | undefined>>
  /** Flags of Node. */
  readonly flags?: ReadonlyArray<string>
}

const nameless = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"]

/** In the order in which they are made. */
const known = {
  "process 1": { part: "process", namespaces: ["--pid", "--fork", "--mount-proc", "--kill-child"] },
  "deleted working directory": { part: "directory", lines: 'rmdir "$PWD"' },
  "full disk": {
    part: "disk",
    namespaces: ["--mount"],
    lines: `mount -t tmpfs -o size=256k,mode=1777 tmpfs "$place/disk"
      mkdir "$place/disk/home"
      cat /dev/zero > "$place/disk/fill" 2> /dev/null || :
      [ ! -d "$PWD" ] || cd "$place/disk"`,
    variables: (place) => ({ HOME: join(place, "disk/home"), TMPDIR: join(place, "disk") })
  },
  "read-only file system": {
    part: "disk",
    namespaces: ["--mount"],
    lines: `mount --bind "$place" "$place"
      mount -o remount,bind,ro "$place"
      [ ! -d "$PWD" ] || cd "$PWD"`
  },
  "no HOME and no name": { part: "user", by: nameless, variables: () => ({ HOME: undefined }) },
  "the HOME of containers": { part: "user", by: nameless, variables: () => ({ HOME: "/" }) },
  "no terminal": { part: "terminal", by: ["setsid", "--wait"] },
  "small heap": { part: "heap", flags: ["--max-old-space-size=32"] },
  "few descriptors": { part: "descriptors", lines: 'ulimit -n "$descriptors"' },
  "closed stdin": { part: "stdio", redirections: "<&-" },
  "closed stdin and stdout": { part: "stdio", redirections: "<&- >&-" },
  "closed stdin, stdout and stderr": { part: "stdio", redirections: "<&- >&- 2>&-" }
} as const satisfies Record<string, Environment>

export type EnvironmentName = keyof typeof known

const of = (name: EnvironmentName): Environment => known[name]
const isRoot = process.getuid?.() === 0
const unshare = (flags: ReadonlyArray<string>) => ["unshare", ...flags, ...(isRoot ? [] : ["--map-root-user"])]

const canBeMade = (name: EnvironmentName) => {
  const { namespaces, by } = of(name)
  const words = [...(namespaces === undefined ? [] : unshare(namespaces)), ...(by ?? []), "true"]
  return spawnSync(words[0] ?? "", words.slice(1)).status === 0
}

/** Names of those that can be made here; the others are named in a warning. */
export const environments = Object.keys(known).filter((name): name is EnvironmentName => {
  const can = canBeMade(name as EnvironmentName)
  if (!can) console.warn(`SKIPPED: the environment "${name}" cannot be made here`)
  return can
})

/** Without those that do not go with one before them, and those of `parts`. */
export const together = (names: ReadonlyArray<EnvironmentName>, parts: ReadonlyArray<string>) =>
  names.filter((name, index) => {
    const { part } = of(name)
    return names.findIndex((other) => of(other).part === part) === index && !parts.includes(part)
  })

interface Program {
  readonly runtime: string
  readonly args: ReadonlyArray<string>
  /** How many files it may have open among `few descriptors`. */
  readonly descriptors: number
  readonly variables?: Readonly<Record<string, string>>
}

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly left: ReadonlyArray<number>
}

const linesOf = (all: ReadonlyArray<Environment>) =>
  [
    "set -e; place=$1 descriptors=$2; shift 2",
    ...all.flatMap(({ lines }) => lines ?? []),
    `exec "$@" ${all.map(({ redirections }) => redirections ?? "").join(" ")}`
  ].join("\n")

const directoriesIn = (place: string) => {
  const names = ["home", "tmp", "work", "disk"] as const
  for (const name of names) {
    mkdirSync(join(place, name))
    chmodSync(join(place, name), name === "home" ? 0o700 : 0o777)
  }
  chmodSync(place, 0o755)
}

/** Its processes know their place by a variable: what is left of them is ended. */
export const runIn = (names: ReadonlyArray<EnvironmentName>, { runtime, args, descriptors, variables: own }: Program) =>
  Effect.gen(function* () {
    const place = yield* makeDirectory
    directoriesIn(place)
    const all = environmentsInOrder(names)
    const namespaces = [...new Set(all.flatMap(({ namespaces }) => namespaces ?? []))]
    const words = [
      ...(namespaces.length === 0 ? [] : unshare(namespaces)),
      ...["/bin/sh", "-c", linesOf(all), "sh", place, String(descriptors)],
      ...all.flatMap(({ by }) => by ?? []),
      ...[runtime, ...all.flatMap(({ flags }) => flags ?? []), ...args]
    ]
    const env = {
      PATH: "/usr/bin:/bin",
      HOME: join(place, "home"),
      TMPDIR: join(place, "tmp"),
      REINS_TEST_PLACE: place,
      ...own,
      ...Object.assign({}, ...all.map(({ variables }) => variables?.(place)))
    }
    const child = spawn(words[0] ?? "", words.slice(1), {
      cwd: join(place, "work"),
      env,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)])
    const [[code, signal], stdout, stderr] = yield* Effect.promise(() => ended)
    yield* Effect.exit(until(() => processesWith(place).length === 0, 5_000))
    const left = processesWith(place)
    endAll(left)
    return { code, signal, stdout, stderr, left } as Ended
  }).pipe(Effect.scoped)

const environmentsInOrder = (names: ReadonlyArray<EnvironmentName>) =>
  environments.filter((name) => names.includes(name)).map(of)
