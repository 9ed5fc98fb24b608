/** What came from another home → a session of this one; and back, where the move fails. */
import { accessSync, constants, statSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute } from "node:path"
import { Effect } from "effect"
import { clis } from "../../cli/clis.ts"
import { exportName } from "./opencodeFiles.ts"
import { importSession, keepImported, removeImported } from "./opencodeProgram.ts"
import { type CliPlace, type MovableCli, notMoved, type Packed } from "./packed.ts"
import type { Manifest } from "./payload.ts"
import { keepPlaced, placeFiles, takeBack } from "./placeFiles.ts"
import { asNotMoved } from "./problems.ts"
import { sessionFiles } from "./sessionFiles.ts"

export interface UnpackOptions {
  readonly moveId: string
  /** Where the session goes on. */
  readonly directory: string
  readonly place: CliPlace
}

const rootOf = async (cli: MovableCli, { env }: CliPlace) =>
  (await clis[cli].stored?.())?.home({ ...env, HOME: env["HOME"] || homedir() }) ?? ""

const isUsable = (directory: string) => {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK)
    return isAbsolute(directory) && statSync(directory).isDirectory()
  } catch {
    return false
  }
}

/** Fails with something of it left behind: then `undo` removes that. */
export const unpack = Effect.fnUntraced(function* (packed: Packed, { moveId, directory, place }: UnpackOptions) {
  const { cli, sessionId, files } = packed
  if (!isUsable(directory)) {
    return yield* notMoved("the home has no such working directory: name one that it has with --cwd")
  }
  const root = yield* asNotMoved(() => rootOf(cli, place))
  if (cli === "opencode") {
    const bytes = files.find(({ path }) => path === exportName)?.bytes ?? new Uint8Array()
    return yield* importSession({ sessionId, place }, root, moveId, directory, bytes)
  }
  const { placed, roleOf } = sessionFiles[cli]
  const all = files.map(({ path, bytes }) => ({
    path: placed(path, directory),
    role: roleOf(path, sessionId) ?? "part",
    bytes
  }))
  yield* Effect.uninterruptible(asNotMoved(() => placeFiles(root, moveId, all)))
})

const placesOf = ({ cli, files }: Manifest, directory: string) =>
  files.map(({ path, size }) => ({ path: sessionFiles[cli].placed(path, directory), size }))

/** What the move has brought is removed. */
export const undo = Effect.fnUntraced(function* (manifest: Manifest, { moveId, directory, place }: UnpackOptions) {
  const { cli, sessionId } = manifest
  const root = yield* asNotMoved(() => rootOf(cli, place))
  if (cli === "opencode") return yield* removeImported({ sessionId, place }, root, moveId)
  yield* Effect.uninterruptible(asNotMoved(() => takeBack(root, moveId, placesOf(manifest, directory))))
})

/** The move is done: what it took to undo it is removed. */
export const keep = Effect.fnUntraced(function* (manifest: Manifest, { moveId, directory, place }: UnpackOptions) {
  const { cli } = manifest
  const root = yield* asNotMoved(() => rootOf(cli, place))
  if (cli === "opencode") return yield* keepImported(root, moveId)
  yield* asNotMoved(() => keepPlaced(root, moveId, placesOf(manifest, directory)))
})
