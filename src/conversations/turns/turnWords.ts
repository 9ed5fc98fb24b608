/** Texts of turns: for their caller while they wait, and for the agent after an interruption. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Waiting } from "../../contract/Start.ts"

export const queuedNotice =
  (tell: (event: AgentEvent) => void) =>
  ({ problem, data = {} }: Waiting) =>
    tell({ type: "notice", kind: "queued", message: `The turn waits: ${problem}`, data })

/** In the session in which the turn was interrupted. */
export const goOn =
  "Go on with the task: you were interrupted while you were at work. First look at what is already done."

/** In another session, which does not know the task. */
export const goOnWith = (prompt: string) =>
  `Go on with the task below: it was interrupted while you were at work on it. First look at what is already done.\n\n${prompt}`
