/**
 * Whose turn is over waits until everything of it was sent: its end comes to the caller of the turn and, behind all other
 * events of the session, to whoever sends them. Both are the same turn by their facts.
 */
import { Deferred, Effect } from "effect"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"

export interface TurnEnds {
  /** All events up to this end were sent. */
  readonly sent: (result: AgentRunResult) => void
  readonly awaitSent: (result: AgentRunResult) => Effect.Effect<void>
}

/** Of turns that the agent has begun by itself, for which nobody waits. */
const mostKept = 64

const keyOf = ({ durationMs, outcome, reason, text }: AgentRunResult) =>
  [durationMs, outcome, reason, text.length].join(" ")

export const makeTurnEnds = (): TurnEnds => {
  const kept: Array<string> = []
  const waiting = new Map<string, Deferred.Deferred<void>>()
  return {
    sent: (result) => {
      const key = keyOf(result)
      const waits = waiting.get(key)
      if (waits === undefined) {
        kept.push(key)
        if (kept.length > mostKept) kept.shift()
        return
      }
      waiting.delete(key)
      Deferred.doneUnsafe(waits, Effect.void)
    },
    awaitSent: (result) =>
      Effect.suspend(() => {
        const key = keyOf(result)
        const at = kept.indexOf(key)
        if (at !== -1) {
          kept.splice(at, 1)
          return Effect.void
        }
        const waits = waiting.get(key) ?? Deferred.makeUnsafe<void>()
        waiting.set(key, waits)
        return Effect.ensuring(
          Deferred.await(waits),
          Effect.sync(() => waiting.delete(key))
        )
      })
  }
}
