/**
 * How one CLI speaks, for fakes: the shape that the four files of `wire/` fill. A speaker belongs to one start of the
 * process and knows what it has said, since a line may depend on the lines before it. A step that the CLI has no words
 * for is a missing method, or refused.
 */
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
  /** Said once before all else. */
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
  /** For people. */
  readonly name: string
  /** Default session id, in the CLI's own form. */
  readonly sessionId: string
  readonly sessionArguments: SessionArguments
  /** The argument whose mode it reports; absent where its runs report none. */
  readonly modeArgument?: string
  /** With which it holds a live session. */
  readonly liveArgument: string
  readonly speaker: (context: Context) => Speaker
}

/** Small and the same for all, so that tests can name them. */
export const defaultUsage: AgentUsage = { inputTokens: 10, outputTokens: 5 }

/** A count that is not told has no field. */
export const countOf = <Name extends string>(
  name: Name,
  count: number | undefined
): { readonly [N in Name]?: number } =>
  count === undefined ? {} : ({ [name]: count } as { readonly [N in Name]: number }) // a computed key widens to string
export const defaultCostUsd = 0.001

/** Fakes know no clock: the same script prints the same lines. */
export const timestamp = "2026-01-01T00:00:00.000Z"
export const timestampMs = Date.parse(timestamp)
