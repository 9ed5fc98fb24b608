/** Which failed runs can be tried again; pure, for both doors. */
import type { AgentError } from "../types/AgentError.ts"

/**
 * Whether the same run may succeed if it is tried again, without repeating work. Never true after output, and never after a
 * signal, an abort or a timeout.
 */
export const mayRetry = ({ reason, hadOutput }: Pick<AgentError, "reason" | "hadOutput">): boolean =>
  reason.retryable && !hadOutput
