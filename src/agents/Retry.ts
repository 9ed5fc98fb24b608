/** The schedule of retries for failed runs. */
import { Duration, Effect, Schedule } from "effect"
import type { AgentError } from "../contract/AgentError.ts"
import { mayRetry } from "../contract/MayRetry.ts"

export interface RetryOptions {
  /** Attempts after the first one. Default: 3. */
  readonly times?: number
  /** Delay before the second attempt; doubles with each attempt, and varies by a fifth. Default: 2 s. */
  readonly delay?: Duration.Input
  /** Maximum delay: without a retry if the CLI asks for a longer one, or names a later end of its limit. Default: 5 min. */
  readonly maxDelay?: Duration.Input
}

/** The rest of the time until the limit ends; else the duration that the CLI asks for. */
const neededMs = ({ reason }: AgentError, now: number) => {
  if (reason._tag !== "AgentFailed") return 0
  return reason.retryAt === undefined ? (reason.retryAfterMs ?? 0) : Date.parse(reason.retryAt) - now
}

/** For `Effect.retry(agent.run(params), retryPolicy())`. */
export const retryPolicy = ({ times = 3, delay = "2 seconds", maxDelay = "5 minutes" }: RetryOptions = {}) =>
  Schedule.exponential(delay).pipe(
    Schedule.setInputType<AgentError>(),
    Schedule.upTo({ times }),
    Schedule.while(({ input, now }) => mayRetry(input) && neededMs(input, now) <= Duration.toMillis(maxDelay)),
    Schedule.jittered,
    Schedule.modifyDelay(({ input, duration, now }) =>
      Effect.succeed(Math.min(Math.max(Duration.toMillis(duration), neededMs(input, now)), Duration.toMillis(maxDelay)))
    )
  )
