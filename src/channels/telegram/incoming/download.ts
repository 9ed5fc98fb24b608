/** Downloads a file of a message, up to Telegram's limit. The address contains the token. */
import { Effect, Predicate } from "effect"
import type { Channel } from "../../../bridge/messages/Channel.ts"
import { SendError } from "../../../bridge/messages/SendError.ts"
import { saveFile, tooLarge } from "../../kit/saveFile.ts"
import type { Client } from "../calls/client.ts"
import { reasonOf } from "../calls/failure.ts"

export interface DownloadOptions {
  readonly client: Pick<Client, "call">
  readonly apiRoot: string
  readonly token: string
  readonly mostBytes: number
}

const service = "Telegram"

const pathOf = (answer: unknown) => {
  const path = Predicate.hasProperty(answer, "file_path") ? answer.file_path : undefined
  return typeof path === "string" && !path.split("/").includes("..") ? path : undefined
}

export const makeDownload = (options: DownloadOptions): NonNullable<Channel["download"]> => {
  const { client, apiRoot, token, mostBytes } = options
  return Effect.fnUntraced(function* (fileId, to) {
    const answer = yield* Effect.mapError(client.call("getFile", { file_id: fileId }), (refusal) =>
      refusal._tag === "Refused" && /too big/i.test(refusal.description)
        ? tooLarge(service)
        : new SendError({ reason: reasonOf(refusal) })
    )
    const path = pathOf(answer)
    if (path === undefined) return yield* new SendError({ reason: { _tag: "Gone", what: "message" } })
    const url = `${apiRoot}/file/bot${token}/${path.split("/").map(encodeURIComponent).join("/")}`
    yield* saveFile({ url, mostBytes, service }, to)
  })
}
