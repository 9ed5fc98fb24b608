/** A live session of the Effect door: one process for many turns, which asks before it acts and can be steered. */
import type { Effect, Stream } from "effect"
import type { AgentError } from "./AgentError.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { PermissionMode } from "./AgentExecuteParams.ts"
import type { TurnOptions } from "./AgentOpenParams.ts"
import type { Delivery, PlainSession } from "./PlainSession.ts"
import type { Decider, PlanAnswer } from "./Rule.ts"
import type { Answers } from "./SessionEvent.ts"

/** A live session, opened with `agent.open`. */
export interface AgentSession extends Pick<PlainSession, "cli" | "sessionId" | "isOver"> {
  /**
   * Runs a turn each time the stream is consumed, after the turn before it, and gives its events, `turn_done` last.
   * Never fails: a failure is an `error` event. Leaving the stream interrupts the turn; the process stays.
   */
  readonly turn: <Output = unknown>(prompt: string, options?: TurnOptions<Output>) => Stream.Stream<AgentEvent<Output>>
  /**
   * Adds a text to the running turn, or starts one; the events are in `events`. A text with an `outputSchema` is always
   * a turn of its own. Fails with `InvalidParams` for an empty text, with `AttachmentRefused`, and with the reason of
   * its end when the session is over.
   */
  readonly send: (text: string, options?: TurnOptions) => Effect.Effect<Delivery, AgentError>
  /**
   * Adds a text to the running turn, which reads it at its next step. False, and nothing is sent, without a running
   * turn, or where the CLI reads nothing within a turn (Gemini, OpenCode). Fails like `send`.
   */
  readonly steer: (text: string, options?: Pick<TurnOptions, "attachments">) => Effect.Effect<boolean, AgentError>
  /**
   * Interrupts the running turn and waits for its end; false without one. The session is ended if the process does not
   * react within the agent's `killGrace` (10 s); otherwise it stays.
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
   * Decides a `permission_request`. False if it was answered or withdrawn, or the session is over. Fails with
   * `InvalidParams` for an invalid answer or one that cannot be remembered, and the request stays open; also for an id
   * that none of the last 10,000 requests had.
   */
  readonly decide: (requestId: string, answer: PlanAnswer) => Effect.Effect<boolean, AgentError>
  /** Answers a `question`; with undefined the agent uses its defaults. `decider` is the person, for the event. Returns and fails like `decide`. */
  readonly answer: (
    requestId: string,
    answers: Answers | undefined,
    decider?: Decider
  ) => Effect.Effect<boolean, AgentError>
  /**
   * All events of all turns, and last the `done` of the session, whose text is empty: each turn's is in its
   * `turn_done`. Ends when nothing of the session is left. The first consumer also gets up to 16 MiB of earlier events.
   */
  readonly events: Stream.Stream<AgentEvent>
}
