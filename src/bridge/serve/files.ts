/**
 * Files of an account's chats, kept for a week: downloads for the agent, and long texts for people. Names are derived
 * from the turn, so that a restart finds existing files.
 */
import { createHash } from "node:crypto"
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { attachmentLimits, type FileAttachment } from "../../contract/Attachment.ts"
import { checkAttachment } from "../../contract/attachments/checkAttachment.ts"
import { untraced } from "../../contract/untraced.ts"
import { openDirectories, openStateDirectory } from "../../system/locks/stateDirectory.ts"
import { attempt } from "../gateway/copies.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage, MessageAttachment } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import { texts } from "../texts.ts"
import { Account } from "./account.ts"
import { wasNotSent } from "./direct.ts"

interface Received {
  /** Paths of files for the agent to read, by file id. */
  readonly paths: ReadonlyMap<string, string>
  /** Images that the agent sees with the prompt. */
  readonly images: ReadonlyArray<FileAttachment>
  /** For the person: one line for each file that could not be downloaded. */
  readonly problems: ReadonlyArray<string>
}

export class Files extends Context.Service<
  Files,
  {
    readonly receive: (turnId: string, messages: ReadonlyArray<ChannelMessage>) => Effect.Effect<Received>
    /** Directories with a conversation's files, for its agent to read. */
    readonly directories: (conversation: Conversation) => Effect.Effect<ReadonlyArray<string>>
    /** Writes a text for the people; a name always gives the same file. Returns undefined if it could not be written. */
    readonly write: (name: string, text: string) => Effect.Effect<string | undefined>
    /** The directory of files for the people; undefined if it could not be created. */
    readonly writtenDirectory: Effect.Effect<string | undefined>
    readonly sweep: Effect.Effect<void>
  }
>()("reins/bridge/Files") {
  static readonly layer = Layer.effect(
    Files,
    Effect.flatMap(Account, ({ channel }) => makeFiles(channel))
  )
}

const maxAgeMs = 7 * 24 * 60 * 60_000
const downloadTimeout = "1 minute"
const longestName = 80
const mostFiles = 20
const none: Received = { paths: new Map(), images: [], problems: [] }

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16)

/** Only letters, digits and `._-`; never a hidden file or a flag. */
const plainName = (name: string) =>
  name
    .replace(/[^\p{L}\p{N}._-]+/gu, "_")
    .slice(-longestName)
    .replace(/^[-._]+/, "")
    .toWellFormed()

/** Programs that transcribe go by the ending. Telegram's voice messages are `audio/ogg`, without a name. */
const endingOf = (mimeType: string | undefined) => {
  const [, format] = /^audio\/(?:x-)?([a-z0-9]{2,5})(?:;|$)/.exec(mimeType ?? "") ?? []
  return format === undefined ? "" : `.${format === "mpeg" ? "mp3" : format === "mp4" ? "m4a" : format}`
}

const sizeOf = (path: string) =>
  Effect.map(
    attempt(() => stat(path)),
    (stats) => stats?.size
  )

const retries = { while: wasNotSent, schedule: Schedule.exponential("500 millis"), times: 5 } as const

/** An image that every agent can read; undefined for other files. */
const imageAt = Effect.fn(...untraced("Files.imageAt"))(function* (path: string) {
  if (((yield* sizeOf(path)) ?? 0) > attachmentLimits.bytes) return undefined
  const bytes = yield* attempt(() => readFile(path))
  const checked = bytes && checkAttachment({ place: 1, bytes, path })
  return checked?._tag === "Success" && checked.success.kind === "image"
    ? { path, bytes: bytes?.length ?? 0 }
    : undefined
})

/** Images that fit into one prompt; the agent reads the others as files. */
const imagesThatFit = (images: ReadonlyArray<{ readonly path: string; readonly bytes: number }>) => {
  let total = 0
  return images.flatMap(({ path, bytes }) => {
    if (total + bytes > attachmentLimits.totalBytes) return []
    total += bytes
    return [{ path }]
  })
}

