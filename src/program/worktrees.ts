/** `reins changes` and `reins worktrees`: the git worktrees of conversations, and what was changed in them. */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { text } from "./conversationFlags.ts"
import { configFlag, databaseFlag, jsonFlag, switchFlag } from "./flags.ts"

/** Only these commands open the store. */
const loaded = Effect.promise(() => import("./worktrees/perform.ts"))

const store = { config: configFlag, database: databaseFlag }

const name = Argument.String("name").pipe(
  Argument.withDescription("Its name, the beginning of it, or the name of its conversation")
)

export const changes = Command.make(
  "changes",
  {
    ...store,
    apply: switchFlag("apply", "Write them to the working tree, uncommitted"),
    commit: switchFlag("commit", "Commit them on the branch of the worktree"),
    message: text("message", "TEXT", "Message of the commit"),
    discard: switchFlag("discard", "Take them out of the worktree; git keeps a copy"),
    patch: switchFlag("patch", "Print the patch, for git apply"),
    json: jsonFlag("Print them as JSON, with the patch"),
    id: Argument.optional(name)
  },
  (input) => Effect.flatMap(loaded, (commands) => commands.withWorktrees(input, commands.changes(input)))
).pipe(
  Command.withShortDescription("Show what a conversation changed in its worktree; apply, commit or discard it"),
  Command.withDescription(
    "Shows the changes of a conversation in its git worktree that your last commit does not have. --apply writes all of\n" +
      "  them to your working tree or none, never over uncommitted work, and never to the index.\n" +
      "  Exit code: 0 done, 1 refused, 2 bad usage or not known, 3 an agent is at work in it."
  ),
  Command.withExamples([
    { command: "reins changes", description: "Of the only worktree of this repository" },
    { command: "reins changes fix-42 --apply", description: "Take them" },
    { command: "reins changes fix-42 --commit --message 'Fix the login'", description: "Commit them on reins/fix-42" },
    { command: "reins changes fix-42 --patch | git -C elsewhere apply", description: "Take them elsewhere" }
  ])
)

const listFlags = { ...store, json: jsonFlag("Print one object a line") }

const remove = Command.make(
  "remove",
  { ...store, discard: switchFlag("discard", "Give its changes up; git keeps a copy"), name },
  (input) =>
    Effect.flatMap(loaded, (commands) => commands.withWorktrees(input, commands.remove(input.name, input.discard)))
).pipe(
  Command.withShortDescription("Remove a worktree from the disk"),
  Command.withDescription(
    "Removes the files of a worktree. Changes that were not applied stay in git, and the next turn of its conversation\n" +
      "  restores them; with --discard they are given up, and its branch, too."
  )
)

const clean = Command.make("clean", store, (input) =>
  Effect.flatMap(loaded, (commands) => commands.withWorktrees(input, commands.clean))
).pipe(Command.withShortDescription("Finish or remove what killed processes have left of worktrees"))

export const worktrees = Command.make("worktrees", listFlags, (input) =>
  Effect.flatMap(loaded, (commands) => commands.withWorktrees(input, commands.list(input.json)))
).pipe(
  Command.withShortDescription("List, remove and clean the worktrees of conversations"),
  Command.withDescription("Lists the git worktrees of conversations, the last used first."),
  Command.withSubcommands([remove, clean]),
  Command.withExamples([
    { command: "reins worktrees", description: "Which there are, and how large" },
    { command: "reins worktrees remove fix-42", description: "Free the disk; its changes stay in git" }
  ])
)
