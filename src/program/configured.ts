/** Defaults for a command line from the user's `reins.toml`. */

import { resolve } from "node:path"
import { Console, Effect, Option } from "effect"
import { readConfiguration } from "../api/Configuration.ts"
import { configuredAgent, configuredWorktree } from "../api/config/ConfiguredAgent.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import type { KnownAgentId } from "../contract/CliSupport.ts"
import type { Configuration } from "../contract/Configuration.ts"
import type { ConfigurationError } from "../contract/ConfigurationError.ts"
import { harmless } from "../contract/text/harmless.ts"
import { untraced } from "../contract/untraced.ts"
import { type AgentName, type ChosenAgent, chosenAcpAgent, chosenAgent, demoOfConversations } from "./chosenAgent.ts"
import type { WorktreesThere } from "./conversationFlags.ts"
import type { RunFlags } from "./flags.ts"

/** Splits a command line like a shell, with quotes and backslashes only; undefined if a quote is not closed. */
export const wordsOf = (text: string): ReadonlyArray<string> | undefined => {
  const words: Array<string> = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ""
    if (quote !== undefined) {
      if (character === quote) quote = undefined
      else if (character === "\\" && quote === '"' && /["\\]/.test(text[at + 1] ?? ""))
        word = `${word ?? ""}${text[++at]}`
      else word = `${word ?? ""}${character}`
    } else if (character === "'" || character === '"') {
      quote = character
      word ??= ""
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === "\\") word = `${word ?? ""}${text[++at] ?? "\\"}`
    else word = `${word ?? ""}${character}`
  }
  if (quote !== undefined) return undefined
  return word === undefined ? words : [...words, word]
}

export interface ConfiguredFlags extends Pick<RunFlags, "config" | "cwd" | "json"> {
  readonly agent: Option.Option<AgentName>
  /** Module with a CLI of the user's own, instead of an agent by its name. */
  readonly agentModule?: Option.Option<string>
  /** Program and arguments of an agent of the Agent Client Protocol. */
  readonly command?: Option.Option<string>
  /** Whether the session is kept, or a kept one is resumed. */
  readonly isKept: boolean
}

export const readConfig = (file: Option.Option<string>): Effect.Effect<Configuration, ConfigurationError> =>
  readConfiguration(Option.match(file, { onNone: () => ({}), onSome: (path) => ({ file: path }) }))

/** Notes for the user: an ignored file, and where the agent works. */
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
  readonly configuration: Configuration
  /** Set if the configuration is invalid: the reason to refuse a run. */
  readonly problem: InvalidParams | undefined
}

const nothing: Configuration = { agents: {}, directories: {} }

const acpProblem = (words: ReadonlyArray<string> | undefined) =>
  new InvalidParams({
    option: "--command",
    problem:
      words === undefined ? "a quote is not closed" : '--agent acp needs the agent\'s program: --command "qwen --acp"'
  })

const acpWords = (command: Option.Option<string>) => {
  const words = Option.isSome(command) ? wordsOf(command.value) : []
  return words === undefined || words.length === 0 ? Effect.fail(acpProblem(words)) : Effect.succeed(words)
}

/** An agent that the command line describes, in place of a name. */
const unnamedAgent = Effect.fn(...untraced("Program.unnamedAgent"))(function* (flags: ConfiguredFlags) {
  const { agent, agentModule = Option.none(), command = Option.none() } = flags
  if (Option.isNone(agentModule)) {
    return Option.contains(agent, "acp") ? chosenAcpAgent(yield* acpWords(command)) : undefined
  }
  if (Option.isSome(agent)) {
    const problem = `--agent ${agent.value} names another agent; use only one of them`
    return yield* new InvalidParams({ option: "--agent-module", problem })
  }
  const { agentOfModule, loadCli } = yield* Effect.promise(() => import("./agentModule.ts"))
  return agentOfModule(yield* loadCli(agentModule.value))
})

const configured = Effect.fn(...untraced("Program.configured"))(function* (flags: ConfiguredFlags) {
  const { agent, config, isKept, cwd, json } = flags
  const unnamed = yield* unnamedAgent(flags)
  const isDemo = Option.contains(agent, "demo")
  if (isDemo && !isKept) return { chosen: chosenAgent("demo"), configuration: nothing }
  const configuration = yield* Effect.mapError(
    readConfig(config),
    ({ message }) => new InvalidParams({ option: "configuration", problem: harmless(message) })
  )
  if (isDemo) return { chosen: demoOfConversations, configuration }
  const named = Option.map(cwd, (directory) => ({ workingDirectory: resolve(directory) }))
  const { agent: id, options } = configuredAgent(configuration, {
    // The demo agent was returned above, and the configuration has nothing for an unnamed agent.
    agent: (unnamed?.cli.id ?? Option.getOrUndefined(agent)) as KnownAgentId | undefined,
    ...Option.getOrUndefined(named)
  })
  const elsewhere = Option.isSome(cwd) ? undefined : options.defaults?.workingDirectory
  if (!json) for (const note of notes(configuration, elsewhere)) yield* Console.error(`reins: ${harmless(note)}`)
  const chosen = unnamed ?? chosenAgent(id)
  return { chosen: { ...chosen, options: { ...chosen.options, ...options } }, configuration }
})

/** The configuration of worktrees in the directory of `--cwd`, else in the configured or the current one. */
export const worktreesThere = (configuration: Configuration, cwd: Option.Option<string>): WorktreesThere => {
  const configuredPlace = configuration.directories[configuration.directory ?? ""]?.path
  return configuredWorktree(configuration, Option.isSome(cwd) ? resolve(cwd.value) : configuredPlace)
}

export const chooseAgent = (flags: ConfiguredFlags): Effect.Effect<Chosen> =>
  Effect.match(configured(flags), {
    onSuccess: (found) => ({ ...found, problem: undefined }),
    onFailure: (problem) => ({ chosen: chosenAgent("claude"), configuration: nothing, problem })
  })
