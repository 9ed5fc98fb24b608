/** Which failed runs can be tried again; pure, for both doors. */
import { Predicate } from "effect"
import type { AgentError } from "./types/AgentError.ts"

const isAgentError = (error: unknown): error is AgentError => Predicate.isTagged(error, "AgentError")

/**
 * Whether the same run may succeed if it is tried again, without repeating work. Never true after output, after a signal,
 * an abort or a timeout, nor for what is no `AgentError`.
 */
export const mayRetry = (error: unknown): boolean => isAgentError(error) && error.reason.retryable && !error.hadOutput
