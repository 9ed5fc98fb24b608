/** The schedule of retries for failed runs. */
import { Duration, Effect, Schedule } from "effect"
import type { AgentError } from "../contract/AgentError.ts"
import { mayRetry } from "../contract/MayRetry.ts"

export interface RetryOptions {
  /** Attempts after the first one. Default: 3. */
  readonly times?: number
  /** Delay before the second attempt; doubles with each attempt, and varies by a fifth. Default: 2 s. */
  readonly delay?: Duration.Input
  /** Maximum delay: without a retry if the CLI asks for a longer one. Default: 5 min. */
  readonly maxDelay?: Duration.Input
}

const retryAfterMs = ({ reason }: AgentError) => (reason._tag === "AgentFailed" ? (reason.retryAfterMs ?? 0) : 0)

/** For `Effect.retry(agent.run(params), retryPolicy())`. */
export const retryPolicy = ({ times = 3, delay = "2 seconds", maxDelay = "5 minutes" }: RetryOptions = {}) =>
  Schedule.exponential(delay).pipe(
    Schedule.setInputType<AgentError>(),
    Schedule.upTo({ times }),
    Schedule.while(({ input }) => mayRetry(input) && retryAfterMs(input) <= Duration.toMillis(maxDelay)),
    Schedule.jittered,
    Schedule.modifyDelay(({ input, duration }) =>
      Effect.succeed(Math.min(Math.max(Duration.toMillis(duration), retryAfterMs(input)), Duration.toMillis(maxDelay)))
    )
  )
