/** Tool calls in the words of the protocol: kinds, places, changes of files, output; pure and bounded. */
import { obstacleOf } from "../../agents/approvals/preview.ts"
import { plainJson } from "../../contract/eventJson.ts"
import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import type { FileEdit, ToolKind, ToolResultEvent, ToolUseEvent } from "../../contract/ToolEvent.ts"
import { cutAt, shortLine } from "../../contract/text/harmless.ts"
import { fenced } from "./promptOf.ts"

/** Params of `session/update`. */
export interface Update {
  readonly sessionUpdate: string
  readonly [field: string]: unknown
}

/** Limits in characters. */
const longestTitle = 200
const longestOutput = 64 * 1024
const longestInput = 256 * 1024
const mostLocations = 100

const kinds: Readonly<Record<ToolKind, string>> = {
  command: "execute",
  file_change: "edit",
  read: "read",
  search: "search",
  web: "fetch",
  mcp: "other",
  subagent: "think",
  plan: "think",
  question: "other",
  other: "other"
}

const hasContent = ({ before, after }: FileEdit) => before !== undefined || after !== undefined

/** A change of files is a move or a deletion only if all its edits are. */
const kindOf = (kind: ToolKind | undefined, edits: ReadonlyArray<FileEdit> = []): string => {
  if (kind === undefined) return "other"
  if (kind !== "file_change" || edits.length === 0) return kinds[kind]
  if (edits.every((edit) => !hasContent(edit))) return "move"
  return edits.every(({ before, after }) => before !== undefined && after === undefined) ? "delete" : "edit"
}

const textContent = (text: string) => ({ type: "content", content: { type: "text", text } })

const diffsOf = (edits: ReadonlyArray<FileEdit> = []) =>
  edits
    .filter(hasContent)
    .map(({ path, before, after }) => ({ type: "diff", path, oldText: before ?? null, newText: after ?? "" }))

type Call = Pick<ToolUseEvent | PermissionRequestEvent, "toolName" | "title" | "kind" | "input" | "paths" | "edits">

/** The protocol has integers of 32 bits. */
const isLine = (line: number | undefined) => Number.isInteger(line) && Number(line) > 0 && Number(line) < 2 ** 32

const locationsOf = ({ paths = [], edits = [] }: Call) => {
  const lines = new Map(edits.map(({ path, line }) => [path, line]))
  const places = new Set([...edits.map(({ path, movedTo }) => movedTo ?? path), ...paths])
  return [...places].slice(0, mostLocations).map((path) => {
    const line = lines.get(path)
    return isLine(line) ? { path, line } : { path }
  })
}

/** Larger inputs are left out: the diffs show the relevant part. */
const rawInputOf = (input: unknown) => {
  const json = plainJson(input)
  return json === undefined || json.length > longestInput ? {} : { rawInput: JSON.parse(json) as unknown }
}

const facts = (call: Call) => ({
  title: shortLine(call.title ?? call.toolName, longestTitle) || "tool",
  kind: kindOf(call.kind, call.edits),
  locations: locationsOf(call),
  ...rawInputOf(call.input)
})

export const nested = (parentToolId: string | undefined) =>
  parentToolId === undefined ? {} : { _meta: { reins: { parentToolId } } }

/** `isKnown`: whether the client knows the call already. */
export const callUpdate = (event: ToolUseEvent, isKnown: boolean): Update => ({
  sessionUpdate: isKnown ? "tool_call_update" : "tool_call",
  toolCallId: event.toolId,
  status: "in_progress",
  ...facts(event),
  ...((event.edits ?? []).length === 0 ? {} : { content: diffsOf(event.edits) }),
  ...nested(event.parentToolId)
})

const changed = (toolCallId: string, fields: object): Update => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  ...fields
})

export const decidedUpdate = (toolCallId: string) => changed(toolCallId, { status: "in_progress" })
export const planUpdateOf = (toolCallId: string, plan: string) => changed(toolCallId, { content: [textContent(plan)] })

const outputOf = (output: string) => {
  const { head, rest } = cutAt(output, longestOutput)
  return textContent(fenced(rest === 0 ? head : `${head}\n… ${rest} characters more`))
}

const imagesOf = ({ media = [] }: ToolResultEvent) =>
  media.flatMap(({ mediaType: mimeType, data }) =>
    data === undefined ? [] : [{ type: "content", content: { type: "image", mimeType, data } }]
  )

/** New content replaces the old: a successful change of files keeps its diffs. */
export const resultUpdate = (event: ToolResultEvent, showsEdits: boolean): Update => {
  const diffs = diffsOf(event.edits)
  const output = [...(event.output.trim() === "" ? [] : [outputOf(event.output)]), ...imagesOf(event)]
  const stays = diffs.length === 0 && (output.length === 0 || (showsEdits && !event.isError))
  return changed(event.toolId, {
    status: event.isError ? "failed" : "completed",
    ...(stays ? {} : { content: event.isError ? output : diffs.length > 0 ? diffs : output }),
    ...nested(event.parentToolId)
  })
}

/** The complete request as a person sees it: the preview has every part of it, or names the missing ones. */
export const requestedCall = (request: PermissionRequestEvent) => {
  const { preview = "", reason } = request
  const obstacle = obstacleOf(request)
  return {
    toolCallId: request.toolId,
    status: "pending",
    ...facts(request),
    ...(request.kind === "plan" ? { kind: "switch_mode" } : {}),
    content: [
      ...diffsOf(request.edits),
      textContent(fenced(preview)),
      ...(obstacle === undefined ? [] : [textContent(obstacle)]),
      ...(reason === undefined ? [] : [textContent(fenced(cutAt(reason, longestTitle * 10).head))])
    ]
  }
}
