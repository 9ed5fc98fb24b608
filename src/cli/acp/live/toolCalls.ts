/** Updates of tool calls, which come in pieces → one `tool_use`, when the call is complete, and one `tool_result`. */
import { Predicate } from "effect"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { FileEdit, ToolKind } from "../../../contract/ToolEvent.ts"
import { firstLine } from "../../../contract/text/toolTitle.ts"
import { at, entryOf } from "../../jsonFields.ts"
import { imagesOfBlock, mediaOf } from "../../media.ts"
import type { Files } from "../../toolInputs.ts"
import { type Diff, diffsOf, type ToolCallUpdate, textsOf } from "../wire.ts"
import type { AcpCall, AcpFlavor, Described } from "./flavor.ts"

/** The protocol sends whole files. */
const editOf = ({ path, oldText, newText }: Diff): FileEdit => ({
  path,
  ...(oldText == null || oldText === "" ? {} : { before: oldText }),
  after: newText ?? ""
})

export const filesOf = ({ paths: locations, content }: Pick<AcpCall, "paths" | "content">): Files => {
  const diffs = diffsOf(content)
  const paths = [...new Set([...locations, ...diffs.map(({ path }) => path)])]
  return { ...(paths.length === 0 ? {} : { paths }), ...(diffs.length === 0 ? {} : { edits: diffs.map(editOf) }) }
}

const kinds: Readonly<Record<string, ToolKind>> = {
  execute: "command",
  edit: "file_change",
  delete: "file_change",
  move: "file_change",
  read: "read",
  search: "search",
  fetch: "web",
  switch_mode: "plan"
}

/** The protocol has no names of tools; their kind is the most stable fact it has. */
export const describeByKind = ({ kind: toolName = "other", title = toolName }: AcpCall): Described => ({
  toolName,
  kind: entryOf(kinds, toolName) ?? "other",
  title: firstLine(title)
})

export const isEmptyInput = (input: unknown) =>
  input == null || (Predicate.isObject(input) && Object.keys(input).length === 0)

const isCompleteByDefault = ({ input, status }: AcpCall) =>
  !isEmptyInput(input) || (status !== undefined && status !== "pending")

const started = (toolId: string, title: string | undefined): AcpCall => ({
  toolId,
  firstTitle: title,
  title,
  kind: undefined,
  status: undefined,
  input: undefined,
  content: [],
  paths: [],
  output: undefined,
  meta: undefined
})

const merged = (call: AcpCall, update: ToolCallUpdate): AcpCall => ({
  ...call,
  title: update.title ?? call.title,
  kind: update.kind ?? call.kind,
  status: update.status ?? call.status,
  input: isEmptyInput(update.rawInput) ? call.input : update.rawInput,
  content: update.content ?? call.content,
  paths: update.locations?.map(({ path }) => path) ?? call.paths,
  output: update.rawOutput ?? call.output,
  meta: update._meta ?? call.meta
})

/** The call of a request. The request wins, unless the announced input is known to be that of the tool. */
const askedFor = (call: AcpCall, request: ToolCallUpdate, keepsInput: boolean): AcpCall => ({
  ...merged(call, request),
  status: call.status,
  ...(keepsInput && !isEmptyInput(call.input) ? { input: call.input } : {})
})

const outputOf = ({ content, output }: AcpCall): string => {
  const texts = textsOf(content)
  if (texts.length > 0) return texts.join("\n")
  if (typeof output === "string") return output
  return [at(output, "output"), at(output, "error")].find((value) => typeof value === "string") ?? ""
}

const richer = ({ content, output }: AcpCall) => {
  const diff = diffsOf(content)
  if (diff.length === 0 && output === undefined) return {}
  return { raw: { ...(diff.length === 0 ? {} : { diff }), ...(output === undefined ? {} : { output }) } }
}

const isOver = ({ status }: AcpCall) => status === "completed" || status === "failed"

interface Tracked {
  readonly call: AcpCall
  readonly isGiven: boolean
  /** Its `tool_use` had the edits, or it had none. */
  readonly hasEdits: boolean
  readonly isEnded: boolean
  /** The agent has asked for it. */
  readonly isAsked: boolean
}

