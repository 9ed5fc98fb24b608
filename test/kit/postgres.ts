/**
 * A PostgreSQL server of the distribution's packages, for the tests of one process: with a port, a password and a directory
 * of its own, as an ordinary user. A shell holds it, and ends it as soon as this process is gone, however it ends.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { Effect, Redacted } from "effect"

/** PostgreSQL refuses to be root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

const packages = "/usr/lib/postgresql"

/** Folder of the newest installed version. */
const findPrograms = (): string | undefined => {
  const versions = existsSync(packages) ? readdirSync(packages) : []
  const newest = versions.map(Number).sort((a, b) => b - a)
  const folders = [...newest.map((version) => join(packages, String(version), "bin")), "/usr/local/bin", "/usr/bin"]
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name))))
}

const programs = findPrograms()

/** Whether tests can have a server here. */
export const hasPostgres = programs !== undefined

if (!hasPostgres)
  console.warn("SKIPPED: the tests on PostgreSQL, which is not installed here (apt-get install postgresql)")

export interface Postgres {
  readonly port: number
  /** `fast` ends what is connected in good order; after `immediate` it begins with a recovery, as after a power cut. */
  readonly stop: (mode: "fast" | "immediate") => Promise<void>
  /** Resolves when it accepts connections. */
  readonly start: () => Promise<void>
  readonly password: string
  readonly urlOf: (database: string) => string
  /** By its SQL, as the owner of all. */
  readonly psql: (database: string, statement: string) => string
  /** Ends it now, for those who look at what is left behind. */
  readonly end: () => Promise<void>
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Its stdin is orders, and its end the last of them. */
const script = `
trap "" PIPE
start() {
  "$1/postgres" -D "$2/data" -p "$3" -k "$2" -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=120 \\
    -c shared_buffers=32MB -c log_min_messages=log $4 </dev/null >&2 &
  pid=$!
}
start "$@"
while read -r order; do
  case $order in
    start) start "$@" ;;
    *) kill -s "$order" $pid; wait $pid; echo stopped ;;
  esac
done
kill -QUIT $pid 2> /dev/null
wait
rm -rf "$2"
`

const signals = { fast: "INT", immediate: "QUIT" } as const

/** Its user may not be let into a directory for temporary files of another. */
const isOpenToAll = (directory: string): boolean => {
  const above = dirname(directory)
  return (statSync(directory).mode & 0o001) !== 0 && (above === directory || isOpenToAll(above))
}

const start = async (folder: string, settings = ""): Promise<Postgres> => {
  const temporary = nobody.uid === undefined || isOpenToAll(tmpdir()) ? tmpdir() : "/tmp"
  const directory = mkdtempSync(join(temporary, "pg-"))
  const password = crypto.randomUUID()
  const passwordFile = join(directory, "password")
  writeFileSync(passwordFile, password)
  if (nobody.uid !== undefined) for (const path of [directory, passwordFile]) chownSync(path, nobody.uid, nobody.gid)
  const initial = [
    "--auth=scram-sha-256",
    "--username=reins",
    `--pwfile=${passwordFile}`,
    "--no-sync",
    "--encoding=UTF8"
  ]
  try {
    execFileSync(join(folder, "initdb"), ["-D", join(directory, "data"), "--locale=C", ...initial], {
      ...nobody,
      cwd: directory,
      stdio: "pipe"
    })
  } catch (cause) {
    rmSync(directory, { recursive: true, force: true })
    throw cause
  }
  const port = await freePort()
  const child = spawn("/bin/sh", ["-c", script, "sh", folder, directory, String(port), settings], {
    ...nobody,
    cwd: directory,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"]
  })
  child.stderr.setEncoding("utf8")
  const isReady = () =>
    new Promise<void>((resolve, reject) => {
      let log = ""
      const settle = (then: () => void) => {
        child.stderr.removeAllListeners("data").resume()
        child.removeAllListeners("exit")
        then()
      }
      child.stderr.on("data", (text) => {
        log += text
        if (log.includes("ready to accept connections")) settle(resolve)
      })
      child.on("exit", () => settle(() => reject(new Error(`PostgreSQL did not start: ${log}`))))
    })
  await isReady()
  const lines = createInterface({ input: child.stdout })
  /** This process waits for an answer, and for nothing else of the server. */
  const hold = (way: "ref" | "unref") => {
    for (const handle of [child, child.stdin, child.stdout, child.stderr])
      (handle as { ref?: () => void; unref?: () => void })[way]?.()
  }
  const order = async (text: string, answered: () => Promise<unknown>) => {
    hold("ref")
    const answer = answered()
    child.stdin.write(`${text}\n`)
    await answer
    hold("unref")
  }
  hold("unref")
  const urlOf = (database: string) => `postgres://reins:${password}@127.0.0.1:${port}/${database}`
  const psql = (database: string, statement: string) =>
    execFileSync(join(folder, "psql"), ["-Atqc", statement, urlOf(database)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"]
    }).trim()
  const end = () =>
    new Promise<void>((resolve) => {
      child.ref()
      child.once("exit", () => resolve())
      child.stdin.end()
    })
  return {
    port,
    password,
    urlOf,
    psql,
    stop: (mode) => order(signals[mode], () => once(lines, "line")),
    start: () => order("start", isReady),
    end
  }
}

/** One of its own, with other settings: `-c name=value …`, of which the last of a name counts. */
export const startPostgres = (settings: string): Promise<Postgres> =>
  programs === undefined ? Promise.reject(new Error("PostgreSQL is not installed here")) : start(programs, settings)

let running: Promise<Postgres> | undefined

/** The server, started by the first test that asks. */
export const postgres: Effect.Effect<Postgres> = Effect.promise(() => {
  if (programs === undefined) throw new Error("PostgreSQL is not installed here")
  running ??= start(programs)
  return running
})

let databases = 0

/** The URL of an empty database. */
export const makeDatabase = Effect.gen(function* () {
  const { psql, urlOf } = yield* postgres
  const name = `test_${process.pid}_${databases++}`
  psql("postgres", `create database ${name}`)
  return { name, url: Redacted.make(urlOf(name)) }
})
