/** A live session of the plain door: one process for many turns, which asks before it acts and can be steered. */
import type { AgentEvent } from "./AgentEvent.ts"
import type { PermissionMode } from "./AgentExecuteParams.ts"
import type { TurnOptions } from "./AgentOpenParams.ts"
import type { Decider, PlanAnswer } from "./Rule.ts"
import type { Answers } from "./SessionEvent.ts"

/** How a text was delivered: as a turn, at once (`started`) or later (`queued`), or to the running one (`steered`). */
export type Delivery = "started" | "steered" | "queued"

/** A live session, opened with `agent.open`. */
export interface PlainSession extends AsyncDisposable {
  /** The id of the CLI, such as `claude`. */
  readonly cli: string
  /** Id with which a later run or session can resume this one. Undefined until the CLI has reported it. */
  readonly sessionId: string | undefined
  /** Whether the session takes no more turns, because it was closed or its process has ended. */
  readonly isOver: boolean
  /**
   * Each iteration is one turn, after the turn before it, and ends with `turn_done`. Leaving the loop interrupts the
   * turn. A failure of the agent does not throw: it is an `error` event.
   */
  readonly turn: <Output = unknown>(prompt: string, options?: TurnOptions<Output>) => AsyncIterable<AgentEvent<Output>>
  /** Adds a text to the running turn, or starts one (always with an `outputSchema`); the events are in `events`. */
  readonly send: (text: string, options?: TurnOptions) => Promise<Delivery>
  /**
   * Adds a text to the running turn, which reads it at its next step. False, and nothing is sent, without a running
   * turn, or where the CLI reads nothing within a turn (Gemini, OpenCode).
   */
  readonly steer: (text: string, options?: Pick<TurnOptions, "attachments">) => Promise<boolean>
  /** Interrupts the running turn and waits for its end; false without one. */
  readonly interrupt: () => Promise<boolean>
  /** Waits until no turn is running or waiting, including turns that the agent starts by itself. */
  readonly idle: () => Promise<void>
  /** Changes the model, at the latest for the next turn. Rejects where the CLI refuses, and for an invalid value. */
  readonly setModel: (model: string) => Promise<void>
  /** Changes the permission mode; rejects like `setModel`. */
  readonly setPermissionMode: (permissionMode: PermissionMode) => Promise<void>
  /**
   * Decides a `permission_request`; false if it needs no answer any more. Rejects for an invalid answer, and for an id
   * that none of the last 10,000 requests had.
   */
  readonly decide: (requestId: string, answer: PlanAnswer) => Promise<boolean>
  /** Answers a `question`; `decider` is the person, for the event. Resolves and rejects like `decide`. */
  readonly answer: (requestId: string, answers: Answers | undefined, decider?: Decider) => Promise<boolean>
  /** All events of all turns, then the `done` of the session. The first consumer also gets earlier events. */
  readonly events: AsyncIterable<AgentEvent>
  /** Ends the session and waits until its process is gone. */
  readonly close: () => Promise<void>
}
