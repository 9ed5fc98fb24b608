/**
 * The changes of the last comparison in a repository, for `--apply`: a file in the user's state directory, since files in the
 * repository may be of others.
 */
import { createHash } from "node:crypto"
import { rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import type { Changes } from "../../contract/SeveralAgents.ts"
import { untraced } from "../../contract/untraced.ts"
import { openStateDirectory } from "../../system/locks/stateDirectory.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"

const Kept = Schema.Struct({
  gitDirectory: Schema.String,
  changes: Schema.Record(
    Schema.String,
    Schema.Struct({ base: Schema.String, commit: Schema.String, paths: Schema.Array(Schema.String) })
  )
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Kept))
type SavedChanges = (typeof Kept.Type)["changes"]
const maxBytes = 256 * 1024 * 1024
const name = "compare"

const fileFor = (gitDirectory: string) =>
  Effect.map(openStateDirectory(name), (directory) =>
    join(directory, name, `${createHash("sha256").update(gitDirectory).digest("hex").slice(0, 32)}.json`)
  )

export const saveChanges = Effect.fn(...untraced("SavedChanges.saveChanges"))(function* (
  gitDirectory: string,
  all: Readonly<Record<string, Changes>>
) {
  const file = yield* fileFor(gitDirectory)
  const changes: SavedChanges = Object.fromEntries(
    Object.entries(all).map(([agent, { base, commit, paths }]) => [agent, { base, commit, paths }])
  )
  const made = `${file}.${crypto.randomUUID()}`
  yield* Effect.tryPromise(async () => {
    await writeFile(made, JSON.stringify({ gitDirectory, changes }), { mode: 0o600, flag: "wx" })
    await rename(made, file).finally(() => rm(made, { force: true }))
  })
})

/** Empty without changes of this repository. */
export const readChanges = Effect.fn(...untraced("SavedChanges.readChanges"))(function* (gitDirectory: string) {
  const file = yield* fileFor(gitDirectory)
  const reading = yield* Effect.orElseSucceed(
    Effect.tryPromise((signal) => readRegular(file, maxBytes, readFlags.notFollowing, signal)),
    () => undefined
  )
  const found = reading?._tag === "Read" ? decode(Buffer.from(reading.bytes).toString()) : undefined
  const stored = found?._tag === "Some" ? found.value : undefined
  const none: SavedChanges = {}
  return stored?.gitDirectory === gitDirectory ? stored.changes : none
})
