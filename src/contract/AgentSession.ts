/** A live session: one process that takes many turns, asks before it acts, can be steered and interrupted. */
import type { Effect, Stream } from "effect"
import type { AgentError } from "./AgentError.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { PermissionMode } from "./AgentExecuteParams.ts"
import type { PlanAnswer } from "./Rule.ts"
import type { Answers } from "./SessionEvent.ts"

/**
 * What became of a text: it began a turn (`started`), the turn under way takes it up at its next step (`steered`), or it
 * begins a turn of its own when that one is over (`queued`).
 */
export type Delivery = "started" | "steered" | "queued"

export interface AgentSession {
  readonly cli: string
  /** Names the conversation, which a later run or session can resume. Undefined until the CLI has told it. */
  readonly sessionId: string | undefined
  /**
   * One turn: its events, the last of which is its `turn_done`; each time it is consumed. Waits for the turn before it.
   * Never fails: what goes wrong is an `error` event before `turn_done`. Leaving the stream interrupts the turn; the
   * process lives on.
   */
  readonly turn: (prompt: string) => Stream.Stream<AgentEvent>
  /**
   * Adds a text to the turn under way, or begins one. What comes of it is in `events`. Fails with `InvalidParams` for an
   * empty text, and with the reason of the end when the session is over.
   */
  readonly send: (text: string) => Effect.Effect<Delivery, AgentError>
  /**
   * Ends the turn under way; gives whether there was one. Returns when the turn is over. The process lives on, unless it
   * does not heed this within the agent's `killGrace` (10 s): then the session is ended.
   */
  readonly interrupt: Effect.Effect<boolean>
  /** Returns when no turn is under way and none waits, also those that the agent begins by itself. */
  readonly idle: Effect.Effect<void>
  /**
   * Fails with `AgentFailed` when the CLI refuses, and with `InvalidParams` for what is none; takes effect with the next
   * turn at the latest.
   */
  readonly setModel: (model: string) => Effect.Effect<void, AgentError>
  readonly setPermissionMode: (permissionMode: PermissionMode) => Effect.Effect<void, AgentError>
  /**
   * Decides a `permission_request`. Gives whether this was the answer: false when there had been one, when the agent no
   * longer asks, and when the session is over. Fails with `InvalidParams` for what is no answer, or cannot be remembered:
   * the request waits on.
   */
  readonly decide: (requestId: string, answer: PlanAnswer) => Effect.Effect<boolean, AgentError>
  /** Answers a `question`; undefined: use your defaults. Gives the same as `decide`. */
  readonly answer: (requestId: string, answers: Answers | undefined) => Effect.Effect<boolean, AgentError>
  /**
   * All events of all turns, and behind them the one `done`, whose text is empty: that of each turn is in its
   * `turn_done`. They end when nothing of the session is left. The first to listen also gets what came before, up to
   * 16 MiB; whoever comes later hears what comes then.
   */
  readonly events: Stream.Stream<AgentEvent>
}
