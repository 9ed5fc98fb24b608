/**
 * Ends of turns that the store could not take: each is a file of the state directory, for its owner only, until the store is
 * opened again. A store that fails in the middle of a run costs the run nothing.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Result, Schema } from "effect"
import { openStateDirectory } from "../locks/stateDirectory.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { Settlement, writeSettlement } from "./settlement.ts"

const folder = "unwritten"

const codec = Schema.fromJsonString(Schema.Struct({ version: Schema.Literal(1), settlement: Settlement }))
const encode = Schema.encodeSync(codec)
const decode = Schema.decodeUnknownResult(codec)

/** Less than the second for which the end of a run is held back. */
const budget = "800 millis"

/** A result can be long; a file of something else can be longer. */
const mostBytes = 64 * 1024 * 1024
const mostFiles = 10_000

/** Files of one store begin with the same characters. */
const prefixOf = ({ place }: OpenStore) => createHash("sha256").update(place).digest("hex").slice(0, 16)

const opened = Effect.map(openStateDirectory(folder), (state) => join(state, folder))

const keep = (store: OpenStore, settlement: Settlement) =>
  Effect.flatMap(opened, (directory) =>
    Effect.try(() => {
      const file = join(directory, `${prefixOf(store)}-${crypto.randomUUID()}.json`)
      // A half-written one has another name.
      writeFileSync(`${file}.new`, encode({ version: 1, settlement }), { mode: 0o600, flag: "wx" })
      renameSync(`${file}.new`, file)
    })
  )

/** Never fails: what cannot be written is kept, and what cannot be kept is told in the log. */
export const settleOrSpill = (store: OpenStore, settlement: Settlement): Effect.Effect<void> => {
  const spill = (problem: string) => {
    if (store.kind === "memory") return Effect.logWarning(`the end of a turn is lost: ${problem}`)
    return keep(store, settlement).pipe(
      Effect.andThen(
        Effect.logWarning(`the end of a turn is kept in a file until the store is opened again: ${problem}`)
      ),
      Effect.catch(() => Effect.logError(`the end of a turn is lost, since no file can be written either: ${problem}`))
    )
  }
  const late = "it did not answer in time"
  return Effect.timeoutOption(writeSettlement(store, settlement), budget).pipe(
    Effect.flatMap((written) => (Option.isSome(written) ? Effect.void : spill(late))),
    Effect.catch((error) => spill(error.message)),
    Effect.onInterrupt(() => spill("the agent was closed"))
  )
}

const readOne = (file: string): Settlement | undefined => {
  if (statSync(file).size > mostBytes) return undefined
  const decoded = decode(readFileSync(file, "utf8"))
  return Result.isSuccess(decoded) ? decoded.success.settlement : undefined
}

const filesIn = (directory: string, store: OpenStore) => {
  const prefix = `${prefixOf(store)}-`
  return readdirSync(directory)
    .filter((name) => name.startsWith(prefix) && name.endsWith(".json"))
    .slice(0, mostFiles)
    .map((name) => join(directory, name))
}

/** Writes what was kept for this store. What cannot be read is left where it is, and told. */
export const writeSpilled = Effect.fnUntraced(
  function* (store: OpenStore) {
    if (store.kind === "memory") return
    const directory = yield* opened
    for (const file of yield* Effect.try(() => filesIn(directory, store))) {
      // Another process may have been faster.
      const settlement = yield* Effect.option(Effect.try(() => readOne(file)))
      if (Option.isNone(settlement)) continue
      if (settlement.value === undefined) {
        yield* Effect.logWarning(`${file} is not the end of a turn, and is left as it is`)
        continue
      }
      yield* writeSettlement(store, settlement.value)
      yield* Effect.try(() => rmSync(file, { force: true }))
    }
  },
  Effect.catch((error: { readonly message: string }) =>
    Effect.logWarning(`ends of turns wait for the store: ${error.message}`)
  )
)
