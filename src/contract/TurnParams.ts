/** A turn of a conversation: the parameters of a run, and how it takes part in the conversation. */

import type { AgentExecuteParams, ParamsOf } from "./AgentExecuteParams.ts"
import type { AgentOpenParams, PlainOpenParamsOf } from "./AgentOpenParams.ts"
import type { ConversationParams } from "./Sessions.ts"

/** The parameters of a run, and how it takes part in a conversation. */
export interface TurnParams<Output = unknown> extends AgentExecuteParams<Output>, ConversationParams {}

/** The same for a run of one CLI. */
export interface TurnParamsOf<Id extends string, Output = unknown> extends ParamsOf<Id, Output>, ConversationParams {}

/** How a live session takes part in a conversation: which one it is, and whether it begins a new session. */
export interface ConversationOfSession extends Pick<ConversationParams, "conversation" | "fresh"> {}

/** The parameters of a live session, and its conversation. */
export interface ConversationOpenParams extends AgentOpenParams, ConversationOfSession {}

/** The same for a live session of one CLI, in the plain door. */
export interface PlainConversationOpenParamsOf<Id extends string>
  extends PlainOpenParamsOf<Id>,
    ConversationOfSession {}
