/**
 * The common arguments of runs and live sessions: params → arguments and files for `claude -p` (2.1.328); pure. Values follow
 * `=`, since a separate value could be read as a flag and some options swallow what follows. Long or secret configuration
 * goes into files.
 */
import type { FailureReason } from "../../../contract/AgentError.ts"
import type { AgentExecuteParams, McpServer, PermissionMode } from "../../../contract/AgentExecuteParams.ts"
import type { Argument, PlanFile } from "../../../contract/Plan.ts"
import { type MaybeSecret, reveal } from "../../../contract/Redacted.ts"
import { each, extra, flag, forkProblem, invalid, value } from "../../commandLine.ts"
import { effortProblem, extraArgsProblem } from "../../supported.ts"
import { contradicts, flags, hookEvents, looseArgument } from "./flags.ts"

export type SharedParams = Omit<AgentExecuteParams, "prompt">

export const permissionModes: Readonly<Record<PermissionMode, string>> = {
  default: "default",
  plan: "plan",
  "accept-edits": "acceptEdits",
  bypass: "bypassPermissions"
}

/** `dontAsk` denies what `default` asks about. `auto` may allow anything. */
const reportedModes = new Map<string, PermissionMode>([
  ["default", "default"],
  ["manual", "default"],
  ["dontAsk", "default"],
  ["plan", "plan"],
  ["acceptEdits", "accept-edits"],
  ["bypassPermissions", "bypass"]
])

export const reportedMode = (permissionMode: string): PermissionMode | undefined => reportedModes.get(permissionMode)
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const revealed = (values: Readonly<Record<string, MaybeSecret>> = {}) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, reveal(value)]))

const mcpServer = (server: McpServer) =>
  "url" in server
    ? { type: "http", url: server.url, headers: revealed(server.headers) }
    : { type: "stdio", command: server.command, args: server.args ?? [], env: revealed(server.env) }

const mcpConfig = (servers: Readonly<Record<string, McpServer>>) =>
  JSON.stringify({ mcpServers: Object.fromEntries(Object.entries(servers).map(([name, s]) => [name, mcpServer(s)])) })

export const problemOf = (params: SharedParams): FailureReason | undefined => {
  const { sessionId, newSessionId, forkSession, extraArgs = [] } = params
  if (sessionId !== undefined && (sessionId === "" || sessionId.startsWith("-"))) {
    return invalid("sessionId", `${JSON.stringify(sessionId)} is not the id of a session`)
  }
  const fork = forkProblem(params)
  if (fork !== undefined) return fork
  if (newSessionId !== undefined && !uuid.test(newSessionId)) {
    return invalid("newSessionId", `${JSON.stringify(newSessionId)} is not a UUID`)
  }
  if (newSessionId !== undefined && sessionId !== undefined && forkSession !== true) {
    return invalid("newSessionId", "goes with sessionId only together with forkSession")
  }
  if (params.ephemeral === true && sessionId !== undefined) {
    return invalid("ephemeral", "goes with a new session only, without sessionId")
  }
  const effort = effortProblem("claude", params.effort)
  return effort ?? extraArgsProblem(looseArgument(extraArgs), extraArgs.find(contradicts))
}

const fileNames = { systemPrompt: "system-prompt.txt", appendSystemPrompt: "append-system-prompt.txt", mcp: "mcp.json" }

export const filesOf = ({ systemPrompt, appendSystemPrompt, mcpServers = {} }: SharedParams): ReadonlyArray<PlanFile> =>
  [
    { name: fileNames.systemPrompt, content: systemPrompt },
    { name: fileNames.appendSystemPrompt, content: appendSystemPrompt },
    { name: fileNames.mcp, content: Object.keys(mcpServers).length === 0 ? undefined : mcpConfig(mcpServers) }
  ].flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content }]))

const printing: ReadonlyArray<Argument> = [
  ...flag("print", flags.print[0]),
  ...value("print", flags.outputFormat[0], "stream-json"),
  ...flag("print", flags.verbose[0], flags.partialMessages[0], hookEvents)
]

const sessionOf = (params: SharedParams): ReadonlyArray<Argument> => [
  ...value("sessionId", flags.sessionId[0], params.sessionId),
  ...(params.forkSession === true ? flag("forkSession", flags.forkSession[0]) : []),
  ...value("newSessionId", flags.newSessionId[0], params.newSessionId),
  ...(params.ephemeral === true ? flag("ephemeral", flags.ephemeral[0]) : [])
]

/** All arguments except the prompt; `input` has those for the form of prompts. */
export const argumentsOf = (
  params: SharedParams,
  privateDirectory: string,
  input: ReadonlyArray<Argument> = []
): ReadonlyArray<Argument> => {
  const untrusted = params.trustWorkspace === false
  const sources = params.settingSources ?? (untrusted ? ["user"] : undefined)
  const mode = params.permissionMode && permissionModes[params.permissionMode]
  const names = filesOf(params).map(({ name }) => name)
  const file = (option: string, name: string, fileName: string) =>
    names.includes(fileName) ? value(option, name, `${privateDirectory}/${fileName}`) : []
  return [
    ...printing,
    ...input,
    ...value("model", flags.model[0], params.model),
    ...value("fallbackModel", flags.fallbackModel[0], params.fallbackModel),
    ...value("effort", flags.effort[0], params.effort),
    ...value("permissionMode", flags.permissionMode[0], mode),
    ...each("allowedTools", flags.allowedTools[0], params.allowedTools),
    ...each("disallowedTools", flags.disallowedTools[0], params.disallowedTools),
    ...file("systemPrompt", flags.systemPrompt[0], fileNames.systemPrompt),
    ...file("appendSystemPrompt", flags.appendSystemPrompt[0], fileNames.appendSystemPrompt),
    ...value("maxTurns", flags.maxTurns[0], params.maxTurns),
    ...value("maxBudgetUsd", flags.maxBudgetUsd[0], params.maxBudgetUsd),
    ...value("outputSchema", flags.outputSchema[0], params.outputSchema && schemaText(params.outputSchema)),
    ...each("additionalDirectories", flags.additionalDirectories[0], params.additionalDirectories),
    ...sessionOf(params),
    ...file("mcpServers", flags.mcpServers[0], fileNames.mcp),
    ...((params.strictMcpServers ?? untrusted) ? flag("strictMcpServers", flags.strictMcpServers[0]) : []),
    ...value("settingSources", flags.settingSources[0], sources?.join(",")),
    ...extra(params)
  ]
}

/** A schema that names the draft 2020-12 is refused, whatever it says (2.1.330: exit 1). */
const schemaText = (jsonSchema: object) => {
  const { $schema: _, ...schema }: Readonly<Record<string, unknown>> = { ...jsonSchema }
  return JSON.stringify(schema)
}
