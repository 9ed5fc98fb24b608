/** The differences between agents of the Agent Client Protocol. The defaults of all but the id are for an unknown agent. */
import type { FailureReason } from "../../../contract/AgentError.ts"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import type { LoadedAttachment } from "../../../contract/Attachment.ts"
import type { PermissionAsk } from "../../../contract/Rule.ts"
import type { PlanEvent, ToolKind, ToolResultEvent } from "../../../contract/ToolEvent.ts"
import type { RunReport } from "../../Decoder.ts"
import type { RpcError } from "../../jsonRpc.ts"
import type { Change } from "../../Live.ts"
import type { Files } from "../../toolInputs.ts"
import type { PromptResult, ToolCallUpdate } from "../wire.ts"

/** A choice of a session: `model`, `mode`, `thought_level`. */
export interface ConfigChoice {
  readonly id: string
  readonly category: string | undefined
  readonly value: string | undefined
  readonly values: ReadonlyArray<string>
}

/** Facts of the session, as the agent reports them. */
export interface AcpSession {
  readonly sessionId: string
  /** Whether modes and models have their own methods, and are not configuration. */
  readonly hasModes: boolean
  readonly hasModels: boolean
  readonly modeId: string | undefined
  /** The mode before the first change. */
  readonly firstModeId: string | undefined
  readonly modeIds: ReadonlyArray<string>
  readonly model: string | undefined
  readonly choices: ReadonlyArray<ConfigChoice>
  readonly cliVersion: string | undefined
}

/** A request to be sent, but for `sessionId`, which is added. */
export interface AcpRequest {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** Facts that hold when it is granted. */
  readonly sets?: { readonly modeId?: string; readonly model?: string; readonly permissionMode?: PermissionMode }
  /** The request to send when it is granted, given the session as it is then. */
  readonly next?: (session: AcpSession) => AcpRequest | undefined
}

/** A request to send before the first turn; undefined: none. */
export type BeginStep = (params: AgentOpenParams, session: AcpSession) => AcpRequest | FailureReason | undefined

/** All updates of one tool call so far, merged. */
export interface AcpCall {
  readonly toolId: string
  /** The first title; with some agents only that one is the name of the tool. */
  readonly firstTitle: string | undefined
  readonly title: string | undefined
  readonly kind: string | undefined
  readonly status: string | undefined
  readonly input: unknown
  readonly content: ReadonlyArray<unknown>
  readonly paths: ReadonlyArray<string>
  readonly output: unknown
  readonly meta: unknown
}

export interface Described {
  readonly toolName: string
  readonly kind: ToolKind
  readonly title: string
  /** The input of the call, for an agent that does not send it as such. */
  readonly input?: unknown
}

/** Facts of the `tool_use` alone, or in other words than those of the request. */
interface Announced extends Files {
  readonly plan?: ReadonlyArray<PlanEvent>
}

/** Facts of a turn, for its report. */
export interface TurnFacts {
  readonly toolCount: number
  /** Cost of the session before the turn and after it, where both are known. */
  readonly costBefore: number | undefined
  readonly costAfter: number | undefined
  /** Usage of the last turn's answer, where it is known: for agents that report that of the session so far. */
  readonly usageBefore: AgentUsage | undefined
}

/** A call that failed without being denied. */
export interface FailedCall {
  readonly toolName: string
  readonly toolId: string
  readonly output: string
}

/** Undefined if it takes effect at once, without a request. */
export type Changing = AcpRequest | { readonly problem: string } | undefined

export interface AcpFlavor {
  /** Also the `cli` of errors. */
  readonly id: string
  /** Requests to send when the session exists, one after the other; a failure ends the session. */
  readonly begin?: ReadonlyArray<BeginStep>
  readonly change?: (change: Change, session: AcpSession, params: AgentOpenParams) => Changing
  /** `commands`: the history of a loaded session ends with an `available_commands_update`. Default: with the answer. */
  readonly historyEnds?: "answer" | "commands"
  /** `load` if resuming is not reliable. Default: `resume`, if the agent supports it. */
  readonly resumes?: "resume" | "load"
  readonly describe?: (call: AcpCall, params: AgentOpenParams) => Described
  /** The files and the plan of a call by its input. Default: the files by its locations and diffs, and no plan. */
  readonly announce?: (call: AcpCall, toolName: string) => Announced
  /** Whether the `tool_use` of a call can be made. Default: when it has an input, or is no longer pending. */
  readonly isComplete?: (call: AcpCall) => boolean
  /** Whether a permission request waits for the call's input, which must come without an answer. */
  readonly waitsForInput?: (call: AcpCall) => boolean
  /** Whether a call that ended as `completed` has failed. Default: false. */
  readonly isFailed?: (call: AcpCall) => boolean
  /** The exit code of a command that ended, where the agent reports it. Default: unknown. */
  readonly exitOf?: (call: AcpCall) => Pick<ToolResultEvent, "exitCode">
  /** Whether a request that differs from the announcement of its call is in doubt. Default: true. */
  readonly doubts?: boolean
  /** More facts of a permission request, or other words for them; `asked` is the content of the request itself. */
  readonly ask?: (call: AcpCall, asked: ToolCallUpdate, params: AgentOpenParams) => Partial<PermissionAsk>
  /** Requests that the mode allows without asking. Default: none. */
  readonly allows?: (mode: PermissionMode | undefined, ask: PermissionAsk) => boolean
  /** A notice, once in a session, of the first call that changed something without a request. Default: none. */
  readonly unasked?: (
    mode: PermissionMode | undefined,
    call: Described & { readonly toolId: string }
  ) => AgentEvent | undefined
  /** Whether the agent sends no update for a rejected call, so that its result is made here. Default: false. */
  readonly rejectsSilently?: boolean
  /** Blocks of a prompt. Default: one text, with a U+200B in front of a leading `/`. */
  readonly prompt?: (text: string, slashCommands: boolean) => ReadonlyArray<unknown>
  /** The block of an attachment, which follows those of the prompt. Default: `image`, `audio` or `resource`. */
  readonly attachment?: (attachment: LoadedAttachment) => object
  /** Whether a request of a capability that was not offered can be refused silently. */
  readonly isIdle?: (method: string) => boolean
  /** Whether a text is not part of the answer. */
  readonly isNoise?: (text: string) => boolean
  /** Events of a turn that ended well, without text, and whose last call failed. Default: none. */
  readonly standIn?: (failed: FailedCall) => ReadonlyArray<AgentEvent>
  readonly report?: (result: PromptResult, turn: TurnFacts) => RunReport
  /** The reason for a turn that ended with this error. Default: by its code and words. */
  readonly failure?: (error: RpcError) => FailureReason
}
