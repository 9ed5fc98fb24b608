/** Shell completions: the script of a shell, and the command that the script calls. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Completions, Flag, GlobalFlag } from "effect/cli"
import { untraced } from "../contract/untraced.ts"
import { completionTarget } from "./complete/completionTarget.ts"
import { asShell, type Shell, scripts, shellWords } from "./complete/scripts.ts"

const shells = ["bash", "zsh", "fish"] as const satisfies ReadonlyArray<Shell>

/** Replaces the script of the framework, which completes only what is known in advance. */
export const completionsFlag: GlobalFlag.Action<Option.Option<Completions.Shell>> = GlobalFlag.Action({
  flag: Flag.Literals("completions", [...shells, "powershell"]).pipe(
    Flag.optional,
    Flag.withMetavar("<bash|zsh|fish|powershell>"),
    Flag.withDescription("Print the shell's completion script")
  ),
  run: Effect.fn(...untraced("Complete.run"))(function* (shell, { command }) {
    if (Option.isNone(shell)) return
    const { value } = shell
    if (value !== "powershell") return yield* Console.log(scripts[value].trimEnd())
    yield* Console.log(Completions.generate(command.name, value, Completions.fromCommand(command)))
  })
})

const directives = { Files: "files", Directories: "directories" } as const

export const completeCommand = (descriptor: () => Completions.CommandDescriptor) =>
  Command.make(
    "complete",
    { shell: Argument.Literals("shell", shells), words: Argument.String("words").pipe(Argument.atLeast(0)) },
    Effect.fnUntraced(function* ({ shell, words: input }) {
      const { words, kept: prefix } = shellWords(shell, input)
      const { wanted: target, before, typed } = completionTarget(descriptor(), words)
      if (target._tag === "Files" || target._tag === "Directories") return yield* Console.log(directives[target._tag])
      const { candidates } = yield* Effect.promise(() => import("./complete/candidates.ts"))
      const found = asShell(shell, yield* candidates(target, typed), before, prefix)
      yield* Console.log(["words", ...found].join("\n"))
    })
  ).pipe(
    Command.withDescription("Prints what a word can be completed with, for the scripts of --completions."),
    Command.unlisted
  )
