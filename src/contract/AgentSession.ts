/** A live session of the Effect door: one process for many turns, which asks before it acts and can be steered. */
import type { Effect, Stream } from "effect"
import type { AgentError } from "./AgentError.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { PermissionMode } from "./AgentExecuteParams.ts"
import type { Delivery } from "./PlainSession.ts"
import type { Decider, PlanAnswer } from "./Rule.ts"
import type { Answers } from "./SessionEvent.ts"
import type { TurnOptions } from "./TurnParams.ts"

/** A live session, opened with `agent.open`. */
export interface AgentSession {
  /** The id of the CLI, such as `claude`. */
  readonly cli: string
  /** Id with which a later run or session can resume this one. Undefined until the CLI has reported it. */
  readonly sessionId: string | undefined
  /**
   * Runs a turn each time the stream is consumed, and gives its events, `turn_done` last. Waits for the turn before it.
   * Never fails: a failure is an `error` event before `turn_done`. Leaving the stream interrupts the turn; the process
   * stays.
   */
  readonly turn: <Output = unknown>(prompt: string, options?: TurnOptions<Output>) => Stream.Stream<AgentEvent<Output>>
  /**
   * Adds a text to the running turn, or starts one; the events are in `events`. Fails with `InvalidParams` for an empty
   * text, with `AttachmentRefused`, and with the reason of its end when the session is over. A text with an `outputSchema` is always a turn of its own.
   */
  readonly send: (text: string, options?: TurnOptions) => Effect.Effect<Delivery, AgentError>
  /**
   * Adds a text to the running turn, which reads it at its next step. False, and nothing is sent, if no turn is running, or
   * its CLI reads nothing in the middle of a turn (Gemini, OpenCode). Fails like `send`.
   */
  readonly steer: (text: string, options?: Pick<TurnOptions, "attachments">) => Effect.Effect<boolean, AgentError>
  /**
   * Interrupts the running turn and waits for its end; false without one. The process stays, unless it does not react
   * within the agent's `killGrace` (10 s): then the session is ended.
   */
  readonly interrupt: Effect.Effect<boolean>
  /** Waits until no turn is running or waiting, including turns that the agent starts by itself. */
  readonly idle: Effect.Effect<void>
  /**
   * Changes the model, at the latest for the next turn. Fails with `AgentFailed` where the CLI refuses, and with
   * `InvalidParams` for an invalid value.
   */
  readonly setModel: (model: string) => Effect.Effect<void, AgentError>
  /** Changes the permission mode; fails like `setModel`. */
  readonly setPermissionMode: (permissionMode: PermissionMode) => Effect.Effect<void, AgentError>
  /**
   * Decides a `permission_request`. False if it needs no answer any more: it was answered or withdrawn, or the session is
   * over. Fails with `InvalidParams` for an invalid answer, or one that cannot be remembered, and the request stays open; also
   * for an id that none of the last 10,000 requests of the session had.
   */
  readonly decide: (requestId: string, answer: PlanAnswer) => Effect.Effect<boolean, AgentError>
  /** Answers a `question`; with undefined the agent uses its defaults. `decider` is the person, for the event. Returns and fails like `decide`. */
  readonly answer: (
    requestId: string,
    answers: Answers | undefined,
    decider?: Decider
  ) => Effect.Effect<boolean, AgentError>
  /**
   * All events of all turns, and last the `done` of the session, whose text is empty: the text of each turn is in its
   * `turn_done`. The stream ends when nothing of the session is left. The first consumer also gets earlier events, up to
   * 16 MiB; later consumers get events from then on.
   */
  readonly events: Stream.Stream<AgentEvent>
}
