/**
 * One answer of `getUpdates` → what was heard, in its order; pure but for what it remembers of albums. What is of no known
 * kind or cannot be read is passed over: it is never asked for again.
 */
import { Option } from "effect"
import type { Incoming } from "../../../bridge/messages/Incoming.ts"
import { makeDecode } from "./decode.ts"
import { kinds, type Me, readUpdate, updateIdOf, type WireUpdate } from "./wire.ts"

export interface Batch {
  readonly heard: ReadonlyArray<{ readonly id: number; readonly incoming: Incoming }>
  /** What to ask for next. Undefined: nothing in it has an id. */
  readonly next: number | undefined
  /** How many were of no use, and the ids of those that cannot be read. */
  readonly passed: number
  readonly malformed: ReadonlyArray<number | undefined>
}

const mostAlbums = 100

const isOfKnownKind = (given: unknown) => kinds.some((kind) => Object.hasOwn(Object(given), kind))

export const makeBatches = (me: Me) => {
  /** Albums that are meant for the bot, the newest last. */
  const albums = new Set<string>()
  const { incoming, isAddressedPart } = makeDecode({ me, isAddressedAlbum: (album) => albums.has(album) })

  const note = ({ message }: WireUpdate) => {
    if (message?.media_group_id === undefined || !isAddressedPart(message)) return
    albums.add(message.media_group_id)
    const [oldest] = albums
    if (albums.size > mostAlbums && oldest !== undefined) albums.delete(oldest)
  }

  return (answer: ReadonlyArray<unknown>): Batch => {
    const read = answer.map((given) => ({
      id: updateIdOf(given),
      isKnown: isOfKnownKind(given),
      update: readUpdate(given)
    }))
    for (const { update } of read) if (Option.isSome(update)) note(update.value)
    const heard: Array<Batch["heard"][number]> = []
    const malformed: Array<number | undefined> = []
    let passed = 0
    for (const { id, isKnown, update } of read) {
      if (id === undefined || (isKnown && Option.isNone(update))) malformed.push(id)
      const said = id === undefined || Option.isNone(update) ? undefined : incoming(update.value)
      if (id !== undefined && said !== undefined) heard.push({ id, incoming: said })
      else passed += 1
    }
    const last = read.findLast(({ id }) => id !== undefined)?.id
    return { heard, next: last === undefined ? undefined : last + 1, passed, malformed }
  }
}
