/** What a command line leaves open is as the user's `reins.toml` has it. */
import { resolve } from "node:path"
import { Console, Effect, Option } from "effect"
import type { CliId } from "../Agents.ts"
import { readConfiguration } from "../Configuration.ts"
import { configuredAgent } from "../config/ConfiguredAgent.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import type { ConfigurationError } from "../contract/ConfigurationError.ts"
import { harmless } from "../text/harmless.ts"
import type { Configuration } from "../types/Configuration.ts"
import { type AgentName, type ChosenAgent, chosenAgent } from "./chosenAgent.ts"

export interface ConfiguredFlags {
  readonly agent: Option.Option<AgentName>
  readonly config: Option.Option<string>
  readonly cwd: Option.Option<string>
  readonly json: boolean
}

/** The file that `--config` names, or the user's own. */
export const readConfig = (file: Option.Option<string>): Effect.Effect<Configuration, ConfigurationError> =>
  readConfiguration(Option.match(file, { onNone: () => ({}), onSome: (path) => ({ file: path }) }))

/** What a person has to know: which file of a directory was not read, and where the agent works. */
const notes = ({ file, ignored }: Configuration, workingDirectory: string | undefined): ReadonlyArray<string> => [
  ...(ignored === undefined
    ? []
    : [`${ignored} is not read: files of a working directory can be anybody's. Yours: reins config path`]),
  ...(workingDirectory === undefined || workingDirectory === process.cwd()
    ? []
    : [`the agent works in ${workingDirectory}, by ${file}`])
]

export interface Chosen {
  readonly chosen: ChosenAgent
  /** Why it cannot be used: the configuration is wrong. */
  readonly problem: InvalidParams | undefined
}

/** The agent with its options. The demo agent has none of a file. */
const configured = Effect.fnUntraced(function* ({ agent, config, cwd, json }: ConfiguredFlags) {
  if (Option.contains(agent, "demo")) return chosenAgent("demo")
  const configuration = yield* Effect.mapError(
    readConfig(config),
    ({ message }) => new InvalidParams({ option: "configuration", problem: harmless(message) })
  )
  const named = Option.map(cwd, (directory) => ({ workingDirectory: resolve(directory) }))
  const { agent: id, options } = configuredAgent(configuration, {
    agent: Option.getOrUndefined(agent as Option.Option<CliId>), // the demo agent was returned above
    ...Option.getOrUndefined(named)
  })
  const elsewhere = Option.isSome(cwd) ? undefined : options.defaults?.workingDirectory
  if (!json) for (const note of notes(configuration, elsewhere)) yield* Console.error(`reins: ${harmless(note)}`)
  const chosen = chosenAgent(id)
  return { ...chosen, options: { ...chosen.options, ...options } } satisfies ChosenAgent
})

/** A wrong configuration is shown as a run that was refused. */
export const chooseAgent = (flags: ConfiguredFlags): Effect.Effect<Chosen> =>
  Effect.match(configured(flags), {
    onSuccess: (chosen) => ({ chosen, problem: undefined }),
    onFailure: (problem) => ({ chosen: chosenAgent(Option.getOrElse(flags.agent, () => "claude" as const)), problem })
  })
