/** Params that Gemini CLI (0.61.0) could not honour, or would misunderstand, found before the start; pure. */
import { CommandLineTooLong, type FailureReason } from "../../../contract/AgentError.ts"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { invalid, yargsFlags } from "../../commandLine.ts"
import { extraArgsProblem } from "../../supported.ts"

/** With these, Gemini CLI would do more than its approval mode and its rules allow. */
const looseFlags: ReadonlySet<string> = new Set([
  "--yolo",
  "-y",
  "--approval-mode",
  "--policy",
  "--admin-policy",
  "--allowed-tools",
  "--allowed-mcp-server-names",
  "--skip-trust"
])

const switchedOn = /^(--sandbox|-[A-Za-z]+)(=true)?$/

/** A configured sandbox is switched off by `--no-sandbox`, and by every value but `true`. */
const isOpenSandbox = (argument: string, next: string | undefined): boolean => {
  if (!yargsFlags(argument).some((name) => name === "--sandbox" || name === "-s")) return false
  return !switchedOn.test(argument) || (!argument.includes("=") && next === "false")
}

/** The first loose argument, without its value. */
export const looseArgument = (args: ReadonlyArray<string>): string | undefined =>
  args
    .find(
      (argument, place) =>
        isOpenSandbox(argument, args[place + 1]) || yargsFlags(argument).some((name) => looseFlags.has(name))
    )
    ?.split("=", 1)[0]

/** Set by Reins, or for another kind of run; without the loose flags. */
const managed: ReadonlySet<string> = new Set([
  "--output-format", "--prompt", "--prompt-interactive", "--query", "--model", "--resume", "--session-id",
  "--session-file", "--list-sessions", "--delete-session", "--list-extensions", "--include-directories", "--acp",
  "--experimental-acp", "--help", "--version", "--"
]) // biome-ignore format: one list

const letters: ReadonlySet<string> = new Set(Array.from("opimrlhv", (letter) => `-${letter}`))
const isManaged = (argument: string) => yargsFlags(argument).some((name) => managed.has(name) || letters.has(name))

/** The rest of a longer prompt is cut off. */
const largestPromptBytes = 8 * 1024 * 1024

/** `latest` means the last session, and a number an index in the CLI's list. */
const isSessionId = (text: string) => /^[A-Za-z0-9_-]+$/.test(text) && !/^\d+$/.test(text) && text !== "latest"

/** For options of the CLI that are lists with commas, trimmed. */
export const isListItem = (text: string): boolean => text !== "" && !text.includes(",") && text.trim() === text

type StartParams = Pick<
  AgentOpenParams,
  | "sessionId"
  | "newSessionId"
  | "mcpServers"
  | "maxTurns"
  | "additionalDirectories"
  | "trustWorkspace"
  | "systemPrompt"
  | "appendSystemPrompt"
  | "extraArgs"
>

/** True if the text goes into a context file; with a system prompt in place of the CLI's own, it is a part of that. */
export const needsContext = ({
  systemPrompt,
  appendSystemPrompt = ""
}: Pick<StartParams, "systemPrompt" | "appendSystemPrompt">): boolean =>
  systemPrompt === undefined && appendSystemPrompt.trim() !== ""

const unread =
  "goes through a context file, and Gemini CLI reads none in a workspace that is not trusted; put the text into the prompt, " +
  "or give systemPrompt as well"

/** Problems common to a run and a live session. */
const startProblemOf = (params: StartParams): FailureReason | undefined => {
  const { sessionId, newSessionId, extraArgs = [], additionalDirectories = [] } = params
  for (const [option, id] of Object.entries({ sessionId, newSessionId })) {
    if (id !== undefined && !isSessionId(id)) {
      return invalid(option, `${JSON.stringify(id)} is not the whole id of a session`)
    }
  }
  if (newSessionId !== undefined && sessionId !== undefined) {
    return invalid("newSessionId", "does not go with sessionId")
  }
  const directory = additionalDirectories.find((path) => !isListItem(path))
  if (directory !== undefined) {
    return invalid("additionalDirectories", `${JSON.stringify(directory)} has a comma, or a blank at an end`)
  }
  if (params.trustWorkspace === false) {
    const problem = "goes through the settings of the workspace, which must be trusted"
    if (Object.keys(params.mcpServers ?? {}).length > 0) return invalid("mcpServers", problem)
    if (params.maxTurns !== undefined) return invalid("maxTurns", problem)
    if (needsContext(params)) return invalid("appendSystemPrompt", unread)
  }
  return extraArgsProblem(looseArgument(extraArgs), extraArgs.find(isManaged))
}

export const problemOf = (params: AgentExecuteParams): FailureReason | undefined => {
  const { prompt } = params
  if (prompt.trim() === "") return invalid("prompt", "is empty")
  const bytes = Buffer.byteLength(prompt)
  // One byte is kept for the blank before a slash.
  if (bytes >= largestPromptBytes) {
    return new CommandLineTooLong({ option: "prompt", bytes, limitBytes: largestPromptBytes - 1 })
  }
  return startProblemOf(params)
}

/** In an untrusted folder, the CLI silently ignores servers and these modes. */
export const liveProblemOf = (params: AgentOpenParams): FailureReason | undefined => {
  const { trustWorkspace, permissionMode } = params
  if (trustWorkspace === false && (permissionMode === "bypass" || permissionMode === "accept-edits")) {
    return invalid("permissionMode", `${permissionMode} needs a workspace that is trusted`)
  }
  return startProblemOf(params)
}
