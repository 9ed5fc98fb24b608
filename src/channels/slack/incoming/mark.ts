/**
 * Where `incoming` goes on after a restart: the newest message of each of the 100 chats and threads heard last. At most 8 kB;
 * pure.
 */
import { Option, Schema } from "effect"
import { isChatId, isTs } from "./ids.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

/** A chat, or a thread in it by the message that it begins at. */
export interface Place {
  readonly chatId: string
  readonly threadId?: string | undefined
}

const keyOf = ({ chatId, threadId }: Place) => (threadId === undefined ? chatId : `${chatId}/${threadId}`)

const placeOf = (key: string): Place => {
  const [chatId = "", threadId] = key.split("/")
  return { chatId, threadId }
}

const isPlace = ({ chatId, threadId }: Place) => isChatId(chatId) && (threadId === undefined || isTs(threadId))

const mostPlaces = 100

/** The text is the host's own; what cannot be read of it is none. */
export const makeNewest = (mark: string | undefined) => {
  const known = Object.entries(Option.getOrElse(decode(mark), () => ({})))
  const at = new Map(known.filter(([key, ts]) => isPlace(placeOf(key)) && isTs(ts)).slice(-mostPlaces))
  return {
    hear: (place: Place, ts: string) => {
      const key = keyOf(place)
      const before = at.get(key) ?? ""
      at.delete(key)
      at.set(key, isNewer(before, ts) ? before : ts)
      const [oldest] = at.keys()
      if (at.size > mostPlaces && oldest !== undefined) at.delete(oldest)
    },
    all: (): ReadonlyArray<readonly [Place, string]> => [...at].map(([key, ts]) => [placeOf(key), ts]),
    mark: (): string => JSON.stringify(Object.fromEntries(at))
  }
}

/** All have six digits behind the dot, and ten before it until the year 2286. */
export const isNewer = (ts: string, than: string): boolean =>
  ts.length === than.length ? ts > than : ts.length > than.length
