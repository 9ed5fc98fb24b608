/**
 * Params → arguments, stdin and files for `claude -p` (2.1.328); pure. Values stand behind `=`, since a value of its
 * own could be read as a flag and some options swallow what follows. Long or secret configuration goes into files.
 */
import { Redacted, Result } from "effect"
import { CommandLineTooLong, type FailureReason, InvalidParams } from "../../AgentError.ts"
import type { AgentExecuteParams, McpServer, PermissionMode } from "../../AgentExecuteParams.ts"
import type { AgentOptions } from "../../AgentOptions.ts"
import type { Argument, Plan, PlanContext, PlanFile } from "../Cli.ts"

/** What this side says itself; the same in `extraArgs` would contradict it. */
const managed: ReadonlySet<string> = new Set([
  "-p",
  "--print",
  "--output-format",
  "--input-format",
  "--verbose",
  "--include-partial-messages",
  "--replay-user-messages",
  "--permission-prompt-tool",
  "--model",
  "--fallback-model",
  "--effort",
  "--permission-mode",
  "--allowedTools",
  "--allowed-tools",
  "--disallowedTools",
  "--disallowed-tools",
  "--system-prompt",
  "--system-prompt-file",
  "--append-system-prompt",
  "--append-system-prompt-file",
  "--max-turns",
  "--max-budget-usd",
  "--json-schema",
  "--add-dir",
  "-r",
  "--resume",
  "-c",
  "--continue",
  "--fork-session",
  "--session-id",
  "--mcp-config",
  "--strict-mcp-config",
  "--setting-sources"
])

/** Short flags can stand together (`-pc`) and carry a value (`-rID`); behind `--` comes a prompt. */
const contradicts = (argument: string) => {
  if (argument === "--" || managed.has(argument.split("=", 1)[0] ?? "")) return true
  return /^-([prc]|[a-z]+$)/i.test(argument) && /^-[a-z]*[prc]/i.test(argument)
}

const permissionModes: Readonly<Record<PermissionMode, string>> = {
  default: "default",
  plan: "plan",
  "accept-edits": "acceptEdits",
  bypass: "bypassPermissions"
}

/** The CLI refuses more than 10 MB on stdin (2.1.328). */
const largestPromptBytes = 10_000_000
const longestArgumentPrompt = 10_000
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const reveal = (values: Readonly<Record<string, string | Redacted.Redacted>> = {}) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value])
  )

const mcpServer = (server: McpServer) =>
  "url" in server
    ? { type: "http", url: server.url, headers: reveal(server.headers) }
    : { type: "stdio", command: server.command, args: server.args ?? [], env: reveal(server.env) }

const mcpConfig = (servers: Readonly<Record<string, McpServer>>) =>
  JSON.stringify({ mcpServers: Object.fromEntries(Object.entries(servers).map(([name, s]) => [name, mcpServer(s)])) })

const problemOf = (params: AgentExecuteParams): FailureReason | undefined => {
  const invalid = (option: string, problem: string) => new InvalidParams({ option, problem })
  const { prompt, sessionId, newSessionId, forkSession, extraArgs = [] } = params
  if (prompt.trim() === "") return invalid("prompt", "is empty")
  const bytes = Buffer.byteLength(prompt)
  if (bytes > largestPromptBytes) {
    return new CommandLineTooLong({ option: "prompt", bytes, limitBytes: largestPromptBytes })
  }
  if (sessionId !== undefined && (sessionId === "" || sessionId.startsWith("-"))) {
    return invalid("sessionId", `${JSON.stringify(sessionId)} is not the id of a session`)
  }
  if (forkSession === true && sessionId === undefined)
    return invalid("forkSession", "needs sessionId, the session to fork")
  if (newSessionId !== undefined && !uuid.test(newSessionId)) {
    return invalid("newSessionId", `${JSON.stringify(newSessionId)} is not a UUID`)
  }
  if (newSessionId !== undefined && sessionId !== undefined && forkSession !== true) {
    return invalid("newSessionId", "goes with sessionId only together with forkSession")
  }
  const contradicting = extraArgs.find(contradicts)
  if (contradicting !== undefined) {
    return invalid("extraArgs", `${contradicting.split("=", 1)[0]} is set by an option of its own`)
  }
  return undefined
}

