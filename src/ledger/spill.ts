/**
 * Entries that the store could not take: each posting is a file of the state directory, for its owner only, until the store
 * can be written again. A store that fails in the middle of a run costs the run nothing, and the ledger no entry.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Result, Schema } from "effect"
import { openStateDirectory } from "../locks/stateDirectory.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { Posting, post } from "./post.ts"

const folder = "unwritten-usage"

const codec = Schema.fromJsonString(Schema.Struct({ version: Schema.Literal(1), posting: Posting }))
const encode = Schema.encodeSync(codec)
const decode = Schema.decodeUnknownResult(codec)

/** Less than the second for which the end of a run is held back. */
const budget = "800 millis"

const mostBytes = 4 * 1024 * 1024
const mostFiles = 10_000

/** Files of one store begin with the same characters. */
const prefixOf = ({ place }: OpenStore) => createHash("sha256").update(place).digest("hex").slice(0, 16)

const opened = Effect.map(openStateDirectory(folder), (state) => join(state, folder))

const keep = (store: OpenStore, posting: Posting) =>
  Effect.flatMap(opened, (directory) =>
    Effect.try(() => {
      const file = join(directory, `${prefixOf(store)}-${crypto.randomUUID()}.json`)
      // A half-written one has another name.
      writeFileSync(`${file}.new`, encode({ version: 1, posting }), { mode: 0o600, flag: "wx" })
      renameSync(`${file}.new`, file)
    })
  )

/** Postings that this process has kept: it tries again as soon as the store takes another one. */
const waiting = new WeakSet<OpenStore>()

/**
 * True: it is in the store. Never fails: what cannot be written is kept, and what cannot be kept is told in the log.
 */
export const postOrSpill = (store: OpenStore, posting: Posting): Effect.Effect<boolean> => {
  const spill = (problem: string) => {
    if (store.kind === "memory") return Effect.logWarning(`the usage of a run is lost: ${problem}`)
    return keep(store, posting).pipe(
      Effect.andThen(Effect.sync(() => waiting.add(store))),
      Effect.andThen(
        Effect.logWarning(`the usage of a run is kept in a file until the store can be written again: ${problem}`)
      ),
      Effect.catch(() => Effect.logError(`the usage of a run is lost, since no file can be written either: ${problem}`))
    )
  }
  return Effect.timeoutOption(post(store, posting), budget).pipe(
    Effect.flatMap((written) =>
      Option.isSome(written)
        ? Effect.as(postWaiting(store), true)
        : Effect.as(spill("it did not answer in time"), false)
    ),
    Effect.catch((error) => Effect.as(spill(error.message), false)),
    Effect.onInterrupt(() => spill("the agent was closed"))
  )
}

const postWaiting = (store: OpenStore) =>
  Effect.suspend(() => (waiting.delete(store) ? postSpilled(store) : Effect.void))

const readOne = (file: string): Posting | undefined => {
  if (statSync(file).size > mostBytes) return undefined
  const decoded = decode(readFileSync(file, "utf8"))
  return Result.isSuccess(decoded) ? decoded.success.posting : undefined
}

const filesIn = (directory: string, store: OpenStore) => {
  const prefix = `${prefixOf(store)}-`
  return readdirSync(directory)
    .filter((name) => name.startsWith(prefix) && name.endsWith(".json"))
    .slice(0, mostFiles)
    .map((name) => join(directory, name))
}

/** Posts what was kept for this store. What cannot be read is left where it is, and told. */
export const postSpilled = Effect.fnUntraced(
  function* (store: OpenStore) {
    if (store.kind === "memory") return
    const directory = yield* opened
    for (const file of yield* Effect.try(() => filesIn(directory, store))) {
      // Another process may have been faster.
      const posting = yield* Effect.option(Effect.try(() => readOne(file)))
      if (Option.isNone(posting)) continue
      if (posting.value === undefined) {
        yield* Effect.logWarning(`${file} is not the usage of a run, and is left as it is`)
        continue
      }
      yield* post(store, posting.value)
      yield* Effect.try(() => rmSync(file, { force: true }))
    }
  },
  Effect.catch((error: { readonly message: string }) =>
    Effect.logWarning(`the usage of runs waits for the store: ${error.message}`)
  )
)
