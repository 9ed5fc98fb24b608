/** Sessions begun in the CLIs, read from their files. Never fails: problems are warnings, after 10 s it stops. */
import { Effect, Result, Stream } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { KnownSession } from "../../cli/stored/checked.ts"
import { present } from "../../contract/present.ts"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { untraced } from "../../contract/untraced.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"

/** A CLI, and the environment that locates its sessions. Default: that of the host. */
export interface OutsideCli {
  readonly cli: Pick<Cli, "id" | "stored">
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

export interface OutsideSessions {
  /** The last used first. */
  readonly sessions: ReadonlyArray<SessionInfo>
  /** For people: skipped files, and why. */
  readonly warnings: ReadonlyArray<string>
}

/** Limit for each CLI. */
const mostSessions = 200
const longestMs = 10_000

const infoOf = (cli: string, session: KnownSession): SessionInfo => {
  const { isArchived, title, directory, model, createdAt, turns, costUsd, sessionId, usedAt } = session
  return {
    cli,
    sessionId,
    origin: "outside",
    state: isArchived ? "archived" : "live",
    usedAt,
    ...present({ title, directory, model, createdAt, turns, costUsd })
  }
}

/** Loaded on demand: a run does not need it. */
const finding = Effect.promise(() => import("../../cli/stored/find.ts"))
const limited = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(longestMs)])
const environmentOf = ({ env }: OutsideCli) => (env === undefined ? HostEnvironment : Effect.succeed(env))

const listOutsideOf = Effect.fn(...untraced("Outside.listOutsideOf"))(function* (of: OutsideCli, limit = mostSessions) {
  const { findNewest } = yield* finding
  const store = { cli: of.cli, env: yield* environmentOf(of) }
  const { sessions, skipped } = yield* Effect.promise((signal) => findNewest(store, limit, limited(signal)))
  const warnings = skipped.map(({ path, problem }) => `${of.cli.id}: ${JSON.stringify(path)} ${problem}`)
  return { sessions: sessions.map((session) => infoOf(of.cli.id, session)), warnings }
})

/** The newest 200 of each CLI, the last used first. */
export const listOutside = (clis: ReadonlyArray<OutsideCli>): Effect.Effect<OutsideSessions> =>
  Effect.map(
    Effect.forEach(clis, (of) => listOutsideOf(of), { concurrency: 4 }),
    (lists) => ({
      sessions: lists.flatMap(({ sessions }) => sessions).toSorted((a, b) => b.usedAt - a.usedAt),
      warnings: lists.flatMap(({ warnings }) => warnings)
    })
  )

/** One by its id; undefined where the CLI has none. */
export const findOutside = Effect.fn(...untraced("Outside.findOutside"))(function* (of: OutsideCli, sessionId: string) {
  const { findStored } = yield* finding
  const store = { cli: of.cli, env: yield* environmentOf(of) }
  const found = yield* Effect.promise((signal) => findStored(store, sessionId, limited(signal)))
  return found && infoOf(of.cli.id, found.session)
})

/** Prompts and answers from the CLI's files; undefined if missing. Fails if a file cannot be read to its end. */
export const readOutside = Effect.fn(...untraced("Outside.readOutside"))(function* (of: OutsideCli, sessionId: string) {
  const { storedItems } = yield* Effect.promise(() => import("../../cli/stored/items.ts"))
  const store = { cli: of.cli, env: yield* environmentOf(of) }
  const found = yield* Effect.result(
    Effect.tryPromise({ try: (signal) => storedItems(store, sessionId, signal), catch: errorOf })
  )
  if (Result.isFailure(found)) return Stream.fail(found.failure)
  const items = found.success
  return items && Stream.flatMap(Stream.fromAsyncIterable(items, errorOf), (some) => Stream.fromIterable(some))
})

const errorOf = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))
