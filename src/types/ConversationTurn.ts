/** A turn of a conversation: the parameters of a run, and how it takes part in the conversation. */
import type { AgentExecuteParams } from "./AgentExecuteParams.ts"
import type { ConversationParams } from "./Sessions.ts"

/** The parameters of a run, and how it takes part in a conversation. */
export interface ConversationTurn<Output = unknown> extends AgentExecuteParams<Output>, ConversationParams {}
