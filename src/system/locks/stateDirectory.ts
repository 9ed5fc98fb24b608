/**
 * The user's directory for state that outlives a process, `$XDG_STATE_HOME/reins` or the platform's place
 * (`~/.local/state/reins`; `UserDirectories` of `effect/persistence`). Used only while no other user can write into it.
 */
import { accessSync, chmodSync, constants, lstatSync } from "node:fs"
import { join } from "node:path"
import { ConfigProvider, Context, Effect, Schema } from "effect"
import { make } from "effect/persistence/UserDirectories"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { untraced } from "../../contract/untraced.ts"
import { HostEnvironment } from "../process/HostEnvironment.ts"
import { homeOf, homeVariable, inPasswordDatabase } from "../process/homeDirectory.ts"
import { Host } from "../process/host.ts"
import { makeDirectories } from "../process/privateFiles.ts"

/** The home in the password database. Tests have users of their own. */
export const PasswordHome = Context.Reference<() => string | undefined>("reins/PasswordHome", {
  defaultValue: () => inPasswordDatabase
})

/** The user's home; undefined if none is known. */
export const findHome = Effect.gen(function* () {
  return homeOf(yield* HostEnvironment, (yield* Host).platform, yield* PasswordHome)
})

/** Its path; nothing is created. Fails where no home is known. */
export const findUserDirectory = Effect.fn(...untraced("StateDirectory.findUserDirectory"))(function* (
  kind: "config" | "state"
) {
  const env = yield* HostEnvironment
  const { platform } = yield* Host
  const all = Object.entries({ ...env, [homeVariable(platform)]: yield* findHome })
  const known = all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const provider = ConfigProvider.fromEnv({ env: Object.fromEntries(known) })
  return yield* Effect.provideService(make({ platform })[kind]("reins"), ConfigProvider.ConfigProvider, provider)
})

export class StateUnusable extends Schema.TaggedError<StateUnusable>()("StateUnusable", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

const cure = "make it a directory of your own with mode 700, or set XDG_STATE_HOME"

const unusable = (directory: string, problem: string) =>
  new StateUnusable({ problem: `the state directory ${JSON.stringify(directory)} ${problem}: ${cure}` })

const refusedBy = (directory: string) => (cause: unknown) =>
  unusable(directory, `cannot be used, ${explain(codeOf(cause) ?? "for an unknown reason")}`)

const othersMayWrite = 0o022
const othersMayDoAnything = 0o077

const attempt = <A>(directory: string, run: () => A) => Effect.try({ try: run, catch: refusedBy(directory) })

/** Created if missing, for its owner only. Synchronous: the locks in it are, too. */
const ownDirectory = Effect.fn(...untraced("StateDirectory.ownDirectory"))(function* (directory: string) {
  const info = yield* attempt(directory, () => {
    const found = lstatSync(directory, { throwIfNoEntry: false })
    if (found !== undefined) return found
    makeDirectories(directory, 0o700)
    return lstatSync(directory)
  })
  if (info.isSymbolicLink()) return yield* unusable(directory, "is a link")
  if (!info.isDirectory()) return yield* unusable(directory, "is not a directory")
  const uid = process.getuid?.()
  if (uid === undefined) return
  if (info.uid !== uid) return yield* unusable(directory, `belongs to the user ${info.uid}`)
  if ((info.mode & othersMayWrite) !== 0) return yield* unusable(directory, "can be written by others")
  yield* attempt(directory, () => {
    if ((info.mode & othersMayDoAnything) !== 0) chmodSync(directory, 0o700)
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  })
})

/** Its path; nothing is created. */
export const findStateDirectory = Effect.mapError(
  findUserDirectory("state"),
  () => new StateUnusable({ problem: "no state directory is known: set HOME, or XDG_STATE_HOME to a directory" })
)

/** Creates it and the named directories in it where they are missing, and checks that only the user can write them. */
export const openDirectories = (directory: string, ...names: ReadonlyArray<string>) =>
  Effect.forEach([directory, ...names.map((name) => join(directory, name))], ownDirectory, { discard: true })

/** The state directory, and the named ones in it. */
export const openStateDirectory = Effect.fn(...untraced("StateDirectory.openStateDirectory"))(function* (
  ...names: ReadonlyArray<string>
) {
  const directory = yield* findStateDirectory
  yield* openDirectories(directory, ...names)
  return directory
})
