/** `reins sessions` and `reins export`: kept sessions of conversations, and the sessions of the CLIs themselves. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { described, text } from "./conversationFlags.ts"
import type { StoreFlags } from "./database.ts"
import { cliFlag } from "./filterFlags.ts"
import { configFlag, databaseFlag, jsonFlag, switchFlag } from "./flags.ts"
import type { withHistory } from "./sessions/history.ts"

/** Only these commands open the store. */
const loaded = Effect.promise(async () => {
  const [perform, { withHistory }] = await Promise.all([
    import("./sessions/perform.ts"),
    import("./sessions/history.ts")
  ])
  return { ...perform, withHistory }
})

type Commands = Effect.Success<typeof loaded>

const onHistory = <A, R>(flags: StoreFlags, work: (commands: Commands) => Parameters<typeof withHistory<A, R>>[1]) =>
  Effect.flatMap(loaded, (commands) => commands.withHistory(flags, work(commands)))

const conversationFlag = (description: string) => Flag.String("conversation").pipe(described(description, "NAME"))

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

interface ListInput extends StoreFlags {
  readonly cli: Option.Option<string>
  readonly outside: boolean
  readonly here: boolean
  readonly all: boolean
  readonly json: boolean
}

const listSessions = ({ cli, outside, here, all, json, ...store }: ListInput) => {
  const directory = here ? process.cwd() : undefined
  return onHistory(store, ({ list }) => list({ outside, all, cli: Option.getOrUndefined(cli), directory }, json))
}

const list = Command.make("list", listFlags, listSessions).pipe(Command.withShortDescription("List sessions (default)"))
const one = { config: configFlag, database: databaseFlag, cli: cliFlag, id }

const show = Command.make("show", { ...one, json: jsonFlag("Print it as JSON") }, (input) =>
  onHistory(input, ({ show: print }) => print(input, input.json))
).pipe(Command.withShortDescription("Show all that is known of a session"))

const who = Command.make("who", { ...one, json: jsonFlag("Print it as JSON") }, (input) =>
  onHistory(input, ({ who: print }) => print(input, input.json))
).pipe(
  Command.withShortDescription("Show who uses a session now"),
  Command.withDescription("Shows which process uses a session. Nothing takes it away from one that lives.")
)

const rename = Command.make(
  "rename",
  { ...one, title: Argument.String("title").pipe(Argument.withDescription("One line, at most 200 characters")) },
  (input) => onHistory(input, (commands) => commands.rename(input, input.title))
).pipe(Command.withShortDescription("Give a session a title"))

const fork = Command.make(
  "fork",
  { ...one, conversation: conversationFlag("The conversation that goes on in the copy") },
  (input) => onHistory(input, (commands) => commands.fork(input, input.conversation))
).pipe(
  Command.withShortDescription("Let a conversation go on in a copy of a session"),
  Command.withDescription("The CLI makes the copy with the next turn of the conversation; the session stays as it is.")
)

const archive = Command.make("archive", one, (input) => onHistory(input, (commands) => commands.archive(input))).pipe(
  Command.withShortDescription("Put a session away"),
  Command.withDescription("Puts a session away: it is listed with --all alone, and its conversation begins anew.")
)

const forget = Command.make("forget", one, (input) => onHistory(input, (commands) => commands.forget(input))).pipe(
  Command.withShortDescription("Forget a session"),
  Command.withDescription(
    "Removes what is kept of a session: its row, its transcript, the texts of its turns. The CLI's own files stay."
  )
)

const adopt = Command.make(
  "adopt",
  { ...one, conversation: Flag.optional(conversationFlag("The conversation that goes on with it")) },
  (input) => onHistory(input, (commands) => commands.adopt(input, input.conversation))
).pipe(
  Command.withShortDescription("Go on with a session of a CLI's own"),
  Command.withDescription("Keeps a session that was begun in its CLI, so that a conversation can go on with it.")
)

const move = Command.make(
  "move",
  {
    ...one,
    to: Flag.String("to").pipe(
      described("The machine on which it goes on; reins serve runs there, and where it is now", "HOME")
    ),
    cwd: text("cwd", "DIR", "Its working directory there (default: the same path)")
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
      described("markdown, with long answers cut (default), or json: whole, an object a line", "FORM"),
      Flag.withDefault("markdown" as const)
    ),
    out: text("out", "FILE", "A new file that only you can read (default: stdout)"),
    force: switchFlag("force", "Replace the file")
  },
  (input) => onHistory(input, ({ exportTo }) => exportTo(input))
).pipe(
  Command.withShortDescription("Print a session as text"),
  Command.withDescription(
    "Prints what was said and done in a session: from its transcript, else from the CLI's own file."
  ),
  Command.withExamples([
    { command: "reins export billing --out billing.md", description: "A conversation as Markdown" }
  ])
)
