/**
 * The shape that a CLI fills to hold a live session: how it is started, and its side of the conversation. A dialogue is plain
 * data in and out: it starts nothing, waits for nothing and knows no stream.
 */
import type { Result } from "effect"
import type { FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { LoadedAttachment } from "../contract/Attachment.ts"
import type { Plan, PlanContext } from "../contract/Plan.ts"
import type { Decision, PermissionAsk } from "../contract/Rule.ts"
import type { Answers, Question } from "../contract/SessionEvent.ts"
import type { GlanceAt, RunReport, Standing, Verdict } from "./Decoder.ts"

/** A change in mid-session. */
export type Change =
  | { readonly _tag: "Model"; readonly model: string }
  | { readonly _tag: "PermissionMode"; readonly permissionMode: PermissionMode }

/** An output of a dialogue that is not an event. */
export type Action =
  /** One line on the CLI's stdin. */
  | { readonly _tag: "Write"; readonly json: unknown }
  /** The handshake is over: turns may start. Once. */
  | { readonly _tag: "Opened" }
  /** The agent asks for a permission; `decide` answers. The call's `tool_use` comes before it. */
  | { readonly _tag: "Asked"; readonly ask: PermissionAsk }
  /** The agent is about to call a tool without asking; `reply` gives the reason why it may not, or undefined. */
  | { readonly _tag: "Checked"; readonly callId: string; readonly ask: PermissionAsk }
  /** The agent asks questions; `answer` answers. */
  | {
      readonly _tag: "Questioned"
      readonly requestId: string
      readonly toolId?: string
      readonly questions: ReadonlyArray<Question>
    }
  /** The CLI no longer waits for an answer to this request or question, and gets none. */
  | { readonly _tag: "Withdrawn"; readonly requestId: string }
  /** Exactly once for each turn; verdict and report are those of this turn alone. */
  | {
      readonly _tag: "TurnEnded"
      readonly verdict: Verdict
      readonly report: RunReport
      readonly isInterrupted?: boolean
      /** False for a turn that the CLI started by itself; the requested one is still to come. Default: true. */
      readonly isOwn?: boolean
    }
  /** The outcome of a change. */
  | { readonly _tag: "Changed"; readonly changeId: string; readonly problem?: string }
  /** The CLI calls a hook of the params, by its index; `reply` answers. */
  | { readonly _tag: "HookCalled"; readonly callId: string; readonly hook: number; readonly input: unknown }
  /** A message of MCP for the host's own server; `reply` answers, with undefined to a notification. */
  | { readonly _tag: "McpCalled"; readonly callId: string; readonly message: unknown }
  /** The session cannot continue. */
  | { readonly _tag: "Failed"; readonly reason: FailureReason }

export type Output = AgentEvent | Action
export const isAction = (output: Output): output is Action => "_tag" in output

/** The content of a turn: its text and attachments. */
export interface TurnInput {
  readonly attachments?: ReadonlyArray<LoadedAttachment>
  /** JSON Schema of the answer; only where `takesOutputSchema`. */
  readonly outputSchema?: Readonly<Record<string, unknown>>
}

/** One side of a conversation: each function returns outputs, to be handled in order. None may throw. */
export interface Dialogue {
  /** The first lines to write. */
  readonly open: () => ReadonlyArray<Output>
  /** A line of the CLI, parsed as JSON or as `glance` gave it. An unknown one becomes an `unknown` event. */
  readonly push: (line: unknown) => ReadonlyArray<Output>
  /** As `glance` of a run. Returns an instance of a class of its own, so that no JSON can pass for it. */
  readonly glance?: GlanceAt<object>
  /** Starts a turn; called only while none is under way. */
  readonly turn: (prompt: string, input?: TurnInput) => ReadonlyArray<Output>
  /** Adds a text to the turn under way; undefined where the CLI cannot take one now. */
  readonly steer: (text: string, input?: TurnInput) => ReadonlyArray<Output> | undefined
  /** Ends the turn under way. Open requests of the CLI are answered here, and withdrawn. */
  readonly interrupt: () => ReadonlyArray<Output>
  /** Answers an `Asked`; of an unknown or answered request, nothing. */
  readonly decide: (requestId: string, decision: Decision) => ReadonlyArray<Output>
  /** Answers a `Questioned`. Without answers, the agent is to use its defaults. */
  readonly answer: (requestId: string, answers: Answers | undefined) => ReadonlyArray<Output>
  /** Asks for a change; `Changed` gives its outcome, at once or later. */
  readonly change: (changeId: string, change: Change) => ReadonlyArray<Output>
  /** The result of a `HookCalled`, `McpCalled` or `Checked`. */
  readonly reply: (callId: string, reply: unknown) => ReadonlyArray<Output>
  readonly standing: () => Standing
  /** Ends the turn that is `answered`, since the CLI did not report its end. A report that comes later ends nothing. */
  readonly settle?: () => ReadonlyArray<Output>
  /** Partial report of the running turn, for one that is cut off. */
  readonly report?: () => RunReport
}

export interface DialogueContext {
  /** Absolute. */
  readonly workingDirectory: string
  /** Absolute; holds the files of the plan. */
  readonly privateDirectory: string
}

/** How a CLI holds live sessions. */
export interface Live {
  /** Options that the plan and the dialogue honour, beside those that work for every CLI. */
  readonly supports: ReadonlySet<keyof AgentOpenParams>
  readonly plan: (
    params: AgentOpenParams,
    options: AgentOptions,
    context: PlanContext
  ) => Result.Result<Plan, FailureReason>
  readonly dialogue: (params: AgentOpenParams, context: DialogueContext) => Dialogue
  /** Whether a turn can have an `outputSchema` that the CLI knows of; else the prompt asks for it. Default: false. */
  readonly takesOutputSchema?: boolean
  /** How functions of the host become tools: messages of MCP in the dialogue, or a server on loopback. */
  readonly hostTools: "dialogue" | "server"
  /** Prefixes that the CLI puts before the name of a tool of the server `host`. Permissions use these names. */
  readonly hostToolPrefixes: ReadonlyArray<string>
  /** Whether the process leaves at the end of its stdin; else it is stopped at once. */
  readonly leavesAtEndOfInput: boolean
}
