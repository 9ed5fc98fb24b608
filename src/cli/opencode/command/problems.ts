/** Params that OpenCode (1.18.33) would misread, answer with a useless message, or silently take for something else. */
import type { FailureReason } from "../../../contract/AgentError.ts"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import { forkProblem, invalid, yargsFlags } from "../../commandLine.ts"
import { firstOf } from "../../jsonFields.ts"
import { extraArgsProblem } from "../../supported.ts"
import { problemOfDirectory, problemOfPermission } from "./permissions.ts"

/** With these, OpenCode would do more than its rules allow. One of them is undocumented. */
const looseFlags: ReadonlySet<string> = new Set(["--auto", "--yolo", "--dangerously-skip-permissions", "--attach"])

/** The first loose argument, without its value. */
const looseArgument = (args: ReadonlyArray<string>): string | undefined =>
  args.find((argument) => yargsFlags(argument).some((name) => looseFlags.has(name)))?.split("=", 1)[0]

/** With two agents OpenCode ignores both and takes the default one, which is not limited like plan mode. */
export const looseBaseArgument = (args: ReadonlyArray<string>): string | undefined =>
  looseArgument(args) ?? args.find((argument) => yargsFlags(argument).includes("--agent"))?.split("=", 1)[0]

/** Set by Reins, or breaking the output; without the loose flags. */
const managed: ReadonlySet<string> = new Set([
  "--format", "--thinking", "--dir", "--title", "-s", "--session", "-c", "--continue", "--fork", "-m", "--model",
  "--variant", "--command", "-f", "--file", "-i", "--interactive", "--"
]) // biome-ignore format: one list

/** The first flag that contradicts an option; `agent`: the one that Reins chooses. */
export const contradictionOf = ({ extraArgs = [] }: Pick<AgentExecuteParams, "extraArgs">, agent: string | undefined) =>
  extraArgs.flatMap(yargsFlags).find((name) => managed.has(name) || (name === "--agent" && agent !== undefined))

/** For `opencode acp`: the directory is set in the session, and the CLI's own server must stay private. */
const managedLive: ReadonlySet<string> = new Set([
  "--cwd", "--port", "--hostname", "--mdns", "--mdns-domain", "--cors", "--"
]) // biome-ignore format: one list

export const liveContradictionOf = ({ extraArgs = [] }: Pick<AgentExecuteParams, "extraArgs">) =>
  extraArgs.flatMap(yargsFlags).find((name) => managedLive.has(name))

export const problemOfPrompt = (prompt: string): FailureReason | undefined =>
  prompt.trim() === "" ? invalid("prompt", "is empty") : undefined

/** `contradiction`: the argument that repeats an option. */
export const problemOf = (
  params: Omit<AgentExecuteParams, "prompt">,
  contradiction: string | undefined
): FailureReason | undefined => {
  const { sessionId, model, effort } = params
  if (sessionId !== undefined && (sessionId.trim() === "" || sessionId.startsWith("-"))) {
    return invalid("sessionId", `${JSON.stringify(sessionId)} is not the id of a session`)
  }
  const fork = forkProblem(params)
  if (fork !== undefined) return fork
  if (model !== undefined && !/^[^/\s]+\/\S+$/.test(model)) {
    return invalid("model", `${JSON.stringify(model)} is not of the form provider/model`)
  }
  if (effort?.trim() === "") return invalid("effort", "is empty")
  for (const option of ["allowedTools", "disallowedTools"] as const) {
    const problem = firstOf((params[option] ?? []).map(problemOfPermission))
    if (problem !== undefined) return invalid(option, problem)
  }
  const directory = firstOf((params.additionalDirectories ?? []).map(problemOfDirectory))
  if (directory !== undefined) return invalid("additionalDirectories", directory)
  return extraArgsProblem(looseArgument(params.extraArgs ?? []), contradiction)
}
