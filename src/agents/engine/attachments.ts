/**
 * Attachments of a caller → what a CLI gets. Only the named files are read: regular ones, counted while they are read, since
 * a file can grow. What the CLI does not take is refused here, before anything is started.
 */
import { resolve } from "node:path"
import { Effect } from "effect"
import type { CliFacts } from "../../cli/Cli.ts"
import { AttachmentRefused, type FailureReason, UnsupportedOption } from "../../contract/AgentError.ts"
import { type Attachment, attachmentLimits, type LoadedAttachment } from "../../contract/Attachment.ts"
import { checkAttachment, kindProblem, nameOf } from "../../contract/attachments/checkAttachment.ts"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"

const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`

const tooLarge = `is larger than ${mebibytes(attachmentLimits.bytes)}, the most for one attachment`
const tooMuch = `makes the attachments larger than ${mebibytes(attachmentLimits.totalBytes)}, the most for all of a prompt`

/** Fails with the problem, to follow the name. */
const readFile = (path: string) =>
  Effect.tryPromise({
    try: (signal) => readRegular(path, attachmentLimits.bytes, readFlags.following, signal),
    catch: (error) => `cannot be read: ${explain(codeOf(error) ?? "the path is invalid")}`
  }).pipe(
    Effect.flatMap((reading) => {
      if (reading._tag === "Read") return Effect.succeed(reading.bytes)
      if (reading._tag === "TooLarge") return Effect.fail(tooLarge)
      return Effect.fail(
        reading.info.isDirectory() ? "is a directory" : "is not a regular file, but a pipe or a device"
      )
    })
  )

/** Fails if the path is relative to a working directory of the host that was removed. */
const absolute = (workingDirectory: string, path: string) =>
  Effect.try({ try: () => resolve(workingDirectory, path), catch: () => "is in a directory that was removed" })

/** A copy: the caller may change its bytes later. */
const copied = (data: Uint8Array) =>
  data.length > attachmentLimits.bytes ? Effect.fail(tooLarge) : Effect.succeed(data.slice())

export const loadAttachments = Effect.fnUntraced(function* (
  { id, attachments: taken }: Pick<CliFacts, "id" | "attachments">,
  attachments: ReadonlyArray<Attachment>,
  workingDirectory: string
): Effect.fn.Return<ReadonlyArray<LoadedAttachment>, FailureReason> {
  if (attachments.length === 0) return []
  if (taken === undefined) return yield* new UnsupportedOption({ option: "attachments", cli: id })
  let total = 0
  return yield* Effect.forEach(attachments, (attachment, index) => {
    const { name, mediaType } = attachment
    const facts = { place: index + 1, name, mediaType }
    return Effect.gen(function* () {
      const path = "path" in attachment ? yield* absolute(workingDirectory, attachment.path) : undefined
      const bytes = "data" in attachment ? yield* copied(attachment.data) : yield* readFile(path ?? "")
      total += bytes.length
      if (total > attachmentLimits.totalBytes) return yield* Effect.fail(tooMuch)
      const checked = checkAttachment({ ...facts, bytes, ...(path === undefined ? {} : { path }) })
      const loaded = yield* Effect.fromResult(checked)
      return taken.has(loaded.kind) ? loaded : yield* Effect.fail(kindProblem(loaded, taken, id))
    }).pipe(
      Effect.mapError((problem) => {
        const path = "path" in attachment ? attachment.path : undefined
        return new AttachmentRefused({ attachment: nameOf({ ...facts, path }), problem })
      })
    )
  })
})
