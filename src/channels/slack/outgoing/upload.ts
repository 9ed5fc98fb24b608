/** Uploads of files, in three steps: nothing is seen before the last, so that a cut before it may be repeated. */
import { openAsBlob } from "node:fs"
import { stat } from "node:fs/promises"
import { basename } from "node:path"
import { Effect, Option, Schema } from "effect"
import { SendError, type SendReason } from "../../../bridge/messages/SendError.ts"
import type { Client } from "../calls/client.ts"
import { type CallFailure, reasonOf } from "../calls/failure.ts"
import { isOfSlack, isTs } from "../place.ts"
import type { CheckedSlack } from "../SlackOptions.ts"
import { limits } from "./render.ts"

const fail = (reason: SendReason) => Effect.fail(new SendError({ reason }))
const refused = (description: string) => fail({ _tag: "Refused", description })

export const nameOfFile = (path: string): string => basename(path).toWellFormed()

const readPlace = Schema.decodeUnknownOption(Schema.Struct({ upload_url: Schema.String, file_id: Schema.String }))

const Shares = Schema.Record(
  Schema.String,
  Schema.Array(Schema.Struct({ ts: Schema.String, thread_ts: Schema.optionalKey(Schema.NullOr(Schema.String)) }))
)
const shares = Schema.optionalKey(Schema.NullOr(Shares))
const readShares = Schema.decodeUnknownOption(
  Schema.Struct({ file: Schema.Struct({ shares: Schema.Struct({ public: shares, private: shares }) }) })
)

const hosts = ["files.slack.com", "slack.com"]
const uploadMs = 300_000
/** Slack shares a file behind its answer: in ms, how long its message is waited for. */
const sharedWithin = [0, 300, 700, 1_500, 2_500]

/** Nobody sees it yet. */
const before = (method: string) => (failure: CallFailure) => {
  const reason = reasonOf(failure, method)
  return new SendError({ reason: reason._tag === "Unknown" ? { _tag: "Unreachable" } : reason })
}

interface Thread {
  readonly thread_ts?: string
}

export interface UploadOptions extends Pick<CheckedSlack, "apiRoot"> {
  readonly client: Pick<Client, "call" | "post">
}

/** Returns the id of the message, or of the file if Slack does not tell the message. */
export const makeUpload = ({ client: { call, post }, apiRoot }: UploadOptions) => {
  const messageOf = Effect.fnUntraced(function* (channel: string, { thread_ts }: Thread, file: string) {
    for (const waitMs of sharedWithin) {
      yield* Effect.sleep(waitMs)
      const answer = yield* Effect.option(call("files.info", { file }))
      if (Option.isNone(answer)) return file
      const { public: open, private: closed } = Option.getOrUndefined(readShares(answer.value))?.file.shares ?? {}
      const all = [...(open?.[channel] ?? []), ...(closed?.[channel] ?? [])]
      const own = all.find((share) => (share.thread_ts || undefined) === thread_ts) ?? all[0]
      if (isTs(own?.ts)) return own.ts
    }
    return file
  })

  return Effect.fnUntraced(function* (
    channel: string,
    thread: Thread,
    path: string
  ): Effect.fn.Return<string, SendError> {
    const found = yield* Effect.tryPromise({
      try: () => stat(path),
      catch: () => new SendError({ reason: { _tag: "Refused", description: "the file is no longer there" } })
    })
    if (!found.isFile()) return yield* refused("it is not a file")
    if (found.size === 0) return yield* refused("the file is empty")
    if (found.size > limits.uploadBytes) return yield* refused("the file is larger than Slack takes")
    const content = yield* Effect.tryPromise({
      try: () => openAsBlob(path),
      catch: () => new SendError({ reason: { _tag: "Refused", description: "the file cannot be read" } })
    })
    const name = nameOfFile(path)
    const [prepare, complete] = ["files.getUploadURLExternal", "files.completeUploadExternal"] as const
    const answer = yield* Effect.mapError(call(prepare, { filename: name, length: content.size }), before(prepare))
    const place = Option.getOrUndefined(readPlace(answer))
    if (place === undefined || !isOfSlack(place.upload_url, hosts, { apiRoot }))
      return yield* refused("Slack gives no address for the file")
    const form = new FormData()
    form.append("file", content, name)
    yield* Effect.mapError(post(place.upload_url, form, { deadlineMs: uploadMs }), before("upload"))
    const { file_id: id } = place
    yield* Effect.mapError(
      call(complete, { files: [{ id, title: name }], channel_id: channel, ...thread }),
      (failure) => new SendError({ reason: reasonOf(failure, complete) })
    )
    return yield* messageOf(channel, thread, id)
  })
}