/** A leading `/` would run a command of the CLI; behind a blank it is text. */
const disarm = (prompt: string) => (prompt.startsWith("/") ? ` ${prompt}` : prompt)

const flag = (option: string, text: string): ReadonlyArray<Argument> => [{ option, text }]

const value = (option: string, name: string, given: string | number | undefined): ReadonlyArray<Argument> =>
  given === undefined ? [] : [{ option, text: `${name}=${given}` }]

const each = (option: string, name: string, given: ReadonlyArray<string> = []): ReadonlyArray<Argument> =>
  given.map((item) => ({ option, text: `${name}=${item}` }))

const fileNames = { systemPrompt: "system-prompt.txt", appendSystemPrompt: "append-system-prompt.txt", mcp: "mcp.json" }

const filesOf = (params: AgentExecuteParams, servers: AgentExecuteParams["mcpServers"]): ReadonlyArray<PlanFile> =>
  [
    { name: fileNames.systemPrompt, content: params.systemPrompt },
    { name: fileNames.appendSystemPrompt, content: params.appendSystemPrompt },
    { name: fileNames.mcp, content: servers && mcpConfig(servers) }
  ].flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content }]))

export const plan = (
  params: AgentExecuteParams,
  options: AgentOptions,
  { privateDirectory }: PlanContext
): Result.Result<Plan, FailureReason> => {
  const problem = problemOf(params)
  if (problem !== undefined) return Result.fail(problem)
  const untrusted = params.trustWorkspace === false
  const prompt = params.slashCommands === true ? params.prompt : disarm(params.prompt)
  const asArgument = options.promptVia === "argument" && prompt.length <= longestArgumentPrompt
  const servers = Object.keys(params.mcpServers ?? {}).length === 0 ? undefined : params.mcpServers
  const sources = params.settingSources ?? (untrusted ? ["user"] : undefined)
  const files = filesOf(params, servers)
  const file = (option: string, name: string, fileName: string) =>
    files.some((given) => given.name === fileName) ? value(option, name, `${privateDirectory}/${fileName}`) : []
  const args = [
    ...flag("print", "-p"),
    ...value("print", "--output-format", "stream-json"),
    ...flag("print", "--verbose"),
    ...flag("print", "--include-partial-messages"),
    ...value("model", "--model", params.model),
    ...value("fallbackModel", "--fallback-model", params.fallbackModel),
    ...value("effort", "--effort", params.effort),
    ...value("permissionMode", "--permission-mode", params.permissionMode && permissionModes[params.permissionMode]),
    ...each("allowedTools", "--allowedTools", params.allowedTools),
    ...each("disallowedTools", "--disallowedTools", params.disallowedTools),
    ...file("systemPrompt", "--system-prompt-file", fileNames.systemPrompt),
    ...file("appendSystemPrompt", "--append-system-prompt-file", fileNames.appendSystemPrompt),
    ...value("maxTurns", "--max-turns", params.maxTurns),
    ...value("maxBudgetUsd", "--max-budget-usd", params.maxBudgetUsd),
    ...value("outputSchema", "--json-schema", params.outputSchema && JSON.stringify(params.outputSchema)),
    ...each("additionalDirectories", "--add-dir", params.additionalDirectories),
    ...value("sessionId", "--resume", params.sessionId),
    ...(params.forkSession === true ? flag("forkSession", "--fork-session") : []),
    ...value("newSessionId", "--session-id", params.newSessionId),
    ...file("mcpServers", "--mcp-config", fileNames.mcp),
    ...((params.strictMcpServers ?? untrusted) ? flag("strictMcpServers", "--strict-mcp-config") : []),
    ...value("settingSources", "--setting-sources", sources?.join(",")),
    ...(params.extraArgs ?? []).map((text) => ({ option: "extraArgs", text })),
    ...(asArgument ? [...flag("prompt", "--"), ...flag("prompt", prompt)] : [])
  ]
  return Result.succeed({ args, files, stdin: asArgument ? "" : prompt, env: {} })
}
