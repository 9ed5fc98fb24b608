/**
 * How OpenCode (1.18.33) speaks the Agent Client Protocol. The tool's name comes once, as the first title of a call, and its
 * input a moment later, even after a permission request. A sub-agent has no updates.
 */
import { Predicate } from "effect"
import { AgentFailed } from "../../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { PermissionAsk } from "../../../contract/Rule.ts"
import type { AcpCall, AcpFlavor, AcpRequest, AcpSession, Changing } from "../../acp/live/flavor.ts"
import { failureOf, reports } from "../../acp/live/outcomes.ts"
import { askForEffort, askForMode, askForModel, choiceFor, withMode } from "../../acp/live/sessionFacts.ts"
import { diffsOf, type ToolCallUpdate } from "../../acp/wire.ts"
import { at } from "../../jsonFields.ts"
import type { RpcError } from "../../jsonRpc.ts"
import type { Change } from "../../Live.ts"
import { textIn } from "../../toolInputs.ts"
import { isRefusal, standInFor } from "../run/state.ts"
import { describeTool, exitOf, filesOf, hasFailed, mcpServersOf, todosOf } from "../run/tools.ts"

const nameOf = ({ firstTitle, input }: AcpCall) =>
  firstTitle === "invalid" ? (textIn(input, "tool") ?? firstTitle) : (firstTitle ?? "other")

const describe = (call: AcpCall, params: AgentOpenParams) => {
  const toolName = nameOf(call)
  return { toolName, ...describeTool(toolName, call.input, mcpServersOf(params)) }
}

/** Impossible calls and failed commands are "completed", too. */
const isFailed = (call: AcpCall) => {
  if (call.title === "Invalid Tool") return true
  return hasFailed(nameOf(call), at(call.output, "metadata"))
}

const isOutside = ({ rawInput }: ToolCallUpdate) =>
  Predicate.hasProperty(rawInput, "directories") || Predicate.hasProperty(rawInput, "parentDir")

/** The location of a command is its directory, which is not a path of it; a file outside may have its own directory, too. */
const pathsOf = (call: AcpCall, query: ToolCallUpdate): ReadonlyArray<string> => {
  const file = textIn(query.rawInput, "filepath") ?? textIn(call.input, "filePath")
  if (file !== undefined) return [file]
  const named = query.locations?.map(({ path }) => path) ?? []
  const place = textIn(call.input, "path")
  return named.length === 0 && place !== undefined ? [place] : named
}

/** The request of a command repeats the command; its input comes with the call. */
const doubtOf = (call: AcpCall, { rawInput }: ToolCallUpdate) => {
  const [announced, query] = [textIn(call.input, "command"), textIn(rawInput, "command")]
  return query === undefined || announced === undefined || query === announced
    ? {}
    : { command: query, doubt: `Another command was announced before: ${announced}` }
}

/** The diff shows the whole input of an edit or a write. */
const restOf = (call: AcpCall) => {
  const { filePath, content, oldString, newString, ...rest } = Object(call.input)
  return rest
}

const ask = (call: AcpCall, query: ToolCallUpdate): Partial<PermissionAsk> => ({
  paths: pathsOf(call, query),
  ...doubtOf(call, query),
  ...(diffsOf(query.content ?? []).length > 0 ? { rest: restOf(call) } : {}),
  ...(isOutside(query) ? { reason: "It reaches outside of the working directory", escalated: true } : {})
})

/** By default OpenCode starts with its first level, the lowest; a run does not. */
const usualEffort = (session: AcpSession, effort: string | undefined): AcpRequest | undefined => {
  const choice = choiceFor(session, "thought_level")
  const requested = effort ?? (choice?.values.includes("default") === true ? "default" : undefined)
  return requested === undefined || requested === choice?.value ? undefined : askForEffort(session, requested)
}

const modeOf = (permissionMode: AgentOpenParams["permissionMode"]) => (permissionMode === "plan" ? "plan" : "build")

/** Any other is an agent that may change files, as far as its rules allow. */
export const reportedMode = (modeId: string) => (modeId === "plan" ? "plan" : "default")

const begin: AcpFlavor["begin"] = [
  ({ model }, session) => (model === undefined || model === session.model ? undefined : askForModel(session, model)),
  ({ effort }, session) => {
    const unknown = new AgentFailed({
      code: "effort_not_found",
      category: "invalid_request",
      detail: `The model ${session.model ?? ""} has no levels of effort`
    })
    if (effort !== undefined && choiceFor(session, "thought_level") === undefined) return unknown
    return usualEffort(session, effort)
  },
  // A session that is resumed is in the mode it was left in.
  ({ permissionMode }, session) =>
    modeOf(permissionMode) === session.modeId ? undefined : askForMode(session, modeOf(permissionMode))
]

/** Rules are read at the start of the process: calls that they allow are never asked about later. */
const change = (requested: Change, session: AcpSession, params: AgentOpenParams): Changing => {
  if (requested._tag === "Model") {
    const request = askForModel(session, requested.model)
    return request && { ...request, next: (then) => usualEffort(then, params.effort) }
  }
  const { permissionMode } = requested
  const isLessThanBefore = permissionMode === "default" || permissionMode === "accept-edits"
  if (params.permissionMode === "bypass" && isLessThanBefore) {
    return { problem: `a session that was opened with bypass cannot change to ${permissionMode}` }
  }
  const modeId = modeOf(permissionMode)
  return modeId === session.modeId ? undefined : withMode(askForMode(session, modeId), permissionMode)
}

const ownWords = /^Internal error: /

const failure = (error: RpcError) => {
  const { code, category, detail } = failureOf(error)
  const service = textIn(error.data, "service")
  const isLost = service === "session" && textIn(error.data, "errorName") === undefined
  return new AgentFailed({
    code: textIn(error.data, "errorName") ?? code,
    category: isLost && category === "other" ? "session_not_found" : category,
    detail: detail.replace(ownWords, "")
  })
}

const standIn: AcpFlavor["standIn"] = (failed) => {
  if (isRefusal(failed.output)) return []
  const { text, notice } = standInFor(failed)
  return [notice, { type: "text", text }]
}

export const opencodeFlavor: AcpFlavor = {
  id: "opencode",
  begin,
  change,
  describe,
  announce: (call, toolName) => ({
    ...filesOf(toolName, call.input),
    plan: todosOf(call.toolId, toolName, call.input)
  }),
  isComplete: ({ status }) => status !== undefined && status !== "pending",
  waitsForInput: ({ status }) => status === "pending",
  isFailed,
  exitOf: (call) => exitOf(nameOf(call), at(call.output, "metadata")),
  ask,
  doubts: false,
  allows: (mode, { kind, reason }) =>
    mode === "bypass" || (mode === "accept-edits" && kind === "file_change" && reason === undefined),
  // OpenCode offers an allowed edit to the client, and makes it itself.
  isIdle: (method) => method === "fs/write_text_file",
  report: reports.answer,
  standIn,
  failure
}
