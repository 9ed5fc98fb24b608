/** Reads missed messages from the history of the channels that were heard last. */
import { Effect, Option } from "effect"
import type { Client } from "../calls/client.ts"
import type { CallFailure } from "../calls/failure.ts"
import { readChannel, readEach, readMember, readMessage, type WireChannel, type WireMessage } from "./wire.ts"

const mostTries = 10
const mostWaitMs = 30_000

/** Tries again while Discord is not reached, or takes no more; undefined where it refuses. */
const patiently = <A>(call: Effect.Effect<A, CallFailure>, what: string): Effect.Effect<A | undefined> =>
  Effect.gen(function* () {
    for (let count = 0; count < mostTries; count++) {
      const answer = yield* Effect.result(call)
      if (answer._tag === "Success") return answer.success
      const { failure } = answer
      if (failure._tag === "Refused") {
        yield* Effect.logDebug(`Discord does not give ${what}`, { code: failure.code })
        return undefined
      }
      const waitMs = failure._tag === "TooFast" ? failure.retryAfterMs : 500 * 2 ** count
      yield* Effect.sleep(Math.min(waitMs, mostWaitMs))
    }
    yield* Effect.logWarning(`Discord did not give ${what}: messages of there may be missing`)
    return undefined
  })

const pageSize = 100
const mostPages = 5

export const makeHistory = ({ call }: Client) => ({
  channel: (id: string): Effect.Effect<WireChannel | undefined> =>
    patiently(call({ method: "GET", path: `/channels/${id}` }), "a channel").pipe(
      Effect.map((answer) => Option.getOrUndefined(readChannel(answer)))
    ),
  /** The roles of a person, which messages of history do not have. */
  roles: (guild: string, user: string): Effect.Effect<ReadonlyArray<string>> =>
    patiently(
      call({ method: "GET", path: `/guilds/${guild}/members/${user}`, bucket: `getMember ${guild}` }),
      "the roles of a person"
    ).pipe(Effect.map((answer) => Option.getOrUndefined(readMember(answer))?.roles ?? [])),
  /** The messages behind one, the oldest first; at most 500. */
  since: (channel: string, after: string): Effect.Effect<ReadonlyArray<WireMessage>> =>
    Effect.gen(function* () {
      const all: Array<WireMessage> = []
      let from = after
      for (let count = 0; count < mostPages; count++) {
        const path = `/channels/${channel}/messages?after=${from}&limit=${pageSize}`
        const answer = yield* patiently(
          call({ method: "GET", path, bucket: `getMessages ${channel}` }),
          "what was missed"
        )
        const page = readEach(readMessage, answer).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
        all.push(...page)
        const last = page.at(-1)
        if (last === undefined || page.length < pageSize) return all
        from = last.id
      }
      yield* Effect.logWarning("more was written in a channel of Discord than is read again", { channel })
      return all
    }),
  /** The newest messages of a thread. */
  newest: (channel: string): Effect.Effect<ReadonlyArray<WireMessage>> =>
    patiently(
      call({ method: "GET", path: `/channels/${channel}/messages?limit=50`, bucket: `getMessages ${channel}` }),
      "the messages of a thread"
    ).pipe(Effect.map((answer) => readEach(readMessage, answer)))
})
