/** Items of `app-server` → those of `exec`, so that a tool call looks the same in runs and live sessions (0.169.0). */
import { Predicate, Result } from "effect"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { PermissionDenial } from "../../../contract/AgentRunResult.ts"
import { entryOf, listAt } from "../../jsonFields.ts"
import { base64OfUrl, mediaOf } from "../../media.ts"
import { textIn } from "../../toolInputs.ts"
import { callOf, outcomeOf, type ToolCall, type ToolOutcome, toolResult, toolUse, unfinished } from "../run/tools.ts"
import { decodeItem, type ToolItem } from "../wire.ts"
import { filesOf } from "./fileEdits.ts"
import { type Item, snake } from "./wire.ts"

const types: Readonly<Record<string, ToolItem["type"]>> = {
  commandExecution: "command_execution",
  fileChange: "file_change",
  mcpToolCall: "mcp_tool_call",
  webSearch: "web_search",
  collabAgentToolCall: "collab_tool_call"
}

const wordOf = (kind: unknown) => (Predicate.hasProperty(kind, "type") ? kind.type : kind)

const changesOf = (item: Item) =>
  listAt(item, "changes")
    .filter(Predicate.isObject)
    .map((change) => ({ ...change, ...("kind" in change ? { kind: wordOf(change.kind) } : {}) }))

const resultOf = (result: unknown) =>
  Predicate.hasProperty(result, "structuredContent")
    ? { ...result, structured_content: result.structuredContent }
    : result

const statesOf = (states: object) =>
  Object.fromEntries(
    Object.entries(states).map(([thread, state]: readonly [string, unknown]) => {
      const status = textIn(state, "status")
      return [thread, status === undefined ? state : { ...Object(state), status: snake(status) }]
    })
  )

const collabOf = ({ tool, agentsStates }: Item) => ({
  tool: Predicate.isString(tool) ? snake(tool) : tool,
  ...(Predicate.isObject(agentsStates) ? { agents_states: statesOf(agentsStates) } : {})
})

/** Returns undefined for anything but a tool call, including results of `exec`. */
const toolItemOf = (item: Item): ToolItem | undefined => {
  const type = entryOf(types, item.type)
  if (type === undefined) return undefined
  const { changes: _changes, result, tool, kind: _kind, ...others } = item
  const plain = Object.fromEntries(Object.entries(others).map(([name, value]) => [snake(name), value]))
  const fields = {
    ...plain,
    type,
    ...(type === "file_change" ? { changes: changesOf(item) } : {}),
    ...(type === "collab_tool_call" ? collabOf(item) : { tool }),
    ...(result === undefined ? {} : { result: resultOf(result) })
  }
  const decoded = decodeItem(fields)
  if (Result.isFailure(decoded)) return undefined
  const known = decoded.success
  return isTool(known) ? known : undefined
}

const toolTypes: ReadonlySet<string> = new Set(Object.values(types))
const isTool = (item: { readonly type: string }): item is ToolItem => toolTypes.has(item.type)

export interface OpenCall extends ToolCall {
  readonly item: Item
}

export interface Call {
  readonly call: ToolCall
  readonly outcome: ToolOutcome
  readonly isDeclined: boolean
}

/** A function of a host, with the name of a tool of a server that is called like its name space. */
const dynamicCall = (item: Item): Call => {
  const tool = String(item["tool"] ?? "")
  const space = item["namespace"]
  const named = Predicate.isString(space)
    ? { toolName: `mcp__${space}__${tool}`, title: `${space}: ${tool}`, kind: "mcp" as const }
    : { toolName: tool, title: tool, kind: "other" as const }
  const parts = listAt(item, "contentItems")
  const output = parts.map((part) => textIn(part, "text") ?? "[image]").join("\n")
  const media = mediaOf(parts.flatMap((part) => base64OfUrl(textIn(part, "imageUrl"))))
  const isError = item["success"] === false || item["status"] === "failed"
  return {
    call: { ...named, input: item["arguments"] ?? {} },
    outcome: { output, isError, ...media },
    isDeclined: false
  }
}

/** Newer models start a sub-agent by a call that has only this item. */
const spawnCall = (item: Item): Call => {
  const path = String(item["agentPath"] ?? "")
  const input = { path, threads: [item["agentThreadId"]] }
  const call = { toolName: "spawn_agent", input, kind: "subagent", title: path || "spawn_agent" } as const
  return { call, outcome: { output: "", isError: false }, isDeclined: false }
}

/** Later facts of a sub-agent come from its own thread. */
export const isSpawn = (item: Item) => item.type === "subAgentActivity" && item["kind"] === "started"

export const readCall = (item: Item): Call | undefined => {
  if (item.type === "dynamicToolCall") return dynamicCall(item)
  if (isSpawn(item)) return spawnCall(item)
  const known = toolItemOf(item)
  if (known === undefined) return undefined
  const call = { ...callOf(known), ...filesOf(item) }
  return { call, outcome: outcomeOf(known), isDeclined: known.status === "declined" }
}

export interface ToolCalls {
  readonly started: (item: Item) => ReadonlyArray<AgentEvent> | undefined
  readonly completed: (item: Item) => ReadonlyArray<AgentEvent> | undefined
  readonly get: (id: string) => OpenCall | undefined
  /** The first that fits. */
  readonly find: (fits: (id: string, open: OpenCall) => boolean) => readonly [string, OpenCall] | undefined
  /** Reins has answered its request: its "declined" needs no notice. */
  readonly decided: (id: string) => void
  readonly denied: (denial: PermissionDenial) => void
  readonly hasCommand: () => boolean
  readonly isOpen: (id: string) => boolean
  /** Results of calls that were never completed, and denials of the turn. */
  readonly end: () => { readonly results: ReadonlyArray<AgentEvent>; readonly denials: ReadonlyArray<PermissionDenial> }
}

export const makeToolCalls = (): ToolCalls => {
  const open = new Map<string, OpenCall>()
  const answered = new Set<string>()
  let denials: ReadonlyArray<PermissionDenial> = []

  const use = (item: Item, call: ToolCall): ReadonlyArray<AgentEvent> =>
    open.has(item.id) ? [] : [toolUse(item.id, call)]

  const declined = (toolId: string, { toolName, title }: ToolCall): ReadonlyArray<AgentEvent> => {
    if (answered.has(toolId)) return []
    denials = [...denials, { toolName, toolId }]
    return [{ type: "notice", kind: "permission_denied", message: `Declined: ${title}`, data: { toolName, toolId } }]
  }

  return {
    started: (item) => {
      const read = readCall(item)
      if (read === undefined) return undefined
      const events = use(item, read.call)
      open.set(item.id, { ...read.call, item })
      return events
    },
    completed: (item) => {
      const read = readCall(item)
      if (read === undefined) return undefined
      const events = use(item, read.call)
      open.delete(item.id)
      const notices = read.isDeclined ? declined(item.id, read.call) : []
      answered.delete(item.id)
      return [...events, ...notices, toolResult(item.id, read.outcome)]
    },
    get: (id) => open.get(id),
    find: (fits) => {
      for (const entry of open) if (fits(...entry)) return entry
      return undefined
    },
    decided: (id) => answered.add(id),
    denied: (denial) => {
      denials = [...denials, denial]
    },
    hasCommand: () => [...open.values()].some(({ item }) => item.type === "commandExecution"),
    isOpen: (id) => open.has(id),
    end: () => {
      const results = [...open.keys()].map((toolId) => toolResult(toolId, unfinished))
      const ended = { results, denials }
      open.clear()
      answered.clear()
      denials = []
      return ended
    }
  }
}
