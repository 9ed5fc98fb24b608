/** Attachments for another machine: read on the caller's, and stored by their hash. */
import { createHash } from "node:crypto"
import { resolve } from "node:path"
import { Clock, Effect, Predicate, Schema } from "effect"
import { AttachmentRefused, InvalidParams } from "../contract/AgentError.ts"
import {
  type Attachment,
  Attachments,
  attachmentLimits,
  type DataAttachment,
  type FileAttachment
} from "../contract/Attachment.ts"
import { kindOfBytes } from "../contract/attachments/kinds.ts"
import { makeParser } from "../contract/checkInput.ts"
import { codeOf, explain } from "../contract/errors/system.ts"
import { present } from "../contract/present.ts"
import { untraced } from "../contract/untraced.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { readFlags, readRegular } from "../system/process/regularFile.ts"
import type { StoredAttachment } from "./storedParams.ts"

const parse = makeParser(Schema.Struct({ attachments: Schema.optional(Attachments) }), "params")

const read = Effect.fn(...untraced("Attachments.read"))(function* ({ path, name, mediaType }: FileAttachment) {
  const refused = (problem: string) => new AttachmentRefused({ attachment: name ?? path, problem })
  const reading = yield* Effect.tryPromise({
    try: () => readRegular(resolve(path), attachmentLimits.bytes, readFlags.following),
    catch: (cause) => refused(`cannot be read, ${explain(codeOf(cause) ?? "for an unknown reason")}`)
  })
  if (reading._tag !== "Read") return yield* refused("is not a regular file of 10 MiB at most")
  const kind = kindOfBytes(reading.bytes)
  const type = mediaType ?? kind?.mediaType
  if (type === undefined) return yield* refused("is of a kind that no agent takes")
  return { data: reading.bytes, mediaType: type, name: name ?? path.split("/").at(-1) ?? path } satisfies DataAttachment
})

/** Reads attachments as bytes: their files are on the machine of the caller. */
export const loadAttachments = Effect.fn(...untraced("Attachments.loadAttachments"))(function* (input: unknown) {
  const parsed = yield* Effect.fromResult(parse({ attachments: input }))
  const loaded = yield* Effect.forEach(
    parsed.attachments ?? [],
    (one: Attachment): Effect.Effect<DataAttachment, AttachmentRefused> =>
      "data" in one && one.data !== undefined ? Effect.succeed(one) : read(one as FileAttachment) // the schema knows two
  )
  const bytes = loaded.reduce((sum, { data }) => sum + data.length, 0)
  if (bytes > attachmentLimits.totalBytes)
    return yield* new InvalidParams({ option: "attachments", problem: "are more than 20 MiB in all" })
  return loaded
})

const hashOf = (data: Uint8Array) => createHash("sha256").update(data).digest("hex")

/** Stores attachments, in a transaction of the caller. */
export const putAttachments = Effect.fn(...untraced("Attachments.putAttachments"))(function* (
  { sql }: OpenStore,
  attachments: ReadonlyArray<DataAttachment>
) {
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.forEach(attachments, ({ data, mediaType, name }) =>
    Effect.gen(function* () {
      const hash = hashOf(data)
      yield* sql`insert into blobs ${sql.insert({ hash, bytes: data, created: now })}
        on conflict (hash) do update set created = excluded.created`
      return { hash, mediaType, ...present({ name }) } satisfies StoredAttachment
    })
  )
})

export const takeAttachments = ({ sql, read: reading }: OpenStore, stored: ReadonlyArray<StoredAttachment>) =>
  Effect.forEach(stored, ({ hash, mediaType, name }) =>
    Effect.gen(function* () {
      const [row = {}] = yield* reading(sql<object>`select bytes from blobs where hash = ${hash}`)
      const bytes: unknown = Predicate.hasProperty(row, "bytes") ? row.bytes : undefined
      if (!(bytes instanceof Uint8Array) || hashOf(bytes) !== hash)
        return yield* new AttachmentRefused({ attachment: name ?? hash, problem: "is not in the store any more" })
      return { data: bytes, mediaType, ...present({ name }) } satisfies DataAttachment
    })
  )
