/** Writes the files that a plan keeps off the command line into a directory that only its owner can read. */
import { lstatSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, FileSystem, Path } from "effect"
import { type FailureReason, SpawnFailed } from "../../contract/AgentError.ts"
import type { LoadedAttachment } from "../../contract/Attachment.ts"
import { codeOf, errnoOf, refusalOf } from "../../contract/errors/system.ts"
import type { Plan } from "../../contract/Plan.ts"
import { Host } from "./host.ts"

/** Throws the system's error. Node's `recursive` (up to 24.21) hangs where directories cannot be made (`/proc`). */
export const makeDirectories = (path: string, mode: number): void => {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return
  const above = dirname(path)
  if (above !== path) makeDirectories(above, mode)
  try {
    mkdirSync(path, { mode })
  } catch (cause) {
    // Another process has created it meanwhile.
    if (codeOf(cause) !== "EEXIST") throw cause
  }
}

const options = { mode: 0o600, flag: "wx" } as const

/** The directory and its files exist as long as the scope. None is made for a plan without files. */
export const writePrivateFiles = Effect.fnUntraced(
  function* (
    directory: string,
    { files, directories = [], attachmentDirectory }: Pick<Plan, "files" | "directories" | "attachmentDirectory">,
    attachments: ReadonlyArray<LoadedAttachment> = []
  ) {
    const all = attachmentDirectory === undefined ? directories : [...directories, attachmentDirectory]
    if (files.length === 0 && all.length === 0) return
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    // A run may wait before it starts its process, and the host may be killed meanwhile.
    const { reaper } = yield* Host
    yield* Effect.sync(reaper.ensure)
    yield* Effect.acquireRelease(fs.makeDirectory(directory, { mode: 0o700 }), () =>
      Effect.ignore(fs.remove(directory, { recursive: true, force: true }))
    )
    yield* Effect.forEach(all, (name) => fs.makeDirectory(path.join(directory, name), { mode: 0o700 }))
    yield* Effect.forEach(files, ({ name, content }) =>
      fs.writeFileString(path.join(directory, name), content, options)
    )
    if (attachmentDirectory === undefined) return
    yield* Effect.forEach(attachments, ({ fileName, bytes }) =>
      fs.writeFile(path.join(directory, attachmentDirectory, fileName), bytes, options)
    )
  },
  (file, directory) =>
    Effect.mapError(file, (error): FailureReason => {
      const at = { directory: dirname(directory), ...errnoOf(error) }
      return new SpawnFailed({ command: "the private files of the run", problem: refusalOf(error), ...at })
    })
)
