/** `reins config`: shows and changes the user's `reins.toml`. */
import { Console, Effect, Option, type Result } from "effect"
import { Argument, Command } from "effect/cli"
import { findFile } from "../api/config/file.ts"
import { ConfigurationError, type ConfigurationProblem } from "../contract/ConfigurationError.ts"
import { harmless } from "../contract/text/harmless.ts"
import { readConfig } from "./configured.ts"
import { Ended, failWith, refuse } from "./exit.ts"
import { configFlag, jsonFlag } from "./flags.ts"

/** Loaded only by the commands that show and change values. */
const change = Effect.promise(() => import("./config/change.ts"))

const printed = <A, R>(work: Effect.Effect<A, ConfigurationError | Ended, R>) =>
  Effect.catchTag(work, "ConfigurationError", ({ message }) => failWith(message, 1))

const tellProblems = (file: string, problems: ReadonlyArray<ConfigurationProblem>) =>
  problems.length === 0
    ? Effect.void
    : Console.error(
        `reins: changed, but the file is not valid yet:\n${harmless(new ConfigurationError({ file, problems }).message)}`
      )

const orRefuse = <A>(command: string, result: Result.Result<A, string>) =>
  Effect.catch(Effect.fromResult(result), (problem) => refuse(`config ${command}`, [problem]))

const keyArgument = Argument.String("key").pipe(
  Argument.withDescription("Such as agent, agents.claude.model or directories.shop.path")
)

const get = Command.make(
  "get",
  {
    config: configFlag,
    json: jsonFlag("Print values as JSON"),
    key: Argument.optional(keyArgument)
  },
  ({ config, json, key }) =>
    printed(
      Effect.gen(function* () {
        const { parseKey, readValues, valueLines, allLines } = yield* change
        const path = Option.isSome(key) ? (yield* orRefuse("get", parseKey(key.value))).path : undefined
        yield* readConfig(config)
        const values = yield* readValues(yield* findFile(Option.getOrUndefined(config)))
        const lines = path === undefined ? allLines(values, json) : valueLines(values, path, json)
        if (lines === undefined) return yield* new Ended({ exitCode: 1 })
        for (const line of lines) yield* Console.log(line)
      })
    )
).pipe(
  Command.withShortDescription("Print a value, or all"),
  Command.withDescription("Prints the value of a key, or all that is configured. Exit code 1: it is not configured.")
)

const set = Command.make(
  "set",
  {
    config: configFlag,
    key: keyArgument,
    value: Argument.String("value").pipe(
      Argument.withDescription("A list is written as A,B; put -- before one that begins with -")
    )
  },
  ({ config, key, value }) =>
    printed(
      Effect.gen(function* () {
        const { parseKey, readGiven, setIn } = yield* change
        const found = yield* orRefuse("set", parseKey(key))
        const input = yield* orRefuse("set", readGiven(found, value))
        const file = yield* findFile(Option.getOrUndefined(config))
        yield* tellProblems(file, yield* setIn(file, found.path, input))
      })
    )
).pipe(
  Command.withShortDescription("Set a value"),
  Command.withDescription("Sets the value of a key. Comments and the order of the file stay as they are."),
  Command.withExamples([
    { command: "reins config set agent codex", description: "The agent of reins run and reins chat" },
    { command: "reins config set agents.claude.permissionMode plan", description: "Claude Code may only read" }
  ])
)

const unset = Command.make("unset", { config: configFlag, key: keyArgument }, ({ config, key }) =>
  printed(
    Effect.gen(function* () {
      const { parsePath, unsetIn } = yield* change
      const path = yield* orRefuse("unset", parsePath(key))
      const file = yield* findFile(Option.getOrUndefined(config))
      yield* tellProblems(file, yield* unsetIn(file, path))
    })
  )
).pipe(
  Command.withShortDescription("Remove a value"),
  Command.withDescription(
    "Removes a key with its line, or a table such as directories.shop. Removes unknown keys, too."
  )
)

const path = Command.make("path", { config: configFlag }, ({ config }) =>
  printed(Effect.flatMap(findFile(Option.getOrUndefined(config)), (file) => Console.log(harmless(file))))
).pipe(Command.withShortDescription("Print where the file is, or would be"))

const check = Command.make("check", { config: configFlag }, ({ config }) =>
  printed(
    Effect.gen(function* () {
      const { file, ignored } = yield* readConfig(config)
      const own = yield* findFile(Option.getOrUndefined(config))
      yield* Console.log(
        file === undefined
          ? `${harmless(own)}: it does not exist, and nothing is configured`
          : `${harmless(file)}: valid`
      )
      if (ignored !== undefined) yield* Console.log(`${harmless(ignored)}: not read, since it is not yours alone`)
    })
  )
).pipe(
  Command.withShortDescription("Check the file"),
  Command.withDescription(
    "Reads the file as reins run does, and prints each problem with its line. Exit code 1: it has some."
  )
)

export const config = Command.make("config").pipe(
  Command.withShortDescription("Show and change the configuration"),
  Command.withDescription(
    "Shows and changes reins.toml, the user's configuration; one of a working directory is never read."
  ),
  Command.withSubcommands([get, set, unset, path, check]),
  Command.withExamples([
    { command: "reins config set agent codex", description: "Use Codex unless another agent is named" },
    { command: "reins config get", description: "Print all that is configured" }
  ])
)
