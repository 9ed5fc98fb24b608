/** Downloads a file of a message, up to Telegram's limit. The address contains the token. */
import { createWriteStream } from "node:fs"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Effect, Predicate } from "effect"
import type { Channel } from "../../../bridge/messages/Channel.ts"
import { SendError, type SendReason } from "../../../bridge/messages/SendError.ts"
import type { Client } from "../calls/client.ts"
import { reasonOf } from "../calls/failure.ts"

export interface DownloadOptions {
  readonly client: Pick<Client, "call">
  readonly apiRoot: string
  readonly token: string
  readonly mostBytes: number
}

const failure = (reason: SendReason) => new SendError({ reason })
const tooLarge = failure({ _tag: "Refused", description: "the file is larger than Telegram gives" })
const gone = failure({ _tag: "Gone", what: "message" })
const cut = failure({ _tag: "Unreachable" })
const noPlace = failure({ _tag: "Refused", description: "the file cannot be written" })

const isOfDisk = (thrown: unknown) =>
  Predicate.hasProperty(thrown, "code") && /^(?:ENOSPC|EACCES|EROFS|ENOENT|EISDIR|EDQUOT)$/.test(String(thrown.code))

async function* bounded(chunks: AsyncIterable<Uint8Array>, most: number) {
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > most) throw tooLarge
    yield chunk
  }
}

const pathOf = (answer: unknown) => {
  const path = Predicate.hasProperty(answer, "file_path") ? answer.file_path : undefined
  return typeof path === "string" && !path.split("/").includes("..") ? path : undefined
}

export const makeDownload = (options: DownloadOptions): NonNullable<Channel["download"]> => {
  const { client, apiRoot, token, mostBytes } = options
  const fetched = async (path: string, to: string, signal: AbortSignal) => {
    const address = `${apiRoot}/file/bot${token}/${path.split("/").map(encodeURIComponent).join("/")}`
    const response = await fetch(address, { signal, redirect: "error" })
    if (response.status === 404) throw gone
    if (!response.ok || response.body === null) throw cut
    const chunks = bounded(Readable.fromWeb(response.body), mostBytes)
    await pipeline(Readable.from(chunks, { objectMode: false }), createWriteStream(to, { mode: 0o600 }), { signal })
  }

  return Effect.fnUntraced(function* (fileId, to) {
    const answer = yield* Effect.mapError(client.call("getFile", { file_id: fileId }), (refusal) =>
      refusal._tag === "Refused" && /too big/i.test(refusal.description) ? tooLarge : failure(reasonOf(refusal))
    )
    const path = pathOf(answer)
    if (path === undefined) return yield* Effect.fail(gone)
    yield* Effect.tryPromise({
      try: (signal) => fetched(path, to, signal),
      // After `cut` the file can be fetched again.
      catch: (thrown) => (thrown instanceof SendError ? thrown : isOfDisk(thrown) ? noPlace : cut)
    })
  })
}
