/** `reins sessions` and `reins export`: what is kept of conversations, and the sessions of the CLIs themselves. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { SessionFilter } from "../contract/Sessions.ts"
import { cliFlag } from "./filterFlags.ts"
import { configFlag, databaseFlag, jsonFlag, switchFlag } from "./flags.ts"

/** The store is opened by these commands alone. */
const loaded = Effect.promise(async () => {
  const [perform, { withHistory }] = await Promise.all([
    import("./sessions/perform.ts"),
    import("./sessions/history.ts")
  ])
  return { ...perform, withHistory }
})

const conversationFlag = (description: string) =>
  Flag.String("conversation").pipe(Flag.withMetavar("NAME"), Flag.withDescription(description))

const id = Argument.String("id").pipe(
  Argument.withDescription("Its id or the beginning of it, the CLI's own id, or the name of its conversation")
)

const listFlags = {
  config: configFlag,
  database: databaseFlag,
  cli: cliFlag,
  outside: switchFlag("outside", "Add those that were begun in the CLIs themselves, the newest 200 of each"),
  here: switchFlag("here", "Only those of the current directory"),
  all: switchFlag("all", "Add archived ones, and those that the CLI no longer has"),
  json: jsonFlag("Print one object a line")
}

interface ListInput {
  readonly config: Option.Option<string>
  readonly database: Option.Option<string>
  readonly cli: Option.Option<string>
  readonly outside: boolean
  readonly here: boolean
  readonly all: boolean
  readonly json: boolean
}

const listSessions = ({ config, database, cli, outside, here, all, json }: ListInput) =>
  Effect.flatMap(loaded, ({ withHistory, list }) => {
    const filter: SessionFilter = {
      outside,
      all,
      cli: Option.getOrUndefined(cli),
      directory: here ? process.cwd() : undefined
    }
    return withHistory({ config, database }, list(filter, json))
  })

const list = Command.make("list", listFlags, listSessions).pipe(Command.withShortDescription("List sessions (default)"))

const one = { config: configFlag, database: databaseFlag, cli: cliFlag, id }

const show = Command.make("show", { ...one, json: jsonFlag("Print it as JSON") }, (input) =>
  Effect.flatMap(loaded, ({ withHistory, show: print }) => withHistory(input, print(input, input.json)))
).pipe(Command.withShortDescription("Show all that is known of a session"))

const who = Command.make("who", { ...one, json: jsonFlag("Print it as JSON") }, (input) =>
  Effect.flatMap(loaded, ({ withHistory, who: print }) => withHistory(input, print(input, input.json)))
).pipe(
  Command.withShortDescription("Show who uses a session now"),
  Command.withDescription("Shows which process uses a session. Nothing takes it away from one that lives.")
)

const rename = Command.make(
  "rename",
  { ...one, title: Argument.String("title").pipe(Argument.withDescription("One line, at most 200 characters")) },
  (input) => Effect.flatMap(loaded, (commands) => commands.withHistory(input, commands.rename(input, input.title)))
).pipe(Command.withShortDescription("Give a session a title"))

const fork = Command.make(
  "fork",
  { ...one, conversation: conversationFlag("The conversation that goes on in the copy") },
  (input) => Effect.flatMap(loaded, (commands) => commands.withHistory(input, commands.fork(input, input.conversation)))
).pipe(
  Command.withShortDescription("Let a conversation go on in a copy of a session"),
  Command.withDescription("The CLI makes the copy with the next turn of the conversation; the session stays as it is.")
)

const archive = Command.make("archive", one, (input) =>
  Effect.flatMap(loaded, (commands) => commands.withHistory(input, commands.archive(input)))
).pipe(
  Command.withShortDescription("Put a session away"),
  Command.withDescription("Puts a session away: it is listed with --all alone, and its conversation begins anew.")
)

const forget = Command.make("forget", one, (input) =>
  Effect.flatMap(loaded, (commands) => commands.withHistory(input, commands.forget(input)))
).pipe(
  Command.withShortDescription("Forget a session"),
  Command.withDescription(
    "Removes what is kept of a session: its row, its transcript, the texts of its turns. The CLI's own files stay."
  )
)

const adopt = Command.make(
  "adopt",
  { ...one, conversation: Flag.optional(conversationFlag("The conversation that goes on with it")) },
  (input) =>
    Effect.flatMap(loaded, (commands) => commands.withHistory(input, commands.adopt(input, input.conversation)))
).pipe(
  Command.withShortDescription("Go on with a session of a CLI's own"),
  Command.withDescription("Keeps a session that was begun in its CLI, so that a conversation can go on with it.")
)

const move = Command.make(
  "move",
  {
    ...one,
    to: Flag.String("to").pipe(
      Flag.withMetavar("HOME"),
      Flag.withDescription("The machine on which it goes on; reins serve runs there, and where it is now")
    ),
    cwd: Flag.String("cwd").pipe(
      Flag.withMetavar("DIR"),
      Flag.withDescription("Its working directory there (default: the same path)"),
      Flag.optional
    )
  },
  (input) =>
    Effect.flatMap(
      Effect.all([loaded, Effect.promise(() => import("./sessions/move.ts"))]),
      ([{ withHistory }, commands]) => withHistory(input, commands.move(input))
    )
).pipe(
  Command.withShortDescription("Move a session to another machine"),
  Command.withDescription(
    "Moves a session of Claude Code, Codex or OpenCode to another machine with the same store on PostgreSQL. It goes on\n" +
      "there, and nowhere else; its files stay where they were, too. Waits until it is free, five minutes at most."
  ),
  Command.withExamples([
    { command: "reins sessions move billing --to HOME", description: "In the directory of the same path there" },
    { command: "reins sessions move billing --to HOME --cwd /srv/shop", description: "In another one" }
  ])
)

export const sessions = Command.make("sessions", listFlags, listSessions).pipe(
  Command.withShortDescription("List, name, fork and forget sessions"),
  Command.withDescription(
    "Lists the sessions of conversations, the last used first; with --outside also those of the CLIs themselves.\n" +
      "  Exit code: 0 done, 1 failed or not known, 2 bad usage, 3 the session is in use."
  ),
  Command.withSubcommands([list, show, who, rename, fork, archive, forget, adopt, move]),
  Command.withExamples([
    { command: "reins sessions", description: "What was said lately, and who uses it" },
    { command: "reins sessions --outside --cli codex", description: "With those that were begun in Codex itself" },
    { command: "reins sessions adopt ID --conversation billing", description: "Go on with one of them" }
  ])
)

export const exportSession = Command.make(
  "export",
  {
    ...one,
    format: Flag.Literals("format", ["markdown", "json"]).pipe(
      Flag.withMetavar("FORM"),
      Flag.withDescription("markdown, with long answers cut (default), or json: whole, an object a line"),
      Flag.withDefault("markdown" as const)
    ),
    out: Flag.String("out").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("A new file that only you can read (default: stdout)"),
      Flag.optional
    ),
    force: switchFlag("force", "Replace the file")
  },
  (input) => Effect.flatMap(loaded, ({ withHistory, exportTo }) => withHistory(input, exportTo(input)))
).pipe(
  Command.withShortDescription("Print a session as text"),
  Command.withDescription(
    "Prints what was said and done in a session: from its transcript, else from the CLI's own file."
  ),
  Command.withExamples([
    { command: "reins export billing --out billing.md", description: "A conversation as Markdown" }
  ])
)
