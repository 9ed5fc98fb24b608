/**
 * Messages that came while no socket was open: of the chats and threads that the mark knows, of threads that began there,
 * of new direct chats and of listed channels. In order, chat by chat; at most two days back.
 */
import { Effect } from "effect"
import { isNewer, type Marks } from "../../kit/marks.ts"
import type { Client } from "../calls/client.ts"
import { type CallFailure, isTokenRefused } from "../calls/failure.ts"
import { placeOf } from "./decode.ts"
import { channelsOf, messagesOf, type WireMessage } from "./wire.ts"

export const pageSize = 200
const mostPages = 5
const longestMs = 48 * 3_600_000
/** Clocks differ, and what was heard last need not have been the last to come. */
const slackMs = 60_000
/** In place of a chat: up to there all chats were read. Other marks may be ahead of a chat that has none. */
export const everywhere = "*"

export const tsOf = (ms: number): string => `${Math.floor(ms / 1_000)}.000000`
const msOf = (ts: string) => Number(ts) * 1_000

const later = (one: string, other: string) => (isNewer(one, other) ? one : other)

export interface HistoryOptions {
  readonly client: Pick<Client, "call">
  readonly marks: Marks
  /** When this host last had a socket; undefined if it had none. */
  readonly since: number | undefined
  readonly now: number
  /** Ids of listed channels. */
  readonly groups: ReadonlyArray<string>
  readonly onMessage: (channel: string, message: WireMessage) => Effect.Effect<void>
}

export const catchUp = Effect.fnUntraced(function* ({ client, marks, since, now, groups, onMessage }: HistoryOptions) {
  const horizon = tsOf(now - longestMs)

  /** Waits and repeats while Slack cannot be reached; a place that cannot be read is passed over. */
  const ask = (method: string, params: Readonly<Record<string, unknown>>) =>
    Effect.gen(function* () {
      for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, 30_000)) {
        const answer = yield* Effect.result(client.call(method, params))
        if (answer._tag === "Success") return answer.success.json
        const { failure } = answer
        if (failure._tag === "Refused") {
          if (!isTokenRefused(failure)) yield* Effect.logDebug("a chat of Slack cannot be read", problemOf(failure))
          return undefined
        }
        yield* Effect.sleep(failure._tag === "TooFast" ? failure.retryAfterMs : waitMs)
      }
    })

  const read = (method: string, params: Readonly<Record<string, unknown>>) =>
    Effect.gen(function* () {
      const found: Array<WireMessage> = []
      let cursor: string | undefined
      for (let page = 0; page < mostPages; page++) {
        const answer = messagesOf(yield* ask(method, { ...params, limit: pageSize, cursor }))
        found.push(...(answer?.messages ?? []))
        cursor = answer?.next
        if (cursor === undefined) break
      }
      return found.sort((a, b) => (a.ts === b.ts ? 0 : isNewer(a.ts, b.ts) ? 1 : -1))
    })

  const thread = (channel: string, root: string, oldest: string) =>
    Effect.gen(function* () {
      const replies = yield* read("conversations.replies", { channel, ts: root, oldest, inclusive: false })
      for (const reply of replies) if (isNewer(reply.ts, oldest)) yield* onMessage(channel, reply)
    })

  const chat = (channel: string, oldest: string) =>
    Effect.gen(function* () {
      for (const message of yield* read("conversations.history", { channel, oldest, inclusive: false })) {
        yield* onMessage(channel, message)
        const isRoot = placeOf(channel, message) === channel && message.latest_reply != null
        if (isRoot) yield* thread(channel, message.ts, message.ts)
      }
    })

  const known = marks.places().filter(([place]) => place !== everywhere)
  const [, readUpTo] = marks.places().find(([place]) => place === everywhere) ?? ["", newestOf(known)]
  const heardMs = Math.max(since ?? 0, msOf(readUpTo))
  for (const [place, id] of known) {
    const [channel = "", root] = place.split("/")
    const oldest = later(id, horizon)
    if (root === undefined) yield* chat(channel, oldest)
    else yield* thread(channel, root, oldest)
  }

  if (heardMs > 0) {
    const places = new Set(known.map(([place]) => place))
    const oldest = later(tsOf(heardMs - slackMs), horizon)
    const direct = channelsOf(yield* ask("users.conversations", { types: "im", limit: pageSize }))
    for (const channel of [...direct, ...groups]) if (!places.has(channel)) yield* chat(channel, oldest)
  }
  marks.hear(everywhere, newestOf(marks.places()))
})

const newestOf = (places: ReturnType<Marks["places"]>) => places.reduce((newest, [, id]) => later(id, newest), "")

const problemOf = (failure: Extract<CallFailure, { readonly _tag: "Refused" }>) => ({ reason: failure.error })
