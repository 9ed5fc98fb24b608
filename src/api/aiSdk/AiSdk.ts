/** The public types of `reins/ai-sdk`. */
import type { LanguageModel, Tool } from "ai"
import type { PlainOpenParams } from "../../contract/AgentOpenParams.ts"
import type { CliId } from "../../contract/CliSupport.ts"
import type { HostTool } from "../../contract/HostTool.ts"
import type { CreateAgentOptions, PlainAgent } from "../../contract/PlainAgent.ts"

/** A model of the AI SDK: each call is one run of an agent. */
export type ReinsModel = Extract<LanguageModel, { readonly specificationVersion: "v4" }>

/** Tools made by `tool()` of the AI SDK, by their names. Each needs an `execute`. */
export interface AiSdkTools {
  // biome-ignore lint/suspicious/noExplicitAny: a tool of any input and output, as in the AI SDK's own `ToolSet`
  readonly [name: string]: Tool<any, any, any>
}

/**
 * How a model uses its agent. With `hostTools`, `approvals`, `onPermission`, `questions` or `onQuestion`, each call is a live
 * session of one turn; otherwise it is a run.
 */
export interface ReinsModelOptions
  extends Pick<PlainOpenParams, "approvals" | "onPermission" | "questions" | "onQuestion"> {
  /** Functions of the host that the agent calls as tools while it works: host tools, or tools of the AI SDK. Default: none. */
  readonly hostTools?: ReadonlyArray<HostTool> | AiSdkTools | undefined
  /**
   * How system messages are passed on: `append` adds them to the CLI's own system prompt (Gemini CLI, which has no such
   * option, gets them in front of the prompt); `replace` replaces it. Default: `append`.
   */
  readonly system?: "append" | "replace" | undefined
}

/** The options of a model that makes its agent: those of `createAgent` and of the model. */
export interface ReinsOptions<Id extends string = string> extends CreateAgentOptions<Id>, ReinsModelOptions {}

/** `providerOptions.reins` of one call. With a session to resume, only the last message of the user is sent: the session has the rest. */
export type ReinsCallOptions = {
  /** Id of the session to resume, such as the `sessionId` of an earlier call. Never take it from a browser unchecked. */
  readonly resume?: string
  /** With `resume`: continues in a new session and leaves the old one unchanged. Default: false. */
  readonly fork?: boolean
  /** A conversation in the store of the agent, whose session is resumed. Not with `resume`. */
  readonly conversation?: string
}

/** `providerMetadata.reins` of a result, and of the last part of a stream. */
export interface ReinsMetadata {
  /** The id of the CLI. */
  readonly cli: string
  /** Id of the CLI's session, for `resume`; absent if it opened none. */
  readonly sessionId?: string
  /** Cost of the run in US dollars; absent where it is unknown. */
  readonly costUsd?: number
  /** From the call to the end, in ms. */
  readonly durationMs: number
  /** Turns of the model; absent where the CLI does not report them. */
  readonly numTurns?: number
}

/** Makes models. It also is a provider for the AI SDK's registries: `languageModel("claude/opus")`. */
export interface ReinsProvider {
  /** The version of the specification that it implements. */
  readonly specificationVersion: "v4"
  /** A model over an agent of yours, such as one with a store, one that you close, or one of `reins/testing`. */
  (agent: PlainAgent, options?: ReinsModelOptions): ReinsModel
  /** A model over a CLI: `claude`, or `claude/` and one of its models. Throws a TypeError for invalid options. */
  <Id extends CliId>(cli: Id | `${Id}/${string}`, options?: ReinsOptions<Id>): ReinsModel
  /** The same by its id alone. */
  readonly languageModel: (id: string) => ReinsModel
  /** Throws: agents do not embed. */
  readonly embeddingModel: (id: string) => never
  /** Throws: agents do not make images. */
  readonly imageModel: (id: string) => never
}
