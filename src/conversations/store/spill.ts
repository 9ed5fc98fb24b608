/** Keeps values that the store cannot take: in private files of the state directory, else in memory, until it can. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Result, Schema } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import { openStateDirectory } from "../../system/locks/stateDirectory.ts"
import type { OpenStore } from "./OpenStore.ts"

export interface SpillOptions<Value> {
  /** Folder in the state directory. */
  readonly folder: string
  /** Checks values read from a file. */
  readonly schema: Schema.Codec<Value, unknown>
  /** For messages, such as `the usage of a run`. */
  readonly subject: string
  /** Longest file; a longer one was not written by us. */
  readonly mostBytes: number
  /** Idempotent. */
  readonly write: (store: OpenStore, value: Value) => Effect.Effect<unknown, StoreError>
}

export interface Spill<Value> {
  /** Returns true if it is in the store. Never fails: keeps what cannot be written, and logs what cannot be kept. */
  readonly writeOrKeep: (store: OpenStore, value: Value) => Effect.Effect<boolean>
  /** Writes the kept values of this store. Unreadable files stay, and are logged. */
  readonly writeKept: (store: OpenStore) => Effect.Effect<void>
}

/** Less than the second for which the end of a run is held back. */
const budget = "800 millis"
const mostFiles = 10_000
/** In memory, of each store. */
const mostInMemory = 500
const prefixOf = ({ place }: OpenStore) => `${createHash("sha256").update(place).digest("hex").slice(0, 16)}-`

const filesIn = (directory: string, store: OpenStore) => {
  const prefix = prefixOf(store)
  return readdirSync(directory)
    .filter((name) => name.startsWith(prefix) && name.endsWith(".json"))
    .slice(0, mostFiles)
    .map((name) => join(directory, name))
}

export const makeSpill = <Value>(options: SpillOptions<Value>): Spill<Value> => {
  const { folder, subject, mostBytes, write } = options
  const codec = Schema.fromJsonString(Schema.Struct({ version: Schema.Literal(1), value: options.schema }))
  const encode = Schema.encodeSync(codec)
  const decode = Schema.decodeUnknownResult(codec)
  /** Stores with kept values of this process: it retries as soon as one of them takes a value. */
  const waiting = new WeakSet<OpenStore>()
  /** Values that no file could take, in order. */
  const inMemory = new WeakMap<OpenStore, ReadonlyArray<Value>>()

  /** Returns false if there are too many. */
  const remember = (store: OpenStore, value: Value): boolean => {
    const present = inMemory.get(store) ?? []
    if (present.length >= mostInMemory) return false
    inMemory.set(store, [...present, value])
    waiting.add(store)
    return true
  }
  const opened = Effect.map(openStateDirectory(folder), (state) => join(state, folder))
  const keep = (store: OpenStore, value: Value) =>
    Effect.flatMap(opened, (directory) =>
      Effect.try(() => {
        const file = join(directory, `${prefixOf(store)}${crypto.randomUUID()}.json`)
        // A half-written file has another name.
        try {
          writeFileSync(`${file}.new`, encode({ version: 1, value }), { mode: 0o600, flag: "wx" })
          renameSync(`${file}.new`, file)
        } catch (error) {
          rmSync(`${file}.new`, { force: true })
          throw error
        }
        waiting.add(store)
      })
    )

  const readOne = (file: string): Value | undefined => {
    if (statSync(file).size > mostBytes) return undefined
    const decoded = decode(readFileSync(file, "utf8"))
    return Result.isSuccess(decoded) ? decoded.success.value : undefined
  }

  const writeRemembered = Effect.fnUntraced(function* (store: OpenStore) {
    while (true) {
      const [value] = inMemory.get(store) ?? []
      if (value === undefined) return
      yield* write(store, value)
      inMemory.set(
        store,
        (inMemory.get(store) ?? []).filter((other) => other !== value)
      )
    }
  })

  const writeKept = Effect.fnUntraced(
    function* (store: OpenStore) {
      yield* writeRemembered(store)
      if (store.kind === "memory") return
      const directory = yield* opened
      for (const file of yield* Effect.try(() => filesIn(directory, store))) {
        // Another process may have been faster.
        const value = yield* Effect.option(Effect.try(() => readOne(file)))
        if (Option.isNone(value)) continue
        if (value.value === undefined) {
          yield* Effect.logWarning(`${file} is not ${subject}, and is left as it is`)
          continue
        }
        yield* write(store, value.value)
        yield* Effect.try(() => rmSync(file, { force: true }))
      }
    },
    (values, store) =>
      Effect.catch(values, (error: { readonly message: string }) => {
        waiting.add(store)
        return Effect.logWarning(`${subject} waits for the store: ${error.message}`)
      })
  )

  const writeOrKeep: Spill<Value>["writeOrKeep"] = (store, value) => {
    const spill = (problem: string) => {
      if (store.kind === "memory") return Effect.logWarning(`${subject} is lost: ${problem}`)
      return keep(store, value).pipe(
        Effect.andThen(
          Effect.logWarning(`${subject} is kept in a file until the store can be written again: ${problem}`)
        ),
        Effect.catch(() =>
          Effect.suspend(() =>
            remember(store, value)
              ? Effect.logWarning(`${subject} is kept in memory, since no file can be written either: ${problem}`)
              : Effect.logError(`${subject} is lost, since no file can be written either: ${problem}`)
          )
        )
      )
    }
    const writeWaiting = Effect.suspend(() => (waiting.delete(store) ? writeKept(store) : Effect.void))
    return Effect.timeoutOption(write(store, value), budget).pipe(
      Effect.flatMap((isWritten) =>
        Option.isSome(isWritten) ? Effect.as(writeWaiting, true) : Effect.as(spill("it did not answer in time"), false)
      ),
      Effect.catch((error) => Effect.as(spill(error.message), false)),
      Effect.onInterrupt(() => spill("the agent was closed"))
    )
  }
  return { writeOrKeep, writeKept }
}
