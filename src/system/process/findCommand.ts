/** Finds the program of a command, or the real one behind an installed wrapper, which may outlive it or be outlived. */
import { delimiter } from "node:path"
import { Effect, FileSystem, Option, Path } from "effect"
import type { ProgramFacts } from "../../contract/Plan.ts"
import { Host } from "./host.ts"

/** The absolute path of the program that a command names. Earlier directories win, as on PATH. */
export const findCommand = Effect.fnUntraced(function* (command: string, directories: ReadonlyArray<string>) {
  const path = yield* Path.Path
  const places = command.includes("/")
    ? [path.resolve(command)]
    : directories.filter((directory) => directory !== "").map((directory) => path.resolve(directory, command))
  for (const place of places) if (yield* isProgram(place)) return place
  return undefined
})

const isProgram = Effect.fnUntraced(function* (place: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(place))
  return Option.isSome(info) && info.value.type === "File" && (info.value.mode & 0o111) !== 0
})

/** The real program behind the wrapper that `command` names; otherwise the command itself. */
export const resolveCommand = Effect.fnUntraced(function* (
  cli: Pick<ProgramFacts, "nativeCommands">,
  command: string,
  env: Readonly<Record<string, string>>
) {
  if (cli.nativeCommands === undefined) return command
  const fs = yield* FileSystem.FileSystem
  const wrapper = yield* findCommand(command, (env["PATH"] ?? "").split(delimiter))
  if (wrapper === undefined) return command
  const real = yield* Effect.orElseSucceed(fs.realPath(wrapper), () => wrapper)
  const { platform, arch } = yield* Host
  for (const candidate of cli.nativeCommands(real, platform, arch)) {
    if (yield* isProgram(candidate)) return candidate
  }
  return command
})
