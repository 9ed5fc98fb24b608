/** How one CLI speaks, for fakes. A speaker belongs to one start, and refuses steps that the CLI has no words for. */
import type { AgentUsage } from "../contract/AgentRunResult.ts"
import type { SessionArguments } from "./instructions.ts"
import type * as Steps from "./Steps.ts"

export type Lines = ReadonlyArray<unknown>

/** The values in its lines, and its refusal of a step that it cannot express. */
export interface Context {
  readonly sessionId: string
  readonly workingDirectory: string
  readonly prompt: string
  /** In the words of the CLI. */
  readonly permissionMode: string
  readonly refuse: (problem: string) => never
}

export interface Speaker {
  /** Printed once, first. */
  readonly session: (step: Steps.SessionStep) => Lines
  readonly text: (pieces: ReadonlyArray<string>) => Lines
  /** An answer for a schema; absent where it is text that is JSON. */
  readonly answer?: (value: unknown) => Lines
  readonly thinking?: (pieces: ReadonlyArray<string>) => Lines
  /** An id in the CLI's own form. */
  readonly newToolId: (name: string) => string
  readonly toolStart: (step: Steps.ToolStartStep) => Lines
  readonly toolEnd: (start: Steps.ToolStartStep, end: Steps.ToolEndStep) => Lines
  readonly retry?: (step: Steps.RetryStep) => Lines
  readonly error: (step: Steps.ErrorStep) => { readonly lines: Lines; readonly exitCode: number }
  readonly result: (step: Steps.ResultStep) => Lines
}

export interface Dialect {
  readonly name: string
  /** Default session id, in the CLI's own form. */
  readonly sessionId: string
  readonly sessionArguments: SessionArguments
  /** The argument whose mode it reports; absent where its runs report none. */
  readonly modeArgument?: string
  /** The argument of a live session. */
  readonly liveArgument: string
  readonly speaker: (context: Context) => Speaker
}

/** Small and the same for all, so that tests can name them. */
export const defaultUsage: AgentUsage = { inputTokens: 10, outputTokens: 5 }

/** Absent counts have no field. */
export const countOf = <Name extends string>(
  name: Name,
  count: number | undefined
): { readonly [N in Name]?: number } =>
  count === undefined ? {} : ({ [name]: count } as { readonly [N in Name]: number }) // a computed key widens to string
export const defaultCostUsd = 0.001
/** The same script always prints the same lines. */
export const timestamp = "2026-01-01T00:00:00.000Z"
export const timestampMs = Date.parse(timestamp)
