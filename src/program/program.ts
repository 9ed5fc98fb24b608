/** The `reins` program: its commands put together. */
import { Console, Effect, Formatter, Layer, Logger, References, Stdio } from "effect"
import { CliConfig, CliError, CliOutput, Command, Completions, GlobalFlag } from "effect/cli"
import { isDirectoryGone } from "../system/currentDirectory.ts"
import { packageVersion } from "../system/process/packageFile.ts"
import { acp } from "./acp.ts"
import { agents } from "./agents.ts"
import { agentArguments, checkArguments, numberArguments, resumeArguments } from "./arguments.ts"
import { chat } from "./chat.ts"
import { compare } from "./compare.ts"
import { completeCommand, completionsFlag } from "./complete.ts"
import { config } from "./config.ts"
import { doctor } from "./doctor.ts"
import { badUsage, Ended, failWith } from "./exit.ts"
import { printInvalid } from "./flagChecks/printInvalid.ts"
import { isOutOfFiles, outOfFiles } from "./outOfFiles.ts"
import { printNow } from "./output.ts"
import { replay } from "./replay.ts"
import { demo, run } from "./run.ts"
import { schema } from "./schema.ts"
import { sequence, styled } from "./sequences.ts"
import { serve } from "./serve.ts"
import { exportSession, sessions } from "./sessions.ts"
import { usageCommand } from "./spending.ts"
import { changes, worktrees } from "./worktrees.ts"

const textOf = (part: unknown) => (typeof part === "string" ? part : Formatter.format(part))

const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
  const parts = Array.isArray(message) ? message : [message]
  // On a terminal the line replaces the status, which is drawn again below it.
  const wipe = process.stderr.isTTY ? sequence("\r\x1b[J") : ""
  printNow("stderr", `${wipe}reins: ${logLevel.toLowerCase()}: ${parts.map(textOf).join(" ")}\n`)
})

export const logging = Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Warn"))
type Invalid = CliOutput.Presenter.InvalidInvocation

/** Passes on invalid input, since the whole help would push its problem off the screen. */
const presenter = (onInvalid: (event: Invalid) => void): CliOutput.Presenter => ({
  present: (event) =>
    event._tag === "InvalidInvocation" ? Effect.sync(() => onInvalid(event)) : CliOutput.defaultPresenter.present(event)
})

const base = CliOutput.defaultFormatter({ globalFlags: "summary" })

/** Hides from the help that a switch may have a value (`--json=false`). */
const formatter: CliOutput.Formatter = {
  ...base,
  formatVersion: (name, version) => styled(base.formatVersion(name, version)),
  formatHelpDoc: (doc) =>
    styled(
      base.formatHelpDoc({
        ...doc,
        flags: doc.flags.map((flag) => (flag.type === "[=boolean]" ? { ...flag, type: "boolean" } : flag))
      })
    )
}

const usage = (onInvalid: (event: Invalid) => void) =>
  Layer.mergeAll(
    CliOutput.layerPresenter(presenter(onInvalid)),
    CliOutput.layer(formatter),
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, completionsFlag, GlobalFlag.LogLevel] })
  )

const reins = Command.make("reins").pipe(
  Command.withDescription("Runs coding-agent CLIs and shows what they do, in the same way for each of them."),
  Command.withSubcommands([
    run,
    chat,
    compare,
    serve,
    acp,
    demo,
    replay,
    sessions,
    exportSession,
    changes,
    worktrees,
    usageCommand,
    config,
    agents,
    doctor,
    schema,
    completeCommand(() => described())
  ]),
  Command.withExamples([
    { command: "reins demo", description: "See what a run looks like; needs no account" },
    { command: "reins agents", description: "See which agents there are, and which are installed" },
    { command: "reins doctor", description: "Check the installed CLIs, and what is missing" },
    { command: "reins chat", description: "Chat with an agent that asks before it acts" },
    { command: "reins serve", description: "Serve agents on a web page" },
    { command: 'reins run "why does the build fail?"', description: "Run an agent on a prompt" },
    { command: "source <(reins --completions bash)", description: "Enable shell completions" }
  ])
)

const argumentsOf = (words: ReadonlyArray<string>) => resumeArguments(numberArguments(agentArguments(words)))
export const described = (): Completions.CommandDescriptor => Completions.fromCommand(reins)

const directoryGone = "the current directory no longer exists: change to another one, such as cd ~"

/** Reads its arguments from `Stdio`, and prints every message before it ends. */
export const program = Effect.gen(function* () {
  yield* checkArguments
  const { args: words } = yield* Stdio.Stdio
  const args = argumentsOf(yield* words)
  let invalid: Invalid | undefined
  yield* Command.runWith(reins, { version: packageVersion() })(args).pipe(
    Effect.catchIf(CliError.isCliError, (error) => {
      const isHelp = error._tag === "ShowHelp" && error.errors.length === 0
      if (isHelp) return Effect.void
      const printed =
        invalid === undefined ? Console.error(`reins: ${error.message}`) : printInvalid(invalid, args, reins)
      return Effect.andThen(printed, Effect.fail(new Ended({ exitCode: badUsage })))
    }),
    Effect.provide(
      usage((event) => {
        invalid = event
      })
    )
  )
}).pipe(
  Effect.catchDefect((defect) => {
    if (isDirectoryGone(defect)) return failWith(directoryGone, badUsage)
    if (isOutOfFiles(defect)) return failWith(outOfFiles, badUsage)
    const problem = defect instanceof Error ? defect.message : String(defect)
    return Effect.andThen(Console.error(`reins: internal error: ${problem}`), Effect.fail(new Ended({ exitCode: 1 })))
  }),
  Effect.provide(logging)
)
