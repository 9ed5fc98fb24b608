/**
 * Files of people and agents, in the state directory for a week; each person reads only their own. Uploads are counted as
 * they arrive, and removed if they are too large.
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { copyFile, open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Context, Effect, Exit, Layer, Semaphore } from "effect"
import type { MessageAttachment } from "../../bridge/messages/ChannelMessage.ts"
import { kindOfBytes } from "../../contract/attachments/kinds.ts"
import { present } from "../../contract/present.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { cutAt, oneLine } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { countIn, textIn, wordIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { Store } from "../../conversations/store/Store.ts"
import { openDirectories, openStateDirectory } from "../../system/locks/stateDirectory.ts"
import { isId } from "./ids.ts"
import { Page } from "./page.ts"
import type { RowFile } from "./rows/row.ts"
import { statements } from "./rows/statements.ts"

export interface KeptFile extends RowFile {
  readonly kind: MessageAttachment["kind"]
  readonly mimeType?: string
}

/** Why a file was not taken. */
export type UploadProblem = "too large" | "too many" | "too many at once" | "no place" | "broken off"

export class Files extends Context.Service<
  Files,
  {
    readonly upload: (
      person: string,
      input: { readonly name: string; readonly mimeType: string | undefined },
      body: AsyncIterable<Uint8Array>
    ) => Effect.Effect<KeptFile | UploadProblem, StoreError>
    /** Returns undefined if it does not exist, or belongs to another person. */
    readonly find: (person: string, id: string) => Effect.Effect<KeptFile | undefined, StoreError>
    readonly read: (id: string) => Effect.Effect<ReadableStream<Uint8Array> | undefined>
    /** Keeps a file of the bridge for a person, once for each key. Returns undefined if it cannot be read or kept. */
    readonly keep: (person: string, key: string, path: string) => Effect.Effect<RowFile | undefined, StoreError>
    readonly copy: (id: string, path: string) => Effect.Effect<boolean>
    /** Removes files that are older than a week. */
    readonly sweep: Effect.Effect<void, StoreError>
  }
>()("reins/web/Files") {
  static readonly layer = Layer.effect(
    Files,
    Effect.gen(function* () {
      const { accountId, uploadBytes } = yield* Page
      return yield* makeFiles(yield* Store, accountId, uploadBytes)
    })
  )
}