const fresh = { isGiven: false, hasEdits: false, isAsked: false }

export interface ToolCalls {
  /** `isNew`: the agent announces it as a new call. */
  readonly update: (update: ToolCallUpdate, isNew: boolean) => ReadonlyArray<AgentEvent>
  /** The call of a request; `give` makes its `tool_use` later. */
  readonly ask: (request: ToolCallUpdate) => AcpCall
  readonly give: (toolId: string) => ReadonlyArray<AgentEvent>
  readonly call: (toolId: string) => AcpCall | undefined
  readonly isEnded: (toolId: string) => boolean
  /** Whether the agent has asked for it. */
  readonly wasAsked: (toolId: string) => boolean
  /** A result made here, where the agent sends none. */
  readonly fail: (toolId: string, output: string) => ReadonlyArray<AgentEvent>
  readonly failAll: (output: string) => ReadonlyArray<AgentEvent>
  readonly count: () => number
}

/** Tool calls of one turn. */
export const makeToolCalls = (flavor: AcpFlavor, params: AgentOpenParams): ToolCalls => {
  const { describe = describeByKind } = flavor
  const announce: NonNullable<AcpFlavor["announce"]> = flavor.announce ?? filesOf
  const { isComplete = isCompleteByDefault, isFailed = () => false, exitOf = () => ({}) } = flavor
  const calls = new Map<string, Tracked>()

  const give = (toolId: string): ReadonlyArray<AgentEvent> => {
    const tracked = calls.get(toolId)
    if (tracked === undefined || tracked.isGiven) return []
    const described = describe(tracked.call, params)
    const { plan = [], ...files } = announce(tracked.call, described.toolName)
    calls.set(toolId, { ...tracked, isGiven: true, hasEdits: files.edits !== undefined })
    return [{ type: "tool_use", toolId, input: tracked.call.input ?? {}, ...described, ...files }, ...plan]
  }

  const end = (toolId: string, output: string, isError: boolean, facts: object = {}): ReadonlyArray<AgentEvent> => {
    const use = give(toolId)
    const tracked = calls.get(toolId)
    if (tracked === undefined || tracked.isEnded) return use
    calls.set(toolId, { ...tracked, isEnded: true })
    const { edits } = tracked.hasEdits || isError ? {} : filesOf(tracked.call)
    return [
      ...use,
      { type: "tool_result", toolId, output, isError, ...facts, ...(edits === undefined ? {} : { edits }) }
    ]
  }

  /** Changes an open call, or starts it. */
  const put = (
    { toolCallId: toolId, title }: ToolCallUpdate,
    change: (call: AcpCall) => AcpCall,
    facts: Partial<Pick<Tracked, "isAsked">> = {}
  ): AcpCall => {
    const before = calls.get(toolId)
    const known = before?.isEnded === true ? undefined : before
    const call = change(known?.call ?? started(toolId, title ?? undefined))
    calls.set(toolId, { ...fresh, ...known, ...facts, call, isEnded: false })
    return call
  }

  const update = (change: ToolCallUpdate, isNew: boolean): ReadonlyArray<AgentEvent> => {
    const { toolCallId: toolId } = change
    if (calls.get(toolId)?.isEnded === true && !isNew) return []
    const call = put(change, (before) => merged(before, change))
    if (isOver(call)) {
      const media = mediaOf(call.content.flatMap((item) => imagesOfBlock(at(item, "content"))))
      const facts = { ...exitOf(call), ...richer(call), ...media }
      return end(toolId, outputOf(call), call.status === "failed" || isFailed(call), facts)
    }
    return isComplete(call) ? give(toolId) : []
  }

  return {
    update,
    ask: (request) => put(request, (before) => askedFor(before, request, flavor.doubts === false), { isAsked: true }),
    give,
    call: (toolId) => calls.get(toolId)?.call,
    isEnded: (toolId) => calls.get(toolId)?.isEnded ?? false,
    wasAsked: (toolId) => calls.get(toolId)?.isAsked ?? false,
    fail: (toolId, output) => end(toolId, output, true),
    failAll: (output) => [...calls].flatMap(([toolId, { isEnded }]) => (isEnded ? [] : end(toolId, output, true))),
    count: () => calls.size
  }
}
