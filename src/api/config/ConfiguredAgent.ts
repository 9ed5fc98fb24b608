/** A configuration and what a caller has named → the agent that works, and its options. */
import { realpathSync } from "node:fs"
import { isAbsolute, relative, resolve, sep } from "node:path"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { CliId } from "../../contract/CliId.ts"
import type {
  Configuration,
  ConfiguredChoice,
  ConfiguredDirectory,
  ConfiguredRun
} from "../../contract/Configuration.ts"

/** Links in a path do not hide what is configured for it. */
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

/** The one with the longest path, of those that contain the path. */
const directoryAt = ({ directories }: Configuration, path: string): ConfiguredDirectory | undefined => {
  const all = Object.values(directories)
  const place = all.length === 0 ? path : real(path)
  return all
    .map((directory) => ({ directory, path: real(directory.path) }))
    .filter((each) => isIn(place, each.path))
    .sort((a, b) => b.path.length - a.path.length)[0]?.directory
}

const theDefault: CliId = "claude"

const defined = <A extends object>(fields: { readonly [Name in keyof A]?: A[Name] | undefined }): Partial<A> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<A> // those of `fields`

/**
 * The agent that the configuration names for a working directory, and its options: what is configured for the directory,
 * else for the agent. `createAgent(agent, options)`.
 */
export const configuredAgent = (configuration: Configuration, choice: ConfiguredChoice = {}): ConfiguredRun => {
  const byName = configuration.directory === undefined ? undefined : configuration.directories[configuration.directory]
  const workingDirectory = choice.workingDirectory ?? byName?.path
  const directory = directoryAt(configuration, workingDirectory ?? process.cwd())
  const agentThere = directory?.agent ?? configuration.agent ?? theDefault
  const agent = choice.agent ?? agentThere
  const own = configuration.agents[agent] ?? {}
  const defaults = defined<NonNullable<AgentOptions["defaults"]>>({
    // A model is of one CLI alone.
    model: (agent === agentThere ? directory?.model : undefined) ?? own.model,
    permissionMode: directory?.permissionMode ?? own.permissionMode,
    allowedTools: own.allowedTools,
    workingDirectory
  })
  const options = defined<AgentOptions>({
    command: own.command,
    billing: directory?.billing ?? own.billing,
    telemetry: configuration.telemetry,
    defaults: Object.keys(defaults).length === 0 ? undefined : defaults
  })
  return { agent, options }
}
