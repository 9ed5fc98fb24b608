/** Turns: the options of a turn of a live session, and the parameters of a run or a live session in a conversation. */

import type { AgentExecuteParams, ParamsOf } from "./AgentExecuteParams.ts"
import type { AgentOpenParams, PlainOpenParamsOf } from "./AgentOpenParams.ts"
import type { Attachment } from "./Attachment.ts"
import type { OutputSchema } from "./OutputSchema.ts"
import type { ConversationParams, OnInterrupted } from "./Sessions.ts"

/** The options of one turn of a live session. */
export interface TurnOptions<Output = unknown> {
  /** Images and files for the model to look at, with the same meaning as in a run. Default: none. */
  readonly attachments?: ReadonlyArray<Attachment> | undefined
  /** Schema of the answer of this turn, which becomes `structuredOutput` of its result. */
  readonly outputSchema?: OutputSchema<Output> | undefined
  /** How often the agent is asked again if its answer does not match `outputSchema`; 0 to 10. Default: 1. */
  readonly retries?: number | undefined
  /**
   * The caller's own id of the turn, 1 to 128 characters. The same id again returns the stored end, and runs nothing; with
   * another prompt it fails as `turn_mismatch`. Only for `turn`, in a session on a conversation. Default: a new one.
   */
  readonly turnId?: string | undefined
  /**
   * The host of this turn died before, after it was begun: `fail` ends as `turn_interrupted`, `continue` asks the agent to
   * continue, `again` gives it the prompt once more. Default: `fail`, since a turn may not be idempotent.
   */
  readonly onInterrupted?: OnInterrupted | undefined
}

/** The parameters of a run, and its part in a conversation. */
export interface TurnParams<Output = unknown> extends AgentExecuteParams<Output>, ConversationParams {}

/** The same for a run of one CLI. */
export interface TurnParamsOf<Id extends string, Output = unknown> extends ParamsOf<Id, Output>, ConversationParams {}

/** The conversation of a live session, and whether it begins a new session. */
export interface ConversationOfSession extends Pick<ConversationParams, "conversation" | "fresh"> {}

/** The parameters of a live session, and its conversation. */
export interface ConversationOpenParams extends AgentOpenParams, ConversationOfSession {}

/** The same for a live session of one CLI, in the plain door. */
export interface PlainConversationOpenParamsOf<Id extends string>
  extends PlainOpenParamsOf<Id>,
    ConversationOfSession {}
