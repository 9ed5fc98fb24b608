/**
 * Where `incoming` goes on after a restart: the gateway's session with the last event that was taken in, and the newest
 * message of the 100 channels heard last, for a session that is over. At most 8 kB; pure.
 */
import { Option, Schema } from "effect"
import { type Marks, makeMarks, readMark as readJson } from "../../kit/marks.ts"
import { isSnowflake } from "../DiscordOptions.ts"

/** A session of the gateway. */
export interface GatewaySession {
  readonly id: string
  readonly url: string
}

const Text = Schema.String.check(Schema.isMaxLength(300))
const decode = Schema.decodeUnknownOption(
  Schema.Struct({ session: Text, url: Text, seq: Schema.Finite, at: Schema.optionalKey(Schema.Unknown) })
)
const decodePlaces = Schema.decodeUnknownOption(Schema.Struct({ at: Schema.Record(Schema.String, Schema.Unknown) }))

/** Leaves room for the session. */
const mostBytes = 7_000

export interface ReadMark {
  readonly session: GatewaySession | undefined
  readonly seq: number
  readonly newest: Marks
}

/** Ignores a mark that cannot be read. */
export const readMark = (text: string | undefined): ReadMark => {
  const json = readJson(text)
  const mark = Option.getOrUndefined(decode(json))
  const places = Object.entries(Option.getOrUndefined(decodePlaces(json))?.at ?? {})
  const at = places.filter(([channel, id]) => isSnowflake(channel) && typeof id === "string" && isSnowflake(id))
  return {
    session: mark === undefined ? undefined : { id: mark.session, url: mark.url },
    seq: mark?.seq ?? 0,
    newest: makeMarks(Object.fromEntries(at), mostBytes)
  }
}

/** `session`: undefined while what was missed is still read. */
export const writeMark = (session: GatewaySession | undefined, seq: number, newest: Marks): string =>
  JSON.stringify({
    ...(session === undefined ? {} : { session: session.id, url: session.url, seq }),
    at: newest.value()
  })
