/** An agent's request for a permission with its choices, and what it can be answered. */
import type { Output } from "../../../../src/cli/Live.ts"
import { printed, request } from "./talk.ts"

export const options = [
  { optionId: "forever", kind: "allow_always", name: "Always" },
  { optionId: "yes", kind: "allow_once", name: "Yes" },
  { optionId: "never", kind: "reject_always", name: "Never" },
  { optionId: "no", kind: "reject_once", name: "No" }
]

export const ask = (id: number, input: ReadonlyArray<object> = options, toolCallId = "call") =>
  request(id, "session/request_permission", {
    sessionId: "s",
    toolCall: { toolCallId, title: "echo one", kind: "execute", rawInput: { command: "echo one" } },
    options: input
  })

export const askWith = (id: number, rawInput: object) =>
  request(id, "session/request_permission", {
    sessionId: "s",
    toolCall: { toolCallId: "call", title: "as asked", kind: "execute", rawInput },
    options
  })

export const outcomes = (outputs: ReadonlyArray<Output>) =>
  printed(outputs).map(({ id, result: outcome }) => [id, outcome])

export const cancelled = { outcome: { outcome: "cancelled" } }
export const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } })
