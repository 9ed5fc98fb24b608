/** A dialogue with a Codex that prints the lines of a test; its thread is `T`. */

import { makeDialogue } from "../../../../src/cli/codex/live/dialogue.ts"
import { isAction, type Output } from "../../../../src/cli/Live.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { context, type Json } from "./player.ts"

export const threadId = "01a1fa30-0000-7000-8000-000000000000"

export const lines = (outputs: ReadonlyArray<Output> | undefined = []): ReadonlyArray<Json> =>
  outputs.flatMap((output) => (isAction(output) && output._tag === "Write" ? [output.json] : []))

export const others = (outputs: ReadonlyArray<Output> | undefined = []): ReadonlyArray<Json> =>
  outputs.filter((output) => !(isAction(output) && output._tag === "Write"))

const tagOf = (output: Json) => output._tag ?? `${output.type} ${output.kind ?? ""}`.trim()
/** Events and actions, each in a word or two, without the lines that are written. */
export const tags = (outputs: Parameters<typeof others>[0]) => others(outputs).map(tagOf)

export const refused = (id: unknown, message: string) => ({ id, error: { code: -32600, message } })

export const notify = (method: string, params: Json = {}) => ({ method, params: { threadId, ...params } })

export const turnStarted = (id: string) => notify("turn/started", { turn: { id, status: "inProgress" } })
export const turnCompleted = (id: string, status = "completed") =>
  notify("turn/completed", { turn: { id, status, error: null } })
export const itemStarted = (turnId: string, item: Json) => notify("item/started", { turnId, item })
export const itemCompleted = (turnId: string, item: Json) => notify("item/completed", { turnId, item })
export const delta = (turnId: string, itemId: string, text: string) =>
  notify("item/agentMessage/delta", { turnId, itemId, delta: text })
export const content = (turnId: string, id: string, text: string) =>
  itemCompleted(turnId, { type: "agentMessage", id, text })

export const command = (id: string, more: Json = {}) => ({
  type: "commandExecution",
  id,
  command: "/bin/bash -lc 'echo hi'",
  status: "inProgress",
  ...more
})
export const patch = (id: string, path: string) => ({
  type: "fileChange",
  id,
  status: "inProgress",
  changes: [{ path, kind: { type: "update", move_path: null }, diff: "@@ -1 +1 @@\n-old\n+new\n" }]
})
export const asks = (method: string, id: number, turnId: string, more: Json = {}) => ({
  method: `item/${method}/requestApproval`,
  id,
  params: { threadId, turnId, reason: null, ...more }
})

/** A function of the host. */
export const add = { name: "add", description: "adds", inputSchema: { properties: {} }, run: () => undefined }

export const makePeer = (params: AgentOpenParams = {}) => {
  const dialogue = makeDialogue(params, context)
  const [initialize] = lines(dialogue.open())
  const [, start] = lines(dialogue.push({ id: initialize.id, result: {} }))
  const thread = { thread: { id: threadId }, model: "m", approvalPolicy: "untrusted", sandbox: { type: "readOnly" } }
  return { dialogue, start, open: () => dialogue.push({ id: start.id, result: thread }) }
}

/** A turn is asked for, and the CLI has started it. */
export const inTurn = (id: string, params: AgentOpenParams = {}) => {
  const { dialogue, open } = makePeer(params)
  open()
  const [start] = lines(dialogue.turn("go"))
  dialogue.push({ id: start.id, result: { turn: { id } } })
  dialogue.push(turnStarted(id))
  return dialogue
}
