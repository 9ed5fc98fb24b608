/** A configuration and the choice of a caller → the agent and its options. */
import { realpathSync } from "node:fs"
import { isAbsolute, relative, resolve, sep } from "node:path"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import { type AcpAgentId, isAcpAgentId, type KnownAgentId } from "../../contract/CliSupport.ts"
import type {
  Configuration,
  ConfiguredChoice,
  ConfiguredDirectory,
  ConfiguredRun
} from "../../contract/Configuration.ts"
import type { DurationInput } from "../../contract/Input.ts"
import { present } from "../../contract/present.ts"
import type { WorktreeOptions } from "../../contract/WorktreeOptions.ts"

/** Resolves links, so that a link to a configured directory counts as the directory. */
const real = (path: string) => {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

const isIn = (path: string, directory: string) => {
  const way = relative(directory, path)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The innermost configured directory that contains the path. */
const directoryAt = ({ directories }: Configuration, path: string): ConfiguredDirectory | undefined => {
  const all = Object.values(directories)
  const place = all.length === 0 ? path : real(path)
  return all
    .map((directory) => ({ directory, path: real(directory.path) }))
    .filter((each) => isIn(place, each.path))
    .sort((a, b) => b.path.length - a.path.length)[0]?.directory
}

/** How new worktrees of a directory are made, and whether each conversation there has one. */
export const configuredWorktree = (configuration: Configuration, workingDirectory = process.cwd()) => {
  const { worktree, setup, setupTimeout, copy } = directoryAt(configuration, workingDirectory) ?? {}
  const { max, maxMegabytes } = configuration.worktrees ?? {}
  const options: WorktreeOptions = present({
    setup,
    // Its form was checked with the file.
    setupTimeout: setupTimeout as DurationInput | undefined,
    copy,
    maxWorktrees: max,
    maxMegabytes
  })
  return { isForEach: worktree === "each", options }
}

/** The named agents of the Agent Client Protocol that the configuration mentions anywhere. */
export const mentionedAcpAgents = (
  configuration: Pick<Configuration, "agent" | "agents" | "directories" | "chats" | "webhooks">
): ReadonlyArray<AcpAgentId> => {
  const { agent, agents, directories, chats = {}, webhooks = {} } = configuration
  const others = [directories, chats, webhooks].flatMap((table) => Object.values(table).map((place) => place.agent))
  const ids = [agent, ...Object.keys(agents), ...others].filter((id) => id !== undefined)
  return [...new Set(ids)].filter(isAcpAgentId)
}

const defaultAgent: KnownAgentId = "claude"

/**
 * The agent that the configuration names for a working directory, and its options: those of the directory, else those of the
 * agent. For `createAgent(agent, options)`.
 */
export const configuredAgent = (configuration: Configuration, choice: ConfiguredChoice = {}): ConfiguredRun => {
  const byName = configuration.directory === undefined ? undefined : configuration.directories[configuration.directory]
  const workingDirectory = choice.workingDirectory ?? byName?.path
  const directory = directoryAt(configuration, workingDirectory ?? process.cwd())
  const agentThere = directory?.agent ?? configuration.agent ?? defaultAgent
  const agent = choice.agent ?? agentThere
  const own = configuration.agents[agent] ?? {}
  const defaults: NonNullable<AgentOptions["defaults"]> = present({
    // A model belongs to one CLI.
    model: (agent === agentThere ? directory?.model : undefined) ?? own.model,
    permissionMode: directory?.permissionMode ?? own.permissionMode,
    allowedTools: own.allowedTools,
    workingDirectory
  })
  const options: AgentOptions = present({
    command: own.command,
    billing: directory?.billing ?? own.billing,
    telemetry: configuration.telemetry,
    defaults: Object.keys(defaults).length === 0 ? undefined : defaults
  })
  const { isForEach, options: worktree } = configuredWorktree(configuration, workingDirectory)
  return { agent, options, ...(isForEach ? { worktree } : {}) }
}