const kinds = ["image", "audio", "voice", "video", "document"] as const
const keptMs = 7 * 24 * 60 * 60_000
const mostFiles = 500
/** Limit for one person; further uploads wait, unread. */
const mostAtOnce = 4
const mostWaiting = 32

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex")
const idOfKey = (text: string) => hashOf(text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5")

const plainName = (input: string): string => {
  const name = cutAt(oneLine(input.split(/[\\/]/).at(-1) ?? "").replaceAll('"', "'"), 120).head.trim()
  return name === "" || name === "." || name === ".." ? "file" : name
}

const plainMime = (input: string | undefined) => {
  const mime = input?.split(";")[0]?.trim().toLowerCase() ?? ""
  return /^[a-z]+\/[\w.+-]{1,100}$/.test(mime) ? mime : undefined
}

/** Images are recognised by their bytes, other kinds by the sender's type. */
const kindOf = (head: Uint8Array, mime: string | undefined): KeptFile["kind"] => {
  if (kindOfBytes(head)?.kind === "image") return "image"
  const [family] = mime?.split("/") ?? []
  return family === "audio" || family === "video" ? family : "document"
}

export const fileRow = (row: object): ReadonlyArray<KeptFile> => {
  const [fileId, name, kind] = [textIn(row, "id"), textIn(row, "name"), wordIn(row, "kind", kinds)]
  const bytes = countIn(row, "bytes")
  if (fileId === undefined || name === undefined || kind === undefined || bytes === undefined) return []
  return [{ fileId, name, kind, bytes, ...present({ mimeType: textIn(row, "mime") }) }]
}

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A | undefined> =>
  Effect.orElseSucceed(Effect.tryPromise(work), () => undefined)

/** @param mostBytes Limit for all files of a person. */
export const makeFiles = Effect.fn(...untraced("Files.makeFiles"))(function* (
  { sql, transact, read }: OpenStore,
  account: string,
  uploadBytes: number,
  mostBytes = 500_000_000
): Effect.fn.Return<Files["Service"]> {
  const own = hashOf(JSON.stringify(["web", account])).slice(0, 16)
  const directory = yield* openStateDirectory("web").pipe(
    Effect.map((state) => join(state, "web", own)),
    Effect.tap(openDirectories),
    Effect.tapError((error) => Effect.logWarning(`the page can take no files: ${error.message}`)),
    Effect.orElseSucceed(() => undefined)
  )
  const { select, execute } = statements({ transact, read })
  const mine = sql`account = ${account}`
  const pathOf = (id: string) => (directory === undefined || !isId(id) ? undefined : join(directory, id))
  /** Running uploads by person; `bytes` and `most`, the room that was left, count from the last idle moment. */
  const running = new Map<
    string,
    { count: number; bytes: number; most?: number; readonly slots: Semaphore.Semaphore }
  >()

  const first = (rows: ReadonlyArray<object>) => rows.flatMap(fileRow)[0]
  const get = (id: string) => select(sql<object>`select * from web_files where ${mine} and id = ${id}`, first)

  /** In bytes. */
  const roomOf = (person: string) =>
    select(
      sql<object>`select count(*) as count, sum(bytes) as bytes from web_files where ${mine} and person = ${person}`,
      ([row = {}]) => ((countIn(row, "count") ?? 0) < mostFiles ? mostBytes - (countIn(row, "bytes") ?? 0) : 0)
    )

  const put = (person: string, { fileId: id, name, kind, bytes, mimeType }: KeptFile) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      execute(
        sql`insert into web_files ${sql.insert({ account, id, person, name, kind, mime: mimeType ?? null, bytes, at })}
          on conflict (account, id) do nothing`
      )
    )

  const receiveAll = Effect.fn(...untraced("Files.receiveAll"))(function* (
    ...[person, { name, mimeType }, body]: Parameters<Files["Service"]["upload"]>
  ): Effect.fn.Return<KeptFile | UploadProblem, StoreError> {
    const fileId = crypto.randomUUID()
    const [path, flow] = [pathOf(fileId), running.get(person)]
    if (path === undefined || flow === undefined) return "no place"
    const left = yield* roomOf(person)
    if (left <= 0) return "too many"
    flow.most ??= left
    const { most } = flow
    const room = (bytes: number) => {
      flow.bytes += bytes
      return flow.bytes <= most
    }
    const receiving = Effect.gen(function* (): Effect.fn.Return<KeptFile | UploadProblem, StoreError> {
      const received = yield* Effect.catch(
        Effect.tryPromise((signal) => receive(path, body, { most: uploadBytes, room }, signal)),
        ({ cause }): Effect.Effect<UploadProblem> => {
          const code = cause instanceof Error && "code" in cause ? cause.code : undefined
          return Effect.succeed(code === "ENOSPC" || code === "EDQUOT" || code === "EACCES" ? "no place" : "broken off")
        }
      )
      if (typeof received === "string") return received
      const { head, bytes } = received
      const mime = plainMime(mimeType)
      const described = { fileId, name: plainName(name), kind: kindOf(head, mime), bytes }
      const stored: KeptFile = { ...described, ...present({ mimeType: mime }) }
      yield* put(person, stored)
      return stored
    })
    return yield* Effect.onExit(receiving, (exit) =>
      Exit.isSuccess(exit) && typeof exit.value !== "string" ? Effect.void : attempt(() => rm(path, { force: true }))
    )
  })

  return {
    upload: (person, input, body) =>
      Effect.suspend(() => {
        const flow = running.get(person) ?? { count: 0, bytes: 0, slots: Semaphore.makeUnsafe(mostAtOnce) }
        if (flow.count >= mostAtOnce + mostWaiting) return Effect.succeed("too many at once")
        flow.count += 1
        running.set(person, flow)
        const over = Effect.sync(() => {
          flow.count -= 1
          if (flow.count === 0) running.delete(person)
        })
        return Effect.ensuring(flow.slots.withPermit(receiveAll(person, input, body)), over)
      }),
    find: (person, id) =>
      isId(id)
        ? select(sql<object>`select * from web_files where ${mine} and id = ${id} and person = ${person}`, first)
        : Effect.succeed(undefined),
    read: (id) =>
      Effect.gen(function* () {
        const path = pathOf(id)
        if (path === undefined || (yield* attempt(() => stat(path))) === undefined) return undefined
        const file = createReadStream(path)
        return new ReadableStream<Uint8Array>(
          {
            start: (controller) => {
              file.on("data", (chunk) => {
                controller.enqueue(typeof chunk === "string" ? Buffer.from(chunk) : chunk)
                if ((controller.desiredSize ?? 0) <= 0) file.pause()
              })
              file.on("end", () => controller.close())
              file.on("error", (error) => controller.error(error))
            },
            pull: () => void file.resume(),
            cancel: () => void file.destroy()
          },
          { highWaterMark: 2 }
        )
      }),
    keep: Effect.fn(...untraced("Files.keep"))(function* (person, key, from) {
      const fileId = idOfKey(JSON.stringify([person, key]))
      const path = pathOf(fileId)
      if (path === undefined) return undefined
      const there = yield* get(fileId)
      if (there !== undefined) return there
      const size = yield* attempt(async () => {
        await rm(path, { force: true })
        await copyFile(from, path)
        return (await stat(path)).size
      })
      if (size === undefined) return undefined
      const stored: KeptFile = { fileId, name: plainName(from), kind: "document", bytes: size }
      yield* put(person, stored)
      return stored
    }),
    copy: (id, to) =>
      Effect.map(
        attempt(async () => {
          const path = pathOf(id)
          if (path === undefined) return false
          await copyFile(path, to)
          return true
        }),
        (isCopied) => isCopied === true
      ),
    sweep: Effect.gen(function* () {
      const before = (yield* Clock.currentTimeMillis) - keptMs
      yield* execute(sql`delete from web_files where ${mine} and at < ${before}`)
      if (directory === undefined) return
      for (const name of (yield* attempt(() => readdir(directory))) ?? []) {
        const found = yield* attempt(() => stat(join(directory, name)))
        if (found?.isFile() === true && found.mtimeMs < before) yield* attempt(() => rm(join(directory, name)))
      }
    })
  }
})

interface Bounds {
  /** Largest file, in bytes. */
  readonly most: number
  /** True if there is room for so many more bytes. */
  readonly room: (bytes: number) => boolean
}

/** Writes a body to a new file, which an abort removes. Rejects if the body breaks off, or the disk is full. */
const receive = async (path: string, body: AsyncIterable<Uint8Array>, { most, room }: Bounds, signal: AbortSignal) => {
  const file = await open(path, "wx", 0o600)
  try {
    let [bytes, head] = [0, new Uint8Array(0)]
    for await (const chunk of body) {
      signal.throwIfAborted()
      bytes += chunk.length
      if (bytes > most) return "too large" as const
      if (!room(chunk.length)) return "too many" as const
      if (head.length < 64) head = new Uint8Array([...head, ...chunk.subarray(0, 64)])
      await file.writeFile(chunk)
    }
    return { bytes, head }
  } finally {
    await file.close()
    if (signal.aborted) await rm(path, { force: true })
  }
}
