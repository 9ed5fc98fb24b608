/** What people wrote while nobody listened, and what a thread is about. Failures of the moment are retried. */
import { Clock, Effect, Option, Schedule } from "effect"
import { isNewer } from "../../kit/marks.ts"
import type { Client } from "../calls/client.ts"
import type { CallFailure } from "../calls/failure.ts"
import type { Place } from "../place.ts"
import { readChannels, readMessage, readMessages } from "./wire.ts"

/** What is older is not answered any more. */
const longestMs = 48 * 3_600_000
const perPage = 200
const mostPages = 20

const isTransient = (failure: CallFailure) =>
  failure._tag !== "Refused" || failure.error === "ratelimited" || failure.error === "rate_limited"

export const makeHistory = (client: Pick<Client, "call">) => {
  const call = (method: string, params: Readonly<Record<string, unknown>>) =>
    client.call(method, params).pipe(
      Effect.tapError((failure) =>
        failure._tag === "Refused" && failure.retryAfterMs !== undefined
          ? Effect.sleep(Math.min(failure.retryAfterMs, 60_000))
          : Effect.void
      ),
      Effect.retry({ schedule: Schedule.exponential("1 second"), times: 5, while: isTransient })
    )

  /** All pages, as long as there are not too many. */
  const pages = (method: string, params: Readonly<Record<string, unknown>>) =>
    Effect.gen(function* () {
      const found: Array<unknown> = []
      let cursor: string | undefined
      for (let page = 0; page < mostPages; page++) {
        const answer: unknown = yield* call(method, { ...params, limit: perPage, ...(cursor ? { cursor } : {}) })
        const read = Option.getOrUndefined(readMessages(answer))
        if (read === undefined) break
        found.push(...read.messages)
        cursor = read.response_metadata?.next_cursor ?? undefined
        if (!cursor) break
      }
      return found
    })

  return {
    /** Messages of a chat or a thread behind one of them, oldest first; none if the chat is gone. */
    since: ({ chatId, threadId }: Place, ts: string): Effect.Effect<ReadonlyArray<unknown>> =>
      Effect.gen(function* () {
        const earliest = ((yield* Clock.currentTimeMillis) - longestMs) / 1_000
        const oldest = Number(ts) < earliest ? earliest.toFixed(6) : ts
        const params = { channel: chatId, oldest, inclusive: false }
        const found = yield* threadId === undefined
          ? pages("conversations.history", params)
          : pages("conversations.replies", { ...params, ts: threadId })
        return (
          found
            .flatMap((input) => Option.toArray(Option.map(readMessage(input), (message) => ({ input, message }))))
            // The root of a thread comes with its replies.
            .filter(({ message }) => isNewer(message.ts, oldest))
            .sort((one, other) => (isNewer(one.message.ts, other.message.ts) ? 1 : -1))
            .map(({ input }) => input)
        )
      }).pipe(
        Effect.catch((failure) => {
          if (failure._tag === "Refused" && /channel_not_found|not_in_channel|thread_not_found/.test(failure.error))
            return Effect.succeed([])
          return Effect.as(
            Effect.logWarning("what was written meanwhile cannot be read in a chat of Slack: write it again", {
              chat: chatId
            }),
            []
          )
        })
      ),

    /** The first messages of a thread, with that at which it begins. */
    thread: ({ chatId, threadId }: Place): Effect.Effect<ReadonlyArray<unknown>> =>
      Effect.orElseSucceed(
        Effect.map(call("conversations.replies", { channel: chatId, ts: threadId, limit: 100 }), (answer) =>
          Option.getOrElse(
            Option.map(readMessages(answer), ({ messages }) => messages),
            () => []
          )
        ),
        () => []
      ),

    /** Direct chats that the bot has. */
    directChats: Effect.orElseSucceed(
      Effect.map(call("users.conversations", { types: "im", limit: perPage }), (answer) =>
        Option.getOrElse(
          Option.map(readChannels(answer), ({ channels }) => channels.map(({ id }) => id)),
          (): ReadonlyArray<string> => []
        )
      ),
      (): ReadonlyArray<string> => []
    )
  }
}
export type History = ReturnType<typeof makeHistory>
