/** When a failed run may be tried again, and after which time. */
import { Duration, Effect, Schedule } from "effect"
import type { AgentError } from "./contract/AgentError.ts"

/**
 * The same run may succeed later, and to repeat it does nothing twice. Never true after output, and never for a death by
 * a signal, an abort or a budget that ran out.
 */
export const mayRetry = ({ reason, hadOutput }: AgentError): boolean => reason.retryable && !hadOutput

export interface RetryOptions {
  /** Attempts after the first one. Default: 3. */
  readonly times?: number
  /** Before the second attempt; doubles with each, and varies by a fifth. Default: 2 s. */
  readonly delay?: Duration.Input
  /** The CLI can name the time after which it makes sense. It is kept, unless it is longer than this. Default: 5 min. */
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
