/** Calls of Discord's REST API: one attempt each, ended by interruption or their deadline. */
import { Clock, Effect } from "effect"
import { monotonicMillisOf } from "../../../system/hostClock.ts"
import { type Call, call as httpCall } from "../../kit/call.ts"
import type { CheckedDiscord } from "../DiscordOptions.ts"
import { type CallFailure, failureOf, isTokenRefused } from "./failure.ts"
import type { Limits } from "./limits.ts"

/** In ms. */
export const deadlines = { call: 20_000, upload: 300_000, interaction: 3_000 } as const

interface Request {
  readonly method: NonNullable<Call["method"]>
  /** Behind `/v10`. */
  readonly path: string
  /** Fields as JSON, or a form. */
  readonly body?: object | undefined
  readonly deadlineMs?: number
  /** Calls with the same one share a bucket. Default: the method and the path. */
  readonly bucket?: string
  /** Has its own token in the path, and no bucket. */
  readonly isInteraction?: boolean
}

export interface Client {
  /** Returns the answer unchecked; undefined for an empty one. */
  readonly call: (request: Request) => Effect.Effect<unknown, CallFailure>
}

/** Discord's rule for programs: reference#user-agent. */
const userAgent = "DiscordBot (https://www.npmjs.com/package/reins, 1)"

const bodyOf = (body: Request["body"]): Pick<Call, "body"> =>
  body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }

/** `onRefused` runs when Discord refuses the token. */
export const makeClient = (
  { token, apiRoot }: Pick<CheckedDiscord, "token" | "apiRoot">,
  limits: Limits,
  onRefused: Effect.Effect<void>
): Client => ({
  call: ({ method, path, body, deadlineMs = deadlines.call, bucket = `${method} ${path}`, isInteraction = false }) =>
    Clock.clockWith((clock) => {
      const now = () => monotonicMillisOf(clock)
      const held = isInteraction ? undefined : limits.held(bucket, now())
      if (held !== undefined) return Effect.fail(held)
      return httpCall({
        url: `${apiRoot}/v10${path}`,
        method,
        headers: {
          "user-agent": userAgent,
          ...(isInteraction ? {} : { authorization: `Bot ${token}` }),
          ...(body === undefined || body instanceof FormData ? {} : { "content-type": "application/json" })
        },
        ...bodyOf(body),
        deadlineMs
      }).pipe(
        Effect.flatMap((answer) => {
          const failure = failureOf(answer, token)
          if (!isInteraction) limits.answered(bucket, answer.headers, failure, now())
          return failure === undefined ? Effect.succeed(answer.json) : Effect.fail(failure)
        }),
        Effect.tapError((failure: CallFailure) => (!isInteraction && isTokenRefused(failure) ? onRefused : Effect.void))
      )
    })
})