const makeFiles = Effect.fn(...untraced("Files.makeFiles"))(function* ({
  id,
  accountId,
  limits,
  download
}: Channel): Effect.fn.Return<Files["Service"]> {
  const state = yield* openStateDirectory("files").pipe(
    Effect.tapError((error) => Effect.logWarning(`files cannot be downloaded: ${error.message}`)),
    Effect.orElseSucceed(() => undefined)
  )
  const account = hashOf(JSON.stringify([id, accountId]))
  const directoryOf = Effect.fn(...untraced("Files.directoryOf"))(function* (name: string) {
    if (state === undefined) return undefined
    const root = join(state, "files", account)
    const opened = yield* Effect.result(Effect.andThen(openDirectories(root), openDirectories(join(root, name))))
    return opened._tag === "Success" ? join(root, name) : undefined
  })

  /** Downloads a complete file, or nothing. */
  const fetch = Effect.fn(...untraced("Files.fetch"))(function* (fileId: string, path: string) {
    if (download === undefined) return false
    const part = `${path}.part`
    const isThere = yield* Effect.retry(download(fileId, part), retries).pipe(
      Effect.timeout(downloadTimeout),
      Effect.as(true),
      Effect.orElseSucceed(() => false)
    )
    const size = isThere ? yield* sizeOf(part) : undefined
    if (size !== undefined && size <= limits.downloadBytes) {
      return (yield* attempt(() => rename(part, path).then(() => true))) === true
    }
    yield* attempt(() => rm(part, { force: true }))
    return false
  })

  /** Downloads an attachment, unless an earlier attempt, also of an earlier host, has succeeded or failed. */
  const receiveOne = Effect.fn(...untraced("Files.receiveOne"))(function* (
    directory: string,
    key: string,
    { fileId, name, kind, mimeType }: MessageAttachment
  ) {
    const plain = plainName(name ?? "") || `${kind}${kind === "voice" ? endingOf(mimeType) : ""}`
    const path = join(directory, `${key}-${plain}`)
    const missing = `${path}.missing`
    if ((yield* sizeOf(path)) !== undefined) return path
    if ((yield* sizeOf(missing)) !== undefined) return undefined
    if (yield* fetch(fileId, path)) return path
    yield* attempt(() => writeFile(missing, ""))
    return undefined
  })

  return {
    receive: Effect.fn(...untraced("Files.receive"))(function* (turnId, messages) {
      const attachments = messages.flatMap((message) => message.attachments).slice(0, mostFiles)
      const [first] = messages
      if (first === undefined || attachments.length === 0) return none
      const directory = yield* directoryOf(hashOf(conversationText(first.conversation)))
      const turn = hashOf(turnId)
      const received = yield* Effect.forEach(
        attachments,
        Effect.fnUntraced(function* (attachment, at) {
          const path = directory && (yield* receiveOne(directory, `${turn}-${at}`, attachment))
          const image = path === undefined || attachment.kind !== "image" ? undefined : yield* imageAt(path)
          return { attachment, path, image }
        }),
        { concurrency: 4 }
      )
      const images = imagesThatFit(received.flatMap(({ image }) => image ?? []))
      const isShown = (path: string) => images.some((image) => image.path === path)
      return {
        paths: new Map(
          received.flatMap(({ attachment, path }) =>
            path === undefined || isShown(path) ? [] : [[attachment.fileId, path] as const]
          )
        ),
        images,
        problems: received.flatMap(({ attachment, path }) =>
          path === undefined ? [texts.notReceived(attachment.name ?? attachment.kind)] : []
        )
      }
    }),
    directories: Effect.fn(...untraced("Files.directories"))(function* (conversation) {
      if (download === undefined) return []
      const directory = yield* directoryOf(hashOf(conversationText(conversation)))
      return directory === undefined ? [] : [directory]
    }),
    write: Effect.fn(...untraced("Files.write"))(function* (name, text) {
      if (Buffer.byteLength(text) > limits.uploadBytes) return undefined
      const directory = yield* directoryOf("written")
      if (directory === undefined) return undefined
      const path = join(directory, plainName(name) || "text")
      return yield* attempt(() => writeFile(path, text, { mode: 0o600 }).then(() => path))
    }),
    writtenDirectory: directoryOf("written"),
    sweep: Effect.gen(function* () {
      if (state === undefined) return
      const root = join(state, "files", account)
      const now = yield* Clock.currentTimeMillis
      const names = (yield* attempt(() => readdir(root, { recursive: true }))) ?? []
      yield* Effect.forEach(
        names,
        Effect.fnUntraced(function* (name) {
          const path = join(root, name)
          const stats = yield* attempt(() => stat(path))
          if (stats?.isFile() === true && now - stats.mtimeMs > maxAgeMs)
            yield* attempt(() => rm(path, { force: true }))
        }),
        { discard: true }
      )
    })
  }
})
