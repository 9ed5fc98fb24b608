/**
 * Where `incoming` goes on after a restart: the gateway's session with the last event that was taken in, and the newest
 * message of the 100 channels heard last, for a session that is over. At most 8 kB; pure.
 */
import { Option, Schema } from "effect"
import { isSnowflake } from "../DiscordOptions.ts"

/** A session of the gateway. */
export interface GatewaySession {
  readonly id: string
  readonly url: string
}

const Text = Schema.String.check(Schema.isMaxLength(500))
const Mark = Schema.Struct({
  session: Schema.optionalKey(Text),
  url: Schema.optionalKey(Text),
  seq: Schema.optionalKey(Schema.Finite),
  at: Schema.Record(Schema.String, Schema.String)
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Mark))

export interface ReadMark {
  readonly session: GatewaySession | undefined
  readonly seq: number
  readonly at: ReadonlyMap<string, string>
}

const mostChannels = 100

/** The mark's text is the host's own; one that cannot be read is none. */
export const readMark = (text: string | undefined): ReadMark => {
  const mark = Option.getOrUndefined(decode(text))
  const { session, url, seq = 0, at = {} } = mark ?? {}
  return {
    session: session === undefined || url === undefined ? undefined : { id: session, url },
    seq,
    at: new Map(Object.entries(at).filter(([channel, id]) => isSnowflake(channel) && isSnowflake(id)))
  }
}

/** `session`: undefined while what was missed is still read. */
export const writeMark = (session: GatewaySession | undefined, seq: number, at: ReadonlyMap<string, string>): string =>
  JSON.stringify({
    ...(session === undefined ? {} : { session: session.id, url: session.url, seq }),
    at: Object.fromEntries(at)
  })

/** The newest message of each channel; the channel heard last is the last. */
export const makeNewest = (start: ReadonlyMap<string, string>) => {
  const at = new Map(start)
  return {
    hear: (channel: string, messageId: string) => {
      if (!isSnowflake(channel) || !isSnowflake(messageId)) return
      const before = at.get(channel)
      at.delete(channel)
      at.set(channel, before !== undefined && BigInt(before) > BigInt(messageId) ? before : messageId)
      const [oldest] = at.keys()
      if (at.size > mostChannels && oldest !== undefined) at.delete(oldest)
    },
    all: (): ReadonlyMap<string, string> => at
  }
}
