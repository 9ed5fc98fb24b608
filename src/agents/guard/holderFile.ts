/**
 * The file beside a lock that names its holder, for people and for the next holder: written when the lock is taken, removed
 * before it is released. A file that is left tells that its holder died. It may be of another version, or damaged, so it is
 * read up to a limit, and checked.
 */
import { lstatSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { Effect, Option, Schema } from "effect"
import type { SessionHolder } from "../../contract/NotAdmitted.ts"
import { untraced } from "../../contract/untraced.ts"
import { isLocked } from "../../system/locks/fileLocks.ts"
import { Host, type HostIdentity, hostIdentity, isHostAlive } from "../../system/process/host.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"
import { findPlace, type Place, type Subject } from "./place.ts"

/** The process that holds the lock; undefined if it is free. Never fails: an unreadable file counts as free. */
export const whoHolds = (subject: Subject): Effect.Effect<SessionHolder | undefined> =>
  Effect.gen(function* () {
    const place = yield* findPlace(subject)
    const holder = yield* readHolder(place)
    if (holder === undefined || holder === "unreadable") return undefined
    const { pid, start, realm } = holder
    // A holder in another container is known by the lock alone.
    const isAlive = yield* isHostAlive({ id: hostIdOf(holder), pid, start, realm })
    return (isAlive ?? (yield* isLocked(place.lock))) ? asHolder(holder) : undefined
  }).pipe(Effect.orElseSucceed(() => undefined))

/** For messages: cannot control a terminal. */
const Line = Schema.String.check(Schema.isPattern(/^[^\p{C}]{1,255}$/u))

/** The mark of a run: the id of its host, a dot, and its own. */
const RunId = Schema.String.check(Schema.isPattern(/^[0-9a-f-]{36}\.[0-9a-f-]{36}$/))

const Pid = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 31 - 1 }))
const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 }))

export const HolderFile = Schema.Struct({
  version: Schema.Literal(1),
  pid: Pid,
  /** See `HostIdentity`. */
  start: Schema.optionalKey(Line),
  realm: Schema.optionalKey(Line),
  host: Line,
  since: Millis,
  runId: RunId,
  /** Sessions only. */
  cli: Schema.optionalKey(Line),
  /** Sessions only, if it is short. */
  sessionId: Schema.optionalKey(Line)
})
export type HolderFile = typeof HolderFile.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(HolderFile))
const isLine = Schema.is(Line)
const mostBytes = 4096

/** Found once per process: on some platforms another program has to be asked. */
const identities = new WeakMap<Host["processes"], HostIdentity>()

export const ownIdentity = Effect.gen(function* () {
  const { processes } = yield* Host
  const known = identities.get(processes)
  if (known !== undefined) return known
  const found = yield* hostIdentity
  identities.set(processes, found)
  return found
})

export const describeHolder = Effect.fn(...untraced("HolderFile.describeHolder"))(function* (
  subject: Subject,
  runId: string,
  sinceMs: number
) {
  const { pid, start, realm } = yield* ownIdentity
  const name = hostname()
  const holder: HolderFile = {
    version: 1,
    pid,
    ...(start === undefined ? {} : { start }),
    ...(realm === undefined ? {} : { realm }),
    host: isLine(name) ? name : "unknown",
    since: Math.max(0, Math.floor(sinceMs)),
    runId,
    ...(subject.what === "session" && isLine(subject.cli) ? { cli: subject.cli } : {}),
    ...(subject.what === "session" && isLine(subject.sessionId) ? { sessionId: subject.sessionId } : {})
  }
  return holder
})

/** Writes the holder's file, while holding the lock. The lock also holds without the file: other processes see no holder then. */
export const writeHolder = ({ holder: file }: Place, holder: HolderFile) =>
  Effect.sync(() => {
    const fresh = `${file}.new`
    const write = () => writeFileSync(fresh, `${JSON.stringify(holder)}\n`, { flag: "wx", mode: 0o600 })
    try {
      try {
        write()
      } catch {
        // A dead writer may have left it.
        rmSync(fresh, { force: true })
        write()
      }
      renameSync(fresh, file)
    } catch {
      // The disk may be full.
    }
  })

/** Removes the holder's file, while holding the lock. If it stays, the next holder looks for leftovers and finds none. */
export const removeHolder = ({ holder: file }: Place) => Effect.ignore(Effect.try(() => rmSync(file, { force: true })))

/** Returns undefined if the file is missing, `unreadable` if it does not name a holder. */
export const readHolder = ({ holder: file }: Place): Effect.Effect<HolderFile | "unreadable" | undefined> =>
  Effect.gen(function* () {
    const isThere = yield* Effect.sync(() => {
      try {
        return lstatSync(file, { throwIfNoEntry: false }) !== undefined
      } catch {
        return true
      }
    })
    if (!isThere) return undefined
    const reading = yield* Effect.option(Effect.tryPromise(() => readRegular(file, mostBytes, readFlags.notFollowing)))
    const read = Option.getOrUndefined(reading)
    if (read?._tag !== "Read") return "unreadable"
    return Option.getOrElse(decode(new TextDecoder().decode(read.bytes)), () => "unreadable" as const)
  })

/** The id of its host: every mark of that host's runs begins with it. */
export const hostIdOf = ({ runId }: HolderFile) => runId.slice(0, runId.indexOf("."))

export const asHolder = ({ pid, host, since, runId }: HolderFile): SessionHolder => ({ pid, host, since, runId })
