/** Wire lines of Codex, made by hand, and a decoder that takes them. */

import { codex } from "../../../src/cli/codex/index.ts"
import type { Decoder } from "../../../src/cli/Decoder.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import { translate } from "../../kit/translate.ts"

export type Json = Readonly<Record<string, unknown>>

export const threadId = "01a1f801-5a3a-7703-8d14-59749c3756b5"

export const thread = (id = threadId): Json => ({ type: "thread.started", thread_id: id })
export const turn: Json = { type: "turn.started" }
export const error = (message: string): Json => ({ type: "error", message })
export const reconnecting = error("Reconnecting... 1/5 (stream disconnected before completion: x)")
export const failed = (message: string): Json => ({ type: "turn.failed", error: { message } })

/** Totals of a thread after so many turns of 100 and 20 tokens, 40 read from the cache and 7 written to it. */
const totals = (turns: number): Json => ({
  input_tokens: 100 * turns,
  cached_input_tokens: 40 * turns,
  cache_write_input_tokens: 7 * turns,
  output_tokens: 20 * turns,
  reasoning_output_tokens: 5 * turns
})
export const completed = (turns = 1): Json => ({ type: "turn.completed", usage: totals(turns) })

const line =
  (stage: "started" | "updated" | "completed") =>
  (item: Json): Json => ({ type: `item.${stage}`, item })
export const started = line("started")
export const updated = line("updated")
export const ended = line("completed")

export const message = (text: string, id = "item_m"): Json => ended({ id, type: "agent_message", text })
export const reasoning = (text: string): Json => ended({ id: "item_r", type: "reasoning", text })

export const command = (id: string, more: Json = {}): Json => ({
  id,
  type: "command_execution",
  command: "/bin/bash -lc 'echo hi'",
  aggregated_output: "",
  exit_code: null,
  status: "in_progress",
  ...more
})

export const decode = (
  lines: ReadonlyArray<unknown>,
  params: Partial<AgentExecuteParams> = {},
  cli = codex
): { readonly decoder: Decoder; readonly events: ReadonlyArray<AgentEvent> } => {
  const decoder = cli.decoder({ prompt: "hello", ...params })
  return { decoder, events: lines.flatMap((json) => translate(decoder, json)) }
}

/** The text that stands. */
export const answer = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) => (event.type === "text" ? event.text : "")).join("")
