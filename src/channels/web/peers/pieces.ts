/** Bytes of a file between two pages: pieces in the store, removed by the caller, or else after an hour. */
import { Clock, Data, Effect, Option, Predicate, Stream } from "effect"
import type { StoreError } from "../../../contract/StoreError.ts"
import { untraced } from "../../../contract/untraced.ts"
import { textIn } from "../../../conversations/store/columns.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"

/** In bytes. */
const pieceBytes = 1_000_000
const keptMs = 60 * 60_000
/** Names in a statement. */
const atOnce = 200

class BrokenOff extends Data.TaggedError("BrokenOff") {}

/** No other name in this store begins with this prefix. */
const prefix = "web:"
const pieceName = (name: string, index: number) => `${prefix}${name}:${index}`

/** Returns the number of pieces, or undefined if the body broke off. Idempotent: existing pieces are not sent again. */
export const putPieces = (
  { sql, transact, read }: OpenStore,
  name: string,
  body: ReadableStream<Uint8Array>
): Effect.Effect<number | undefined, StoreError> => {
  const chunks = Stream.fromReadableStream({ evaluate: () => body, onError: () => new BrokenOff() })
  return Effect.gen(function* () {
    let [rest, count] = [Buffer.alloc(0), 0]
    const put = Effect.fn(...untraced("Pieces.put"))(function* (bytes: Uint8Array) {
      const hash = pieceName(name, count)
      count += 1
      if ((yield* read(sql`select hash from blobs where hash = ${hash}`)).length > 0) return
      const created = yield* Clock.currentTimeMillis
      yield* transact(sql`insert into blobs ${sql.insert({ hash, bytes, created })} on conflict (hash) do nothing`)
    })
    yield* Stream.runForEach(
      chunks,
      Effect.fnUntraced(function* (chunk) {
        rest = Buffer.concat([rest, chunk])
        while (rest.length >= pieceBytes) {
          yield* put(rest.subarray(0, pieceBytes))
          rest = rest.subarray(pieceBytes)
        }
      })
    )
    if (rest.length > 0) yield* put(rest)
    return count
  }).pipe(Effect.catchTag("BrokenOff", () => Effect.succeed(undefined)))
}

/** Fails if a piece is missing. */
export const readPieces = (
  { sql, read }: OpenStore,
  name: string,
  count: number
): Stream.Stream<Uint8Array, StoreError | "missing"> =>
  count === 0
    ? Stream.empty
    : Stream.paginate(0, (index) =>
        Effect.flatMap(read(sql<object>`select bytes from blobs where hash = ${pieceName(name, index)}`), ([row]) => {
          const bytes: unknown = Predicate.hasProperty(row, "bytes") ? row.bytes : undefined
          return bytes instanceof Uint8Array && bytes.length <= pieceBytes
            ? Effect.succeed([[bytes], index + 1 < count ? Option.some(index + 1) : Option.none()] as const)
            : Effect.fail("missing" as const)
        })
      )

const remove = ({ sql, transact }: OpenStore, names: ReadonlyArray<string>) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(names.length / atOnce) }, (_, index) =>
      names.slice(index * atOnce, (index + 1) * atOnce)
    ),
    (some) => transact(sql`delete from blobs where ${sql.in("hash", some)}`),
    { discard: true }
  )

export const removePieces = (store: OpenStore, name: string, count: number) =>
  remove(
    store,
    Array.from({ length: count }, (_, index) => pieceName(name, index))
  )

/** Removes leftovers of pages that stopped, or whose store failed. */
export const removeOldPieces = (store: OpenStore) =>
  Effect.gen(function* () {
    const before = (yield* Clock.currentTimeMillis) - keptMs
    const { sql, read } = store
    const old = yield* read(
      sql<object>`select hash from blobs where created < ${before} and substr(hash, 1, ${prefix.length}) = ${prefix}`
    )
    yield* remove(
      store,
      old.flatMap((row) => textIn(row, "hash") ?? [])
    )
  })
