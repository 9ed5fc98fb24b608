/** Events in short, and the transcript of them. */
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentRunResult } from "../../src/contract/AgentRunResult.ts"
import type { PermissionRequestEvent } from "../../src/contract/SessionEvent.ts"
import { begin } from "../../src/program/blocks.ts"
import { printable } from "../../src/program/sequences.ts"
import type { Surface } from "../../src/program/style.ts"
import { draw } from "../../src/program/transcript.ts"

export const plain: Surface = { live: false, columns: 80 }
export const live: Surface = { live: true, columns: 60 }

/** Each event comes so many milliseconds after the one before. */
export const transcriptOf = (events: ReadonlyArray<AgentEvent>, surface = plain, everyMs: number | null = 1000) => {
  const { text } = events.reduce(
    ({ transcript, text, at }, event) => {
      const now = everyMs === null ? undefined : at * everyMs
      const [next, more] = draw(transcript, event, { surface, now })
      return { transcript: next, text: text + more, at: at + 1 }
    },
    { transcript: begin("claude", 0), text: "", at: 0 }
  )
  return text
}

const names: Readonly<Record<string, string>> = {
  0: "/",
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  36: "cyan"
}
export const withNames = (text: string) =>
  printable(text).replace(/\x1b\[(\d+)m/g, (_, code: string) => `<${names[code]}>`)

/** Without the colours. */
export const bare = (text: string) => printable(text).replace(/\x1b\[\d+m/g, "")

export const session: AgentEvent = {
  type: "session",
  sessionId: "s1",
  model: "opus",
  cliVersion: "2.1",
  workingDirectory: "/w"
}
export const text = (piece: string): AgentEvent => ({ type: "text", text: piece })
export const use = (toolId: string, toolName: string, title: string, more: Partial<AgentEvent> = {}): AgentEvent =>
  ({ type: "tool_use", toolId, toolName, title, input: {}, ...more }) as AgentEvent
export const result = (toolId: string, output: string, isError = false, parentToolId?: string): AgentEvent => ({
  type: "tool_result",
  toolId,
  output,
  isError,
  ...(parentToolId === undefined ? {} : { parentToolId })
})
export const notice = (
  kind: "progress" | "rate_limit" | "retry" | "text_voided",
  message: string,
  data?: Record<string, unknown>
) => ({ type: "notice", kind, message, ...(data === undefined ? {} : { data }) }) satisfies AgentEvent
export const done = (more: Partial<AgentRunResult> = {}): AgentEvent => ({
  type: "done",
  result: {
    outcome: "completed",
    reason: "completed",
    text: "",
    sessionId: "s1",
    durationMs: 3400,
    usage: { inputTokens: 1200, outputTokens: 84, cacheReadTokens: 6000, cacheWriteTokens: 40 },
    aborted: false,
    numTurns: 2,
    totalCostUsd: 0.0039,
    ...more
  }
})

/** A session with the id and the directory of a real one. */
export const shopSession: AgentEvent = {
  type: "session",
  sessionId: "5a30e275-e52e-49bd-bd0d-0579ee43bd3f",
  model: "opus-5-5",
  cliVersion: "2.1.328",
  workingDirectory: "/home/ann/shop"
}

/** The request before a command. */
export const request = (more: Partial<PermissionRequestEvent> = {}): PermissionRequestEvent => ({
  type: "permission_request",
  requestId: "r",
  toolName: "Bash",
  toolId: "t",
  kind: "command",
  input: {},
  title: "t",
  escalated: false,
  scopes: [],
  ...more
})

export const exactScope = {
  id: "exact",
  label: "this exact command",
  covers: "Only this exact command, in this directory."
}
