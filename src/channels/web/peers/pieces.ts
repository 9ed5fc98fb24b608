/** Bytes of a file between two pages: pieces in the store, removed as soon as they were read. */
import { Clock, Data, Effect, Option, Predicate, Stream } from "effect"
import type { StoreError } from "../../../contract/StoreError.ts"
import type { OpenStore } from "../../../store/OpenStore.ts"

/** In bytes. */
const pieceBytes = 1_000_000

class BrokenOff extends Data.TaggedError("BrokenOff") {}

const pieceName = (name: string, index: number) => `web:${name}:${index}`

/** Gives how many there are; undefined: the body broke off. Written again they are the same. */
export const putPieces = (
  { sql, transact }: OpenStore,
  name: string,
  body: ReadableStream<Uint8Array>
): Effect.Effect<number | undefined, StoreError> => {
  const chunks = Stream.fromReadableStream({ evaluate: () => body, onError: () => new BrokenOff() })
  return Effect.gen(function* () {
    let [rest, count] = [Buffer.alloc(0), 0]
    const put = (bytes: Uint8Array) =>
      Effect.flatMap(Clock.currentTimeMillis, (created) => {
        const hash = pieceName(name, count)
        count += 1
        return transact(
          Effect.asVoid(sql`insert into blobs ${sql.insert({ hash, bytes, created })} on conflict (hash) do nothing`)
        )
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

/** Fails where one is missing: what was read before is not the whole. */
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

export const removePieces = ({ sql, transact }: OpenStore, name: string, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => transact(sql`delete from blobs where hash = ${pieceName(name, index)}`),
    { discard: true }
  )
