/**
 * The shape that a CLI fills to hold a live session: how it is started, and its side of the conversation. A dialogue is
 * plain data in and out: it starts nothing, waits for nothing and knows no stream. Lines of the CLI and wishes of the
 * caller go in; events, lines to write and things to be done come out, in order.
 */
import type { Result } from "effect"
import type { FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { Decision, PermissionAsk } from "../contract/Ask.ts"
import type { Plan, PlanContext } from "../contract/Plan.ts"
import type { Answers, Question } from "../contract/SessionEvent.ts"
import type { RunReport, Standing, Verdict } from "./Decoder.ts"

export type Change =
  | { readonly _tag: "Model"; readonly model: string }
  | { readonly _tag: "PermissionMode"; readonly permissionMode: PermissionMode }

/** What a dialogue wants done. */
export type Action =
  /** One line on the CLI's stdin. */
  | { readonly _tag: "Write"; readonly json: unknown }
  /** The handshake is over: turns may begin. */
  | { readonly _tag: "Opened" }
  /** A person may have to be asked; `decide` answers. Its `tool_use` was given before. */
  | { readonly _tag: "Asked"; readonly ask: PermissionAsk }
  /** The agent is about to call a tool without asking: `reply` says why it may not, or undefined. */
  | { readonly _tag: "Checked"; readonly callId: string; readonly ask: PermissionAsk }
  /** `answer` answers. */
  | {
      readonly _tag: "Questioned"
      readonly requestId: string
      readonly toolId?: string
      readonly questions: ReadonlyArray<Question>
    }
  /** Whatever this request was, the CLI waits for no answer any more, and gets none. */
  | { readonly _tag: "Withdrawn"; readonly requestId: string }
  /** Facts of this turn alone. */
  | {
      readonly _tag: "TurnEnded"
      readonly verdict: Verdict
      readonly report: RunReport
      readonly isInterrupted?: boolean
      /** False: not the turn that was asked for; that one is still to come. */
      readonly isOwn?: boolean
    }
  /** How a change came out. */
  | { readonly _tag: "Changed"; readonly changeId: string; readonly problem?: string }
  /** A hook of the params is called, by its place among them; `reply` answers. */
  | { readonly _tag: "HookCalled"; readonly callId: string; readonly hook: number; readonly input: unknown }
  /** A message of MCP for the host's own server; `reply` answers, with undefined to a notification. */
  | { readonly _tag: "McpCalled"; readonly callId: string; readonly message: unknown }
  /** The session cannot go on. */
  | { readonly _tag: "Failed"; readonly reason: FailureReason }

export type Output = AgentEvent | Action

export const isAction = (output: Output): output is Action => "_tag" in output

export interface Dialogue {
  /** The first lines to write. */
  readonly open: () => ReadonlyArray<Output>
  readonly push: (json: unknown) => ReadonlyArray<Output>
  /** Only while no turn is under way. */
  readonly turn: (prompt: string) => ReadonlyArray<Output>
  /** Hands a text to the turn under way; undefined where the CLI has no way to do so now. */
  readonly steer: (text: string) => ReadonlyArray<Output> | undefined
  /** Ends the turn under way. What the CLI has asked and is owed an answer gets one here, and is withdrawn. */
  readonly interrupt: () => ReadonlyArray<Output>
  readonly decide: (requestId: string, decision: Decision) => ReadonlyArray<Output>
  /** Without answers: use your defaults. */
  readonly answer: (requestId: string, answers: Answers | undefined) => ReadonlyArray<Output>
  readonly change: (changeId: string, change: Change) => ReadonlyArray<Output>
  /** What a hook gave, or the answer of the host's MCP server. */
  readonly reply: (callId: string, reply: unknown) => ReadonlyArray<Output>
  readonly standing: () => Standing
  /** What was told so far of the turn under way, for one that is cut off. */
  readonly report?: () => RunReport
}

export interface DialogueContext {
  /** Absolute. */
  readonly workingDirectory: string
  /** Absolute; what the plan has files for is there. */
  readonly privateDirectory: string
}

export interface Live {
  readonly supports: ReadonlySet<keyof AgentOpenParams>
  readonly plan: (
    params: AgentOpenParams,
    options: AgentOptions,
    context: PlanContext
  ) => Result.Result<Plan, FailureReason>
  readonly dialogue: (params: AgentOpenParams, context: DialogueContext) => Dialogue
  /** How functions of the host become tools: messages of MCP in the dialogue, or a server on loopback. */
  readonly hostTools: "dialogue" | "server"
  /** Whether the process leaves by itself when its stdin has ended; else it is stopped at once. */
  readonly leavesAtEndOfInput: boolean
}
