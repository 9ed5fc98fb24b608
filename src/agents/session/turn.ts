/** One turn that the caller has requested: its events for the caller, its gates and its end. */
import { type Effect, Exit } from "effect"
import type { TurnInput } from "../../cli/Live.ts"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { LoadedAttachment } from "../../contract/Attachment.ts"
import type { End } from "../../contract/Start.ts"
import type { Answering } from "../answers/answering.ts"
import { type Backlog, makeBacklog } from "../engine/backlog.ts"
import type { Watchers } from "../engine/watchers.ts"

interface TurnGates {
  readonly onUsage: (event: AgentEvent) => void
  /** Awaited before its end is emitted. */
  readonly settle: ((end: End) => Effect.Effect<void>) | undefined
  /** Called after its end was emitted. */
  readonly release: () => void
}

export interface Turn {
  readonly id: string
  readonly prompt: string
  /** Set for a turn with an `outputSchema`. */
  readonly answering: Answering | undefined
  /** The prompt as the agent gets it, and what goes with it. */
  readonly text: string
  readonly input: TurnInput
  /** Its events, for the caller of `turn`. */
  readonly backlog: Backlog
  /** Its end with the failure reason, which no event has. */
  ended: End | undefined
  watchers: Watchers | undefined
  /** True when its `turn_done` was given. */
  isOver: boolean
  /** Undefined if no gate was asked. */
  gates: TurnGates | undefined
  /** The reason of a gate that ends it. */
  stopped: FailureReason | undefined
}

export const makeTurn = (
  prompt: string,
  answering?: Answering,
  attachments: ReadonlyArray<LoadedAttachment> = [],
  id: string = crypto.randomUUID()
): Turn => ({
  id,
  prompt,
  answering,
  text: answering?.prompt(prompt) ?? prompt,
  input: { attachments, ...(answering?.by === "turn" ? { outputSchema: answering.jsonSchema } : {}) },
  backlog: makeBacklog(),
  ended: undefined,
  isOver: false,
  watchers: undefined,
  gates: undefined,
  stopped: undefined
})

export const giveTo = (turn: Turn, event: AgentEvent, bytes: number) => {
  turn.watchers?.event(event)
  turn.backlog.offer(event, bytes)
  turn.gates?.onUsage(event)
}

export const finish = (turn: Turn, done: AgentEvent, ended: End) => {
  turn.isOver = true
  giveTo(turn, done, 0)
  turn.watchers?.end(ended)
  turn.backlog.end(Exit.void)
  turn.gates?.release()
}
