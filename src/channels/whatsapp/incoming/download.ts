/** Downloads a file of a message. Its address is valid for some minutes, and is asked with the token: at Meta alone. */
import { Effect, Option, Schema } from "effect"
import type { Channel } from "../../../bridge/messages/Channel.ts"
import { SendError } from "../../../bridge/messages/SendError.ts"
import { saveFile, tooLarge } from "../../kit/saveFile.ts"
import type { Client } from "../calls/client.ts"
import { reasonOf } from "../calls/failure.ts"
import type { CheckedWhatsApp } from "../WhatsAppOptions.ts"

const service = "WhatsApp"
const patience = "5 minutes"

const readMedia = Schema.decodeUnknownOption(
  Schema.Struct({
    url: Schema.String,
    file_size: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.Finite, Schema.String])))
  })
)

const hosts = /(?:^|\.)(?:fbsbx\.com|facebook\.com|fbcdn\.net|whatsapp\.net)$/

/** True for an address that may get the token. */
export const isMeta = (url: string, apiRoot: string): boolean => {
  const address = URL.parse(url)
  if (address === null) return false
  const isHost = address.protocol === "https:" && address.port === "" && hosts.test(address.hostname)
  return isHost || address.origin === URL.parse(apiRoot)?.origin
}

const failure = (reason: SendError["reason"]) => new SendError({ reason })

export interface DownloadOptions extends Pick<CheckedWhatsApp, "token" | "phone" | "apiRoot"> {
  readonly client: Pick<Client, "get">
  readonly mostBytes: number
}

export const makeDownload = (options: DownloadOptions): NonNullable<Channel["download"]> => {
  const { client, token, phone, apiRoot, mostBytes } = options
  return Effect.fnUntraced(function* (fileId, to) {
    if (!/^[\w-]{1,200}$/.test(fileId)) return yield* failure({ _tag: "Gone", what: "message" })
    const answer = yield* Effect.mapError(client.get(`${fileId}?phone_number_id=${phone}`), (refusal) =>
      // Another number's file, or one that is no longer kept.
      failure(
        refusal._tag === "Refused" && refusal.code === 100 ? { _tag: "Gone", what: "message" } : reasonOf(refusal)
      )
    )
    const media = Option.getOrUndefined(readMedia(answer))
    if (media === undefined || !isMeta(media.url, apiRoot))
      return yield* failure({ _tag: "Refused", description: "WhatsApp gives no address of the file" })
    if (Number(media.file_size ?? 0) > mostBytes) return yield* tooLarge(service)
    const headers = { authorization: `Bearer ${token}` }
    yield* Effect.timeoutOrElse(saveFile({ url: media.url, headers, mostBytes, service }, to), {
      duration: patience,
      orElse: () => failure({ _tag: "Unreachable" })
    })
  })
}
