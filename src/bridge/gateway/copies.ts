/**
 * Copies of files that an agent sends, taken when its tool is called: later changes of a file do not count. They
 * outlive the process, as the outbox does, and are removed when their piece is sent or has failed.
 */
import { createHash } from "node:crypto"
import { type FileHandle, open, readdir, rm, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { Clock, Effect } from "effect"
import { withoutInvisible } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { openDirectories } from "../../system/locks/stateDirectory.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import { type InsideFile, sizeProblem } from "./insideFile.ts"
import { quoted, refuse } from "./toolInput.ts"

const chunkBytes = 256 * 1024
const longestName = 100
const patience = "10 seconds"

/** Keeps the end, with the file's extension. */
const nameOf = (path: string) => {
  const name = withoutInvisible(basename(path)).slice(-longestName).toWellFormed()
  return name === "" ? "file" : name
}

/** Stops at the limit, whatever the size says; returns the digest, or undefined for a file that has grown beyond. */
const copyTo = async (from: FileHandle, path: string, mostBytes: number, signal: AbortSignal) => {
  const to = await open(path, "wx", 0o600)
  try {
    const hash = createHash("sha256")
    const buffer = Buffer.allocUnsafe(chunkBytes)
    for (let total = 0; ; ) {
      signal.throwIfAborted()
      const { bytesRead } = await from.read(buffer, 0, chunkBytes, null)
      if (bytesRead === 0) return hash.digest("hex")
      total += bytesRead
      if (total > mostBytes) return undefined
      const bytes = buffer.subarray(0, bytesRead)
      hash.update(bytes)
      await to.writeFile(bytes)
    }
  } finally {
    await to.close()
  }
}

export const attempt = <A>(work: () => Promise<A>): Effect.Effect<A | undefined> =>
  Effect.orElseSucceed(Effect.tryPromise(work), () => undefined)

const remove = (directory: string) => Effect.asVoid(attempt(() => rm(directory, { recursive: true, force: true })))

/** Fails with nothing left behind. */
export const takeCopy = (copies: string, sendId: string, file: InsideFile, mostBytes: number) =>
  Effect.gen(function* () {
    const visible = quoted(basename(file.path))
    yield* openDirectories(copies, sendId)
    const path = join(copies, sendId, nameOf(file.path))
    const digest = yield* Effect.tryPromise((signal) => copyTo(file.handle, path, mostBytes, signal))
    if (digest !== undefined) return { path, digest }
    return yield* refuse(`${visible} ${sizeProblem(mostBytes + 1, mostBytes) ?? "grows"}, and grows.`)
  }).pipe(
    Effect.timeout(patience),
    Effect.catchTags({
      TimeoutError: () => Effect.fail(refuse("The file was not sent: it took too long to read.")),
      StateUnusable: () => Effect.fail(refuse("The file was not sent: the bridge has no place for it.")),
      UnknownError: () => Effect.fail(refuse("The file was not sent: it could not be copied."))
    }),
    Effect.onError(() => remove(join(copies, sendId)))
  )

const isSendId = (name: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)

export const dropCopy = (copies: string, sendId: string) =>
  isSendId(sendId) ? remove(join(copies, sendId)) : Effect.void

/** Removes the file of a finished piece. Files that are not copies stay. */
export const removeCopy = (copies: string, file: string) => {
  const directory = dirname(file)
  return dirname(directory) === resolve(copies) ? dropCopy(copies, basename(directory)) : Effect.void
}

/** A young directory may belong to a call that has not written its row yet. */
const youngMs = 60_000

const isOpen = Effect.fn(...untraced("Copies.isOpen"))(function* (
  outbox: Pick<AccountJournal["outbox"], "get">,
  sendId: string
) {
  for (let at = 0; ; at++) {
    const row = yield* outbox.get(`${sendId}/${at}`)
    if (row === undefined) return false
    if (row.state !== "sent" && row.state !== "failed") return true
  }
})

/** Removes copies of a killed host, and of finished pieces. */
export const sweepCopies = Effect.fn(...untraced("Copies.sweepCopies"))(function* (
  copies: string,
  outbox: Pick<AccountJournal["outbox"], "get">
) {
  const now = yield* Clock.currentTimeMillis
  const names = (yield* attempt(() => readdir(copies))) ?? []
  yield* Effect.forEach(
    names.filter(isSendId),
    Effect.fnUntraced(function* (sendId) {
      const directory = join(copies, sendId)
      const made = yield* attempt(() => stat(directory))
      if (made === undefined || now - made.mtimeMs < youngMs || (yield* isOpen(outbox, sendId))) return
      yield* remove(directory)
    }),
    { discard: true }
  )
})
