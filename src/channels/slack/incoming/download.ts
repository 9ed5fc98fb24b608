/** Downloads a file of a message. Its address is asked with the token: at Slack alone. */
import { Effect, Option, Schema } from "effect"
import type { Channel } from "../../../bridge/messages/Channel.ts"
import { SendError, type SendReason } from "../../../bridge/messages/SendError.ts"
import { saveFile, tooLarge } from "../../kit/saveFile.ts"
import type { Client } from "../calls/client.ts"
import { reasonOf } from "../calls/failure.ts"
import { isOfSlack } from "../place.ts"
import type { CheckedSlack } from "../SlackOptions.ts"

const service = "Slack"
const patience = "5 minutes"

const { optionalKey, NullOr } = Schema
const maybe = <S extends Schema.Top>(schema: S) => optionalKey(NullOr(schema))

const readFile = Schema.decodeUnknownOption(
  Schema.Struct({
    file: Schema.Struct({
      url_private_download: maybe(Schema.String),
      mimetype: maybe(Schema.String),
      size: maybe(Schema.Finite)
    })
  })
)

const hosts = ["files.slack.com", "slack.com"]
const missing: ReadonlySet<string> = new Set(["file_not_found", "file_deleted"])

const failure = (reason: SendReason) => new SendError({ reason })
const gone = failure({ _tag: "Gone", what: "message" })

const isPage = ({ headers }: Response) => /^text\/html\b/i.test(headers.get("content-type") ?? "")

export interface DownloadOptions extends Pick<CheckedSlack, "botToken" | "apiRoot"> {
  readonly client: Pick<Client, "call">
  readonly mostBytes: number
}

export const makeDownload = (options: DownloadOptions): NonNullable<Channel["download"]> => {
  const { client, botToken, apiRoot, mostBytes } = options
  return Effect.fnUntraced(function* (fileId, to) {
    if (!/^F[A-Z0-9]{2,30}$/.test(fileId)) return yield* gone
    const answer = yield* Effect.mapError(client.call("files.info", { file: fileId }), (refusal) =>
      refusal._tag === "Refused" && missing.has(refusal.error) ? gone : failure(reasonOf(refusal, "files.info"))
    )
    const { url_private_download: url, mimetype, size } = Option.getOrUndefined(readFile(answer))?.file ?? {}
    if (!url || !isOfSlack(url, hosts, { apiRoot }))
      return yield* failure({ _tag: "Refused", description: "Slack has only a link to the file" })
    if ((size ?? 0) > mostBytes) return yield* tooLarge(service)
    // Who may not read a file gets the page to sign in.
    const refusal = (response: Response): SendReason | undefined =>
      isPage(response) && mimetype !== "text/html"
        ? { _tag: "Refused", description: "the app lacks files:read" }
        : undefined
    const headers = { authorization: `Bearer ${botToken}` }
    yield* Effect.timeoutOrElse(saveFile({ url, headers, mostBytes, service, refusal }, to), {
      duration: patience,
      orElse: () => failure({ _tag: "Unreachable" })
    })
  })
}
