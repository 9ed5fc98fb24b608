/** Examines a named agent of the Agent Client Protocol on this machine: where its program is, and its version. */
import { Effect } from "effect"
import { acpAgents } from "../../cli/acp/agents.ts"
import { versionIn } from "../../cli/versions.ts"
import type { AcpAgentId } from "../../contract/CliSupport.ts"
import { present } from "../../contract/present.ts"
import { untraced } from "../../contract/untraced.ts"
import { findCommand } from "../../system/process/findCommand.ts"
import { ask } from "../../system/process/probe.ts"

const timeout = "10 seconds"

export interface AcpReport {
  readonly agent: AcpAgentId
  /** For people. */
  readonly name: string
  /** The program: a name on PATH, or a path. */
  readonly command: string
  /** Arguments that make it speak the protocol. */
  readonly args: ReadonlyArray<string>
  /** Absent if the program was not found. */
  readonly path?: string
  /** Absent if the program gives none that can be read. */
  readonly version?: string
  readonly install: string
  readonly signIn: string
}

/** The path and the version of a program, as far as they can be found. */
export const findProgram = Effect.fn(...untraced("Api.findProgram"))(function* (
  command: string,
  directories: ReadonlyArray<string>
) {
  const path = yield* findCommand(command, directories)
  if (path === undefined) return {}
  const answer = yield* ask({ path, args: ["--version"], timeout })
  const version = answer._tag === "Answered" && answer.exitCode === 0 ? versionIn(answer.stdout) : undefined
  return { path, ...present({ version }) }
})

/** @param command Default: the agent's own. */
export const examineAcp = (
  agent: AcpAgentId,
  directories: ReadonlyArray<string>,
  command: string = acpAgents[agent].command
) => {
  const { name, args, install, signIn } = acpAgents[agent]
  return Effect.map(
    findProgram(command, directories),
    (found): AcpReport => ({ agent, name, command, args, install, signIn, ...found })
  )
}
