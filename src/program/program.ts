/** The `reins` program: its commands put together. */
import { Console, Effect, Stdio } from "effect"
import { CliError, Command } from "effect/cli"
import { acp } from "./acp.ts"
import { agentArguments, checkArguments, resumeArguments } from "./arguments.ts"
import { chat } from "./chat.ts"
import { config } from "./config.ts"
import { demo } from "./demo.ts"
import { doctor } from "./doctor.ts"
import { badUsage, Ended } from "./exit.ts"
import { logging } from "./logging.ts"
import { replay } from "./replay.ts"
import { run } from "./run.ts"
import { schema } from "./schema.ts"
import { serve } from "./serve.ts"
import { exportSession, sessions } from "./sessions.ts"
import { usageCommand } from "./spending.ts"
import { usage } from "./usage.ts"
import { version } from "./version.ts"

const reins = Command.make("reins").pipe(
  Command.withDescription("Runs coding-agent CLIs and shows what they do, in the same way for each of them."),
  Command.withSubcommands([
    run,
    chat,
    serve,
    acp,
    demo,
    replay,
    sessions,
    exportSession,
    usageCommand,
    config,
    doctor,
    schema
  ]),
  Command.withExamples([
    { command: "reins demo", description: "See what a run looks like; needs no account" },
    { command: "reins doctor", description: "See which agents are installed" },
    { command: "reins chat", description: "Chat with an agent that asks before it acts" },
    { command: "reins serve", description: "Serve agents on a web page" },
    { command: 'reins run "why does the build fail?"', description: "Run an agent on a prompt" },
    { command: "source <(reins --completions bash)", description: "Enable shell completions" }
  ])
)

const runReins = Effect.flatMap(Stdio.Stdio, ({ args }) =>
  Effect.flatMap(args, (all) => Command.runWith(reins, { version })(resumeArguments(agentArguments(all))))
)

/** Takes its arguments from `Stdio`; prints every message before it ends. */
export const program = Effect.andThen(checkArguments, runReins).pipe(
  Effect.catchIf(CliError.isCliError, (error) => {
    const isHelp = error._tag === "ShowHelp" && error.errors.length === 0
    return isHelp ? Effect.void : Effect.fail(new Ended({ exitCode: badUsage }))
  }),
  Effect.catchDefect((defect) => {
    const problem = defect instanceof Error ? defect.message : String(defect)
    return Effect.andThen(Console.error(`reins: internal error: ${problem}`), Effect.fail(new Ended({ exitCode: 1 })))
  }),
  Effect.provide([usage, logging])
)
