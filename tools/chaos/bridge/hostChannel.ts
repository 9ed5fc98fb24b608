/** The host's side of the channel: a client of the server in `outside.ts`, which says honestly what it knows. */
import { Effect, Predicate, Stream } from "effect"
import type { Channel, Heard } from "reins/bridge"
import { SendError, type SendReason } from "reins/bridge"
import type { ScriptedChannel } from "../../../src/testing/ScriptedChannel.ts"
import type { Call } from "./calls.ts"

const fail = (reason: SendReason) => Effect.fail(new SendError({ reason }))

const codeOf = (problem: unknown) =>
  Predicate.hasProperty(problem, "cause") && Predicate.hasProperty(problem.cause, "code") ? problem.cause.code : ""

/** @param shape A channel of the same options: for what needs no call. */
export const hostChannel = (url: string, shape: ScriptedChannel["channel"]): Channel => {
  const call = <A>(request: Call): Effect.Effect<A, SendError> =>
    Effect.tryPromise({
      try: (signal) => fetch(`${url}/call`, { method: "POST", body: JSON.stringify(request), signal }),
      catch: (problem) =>
        new SendError({ reason: { _tag: codeOf(problem) === "ECONNREFUSED" ? "Unreachable" : "Unknown" } })
    }).pipe(
      Effect.flatMap((response) => {
        if (response.status === 429) return fail({ _tag: "TooFast", retryAfterMs: 200, scope: "chat" })
        if (response.status !== 200) return fail({ _tag: "Unknown" })
        return Effect.tryPromise({
          try: () => response.json() as Promise<{ readonly value?: A; readonly reason?: SendReason }>,
          catch: () => new SendError({ reason: { _tag: "Unknown" } })
        })
      }),
      Effect.flatMap(({ reason, value }) => (reason === undefined ? Effect.succeed(value as A) : fail(reason)))
    )

  const lines = Effect.fnUntraced(function* (mark: string | undefined) {
    const where = `${url}/incoming${mark === undefined ? "" : `?mark=${mark}`}`
    const { body } = yield* Effect.promise((signal) => fetch(where, { signal }))
    if (body === null) return Stream.empty
    return Stream.fromReadableStream({ evaluate: () => body, onError: (problem) => problem }).pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.orDie
    )
  })

  const incoming: Channel["incoming"] = (mark) =>
    Stream.map(Stream.unwrap(lines(mark)), (line): Heard => {
      const { number, ...received } = JSON.parse(line)
      return { ...received, confirm: Effect.ignore(call({ method: "confirm", number })) }
    })

  const { id, accountId, limits, isPerson, render, check } = shape
  return {
    ...{ id, accountId, limits, isPerson, render, check, incoming },
    send: (to, piece, key) => call({ method: "send", to, piece, key }),
    acknowledge: (press, text) =>
      Effect.ignore(call({ method: "acknowledge", press, ...(text === undefined ? {} : { text }) })),
    ...(shape.edit && { edit: (ref, piece) => Effect.asVoid(call({ method: "edit", ref, piece })) }),
    ...(shape.remove && { remove: (ref) => Effect.asVoid(call({ method: "remove", ref })) }),
    ...(shape.find && {
      find: (to, piece, key, after) =>
        Effect.map(
          call<{ readonly conversation: typeof to; readonly messageId: string } | null>({
            ...{ method: "find", to, piece, key },
            ...(after === undefined ? {} : { after })
          }),
          (found) => found ?? undefined
        )
    })
  }
}
