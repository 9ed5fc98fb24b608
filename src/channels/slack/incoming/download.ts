/** Downloads a file of a message, with the bot's token, from Slack's own hosts alone. */
import { Effect } from "effect"
import type { Channel } from "../../../bridge/messages/Channel.ts"
import { SendError } from "../../../bridge/messages/SendError.ts"
import { saveFile } from "../../kit/saveFile.ts"
import type { Client } from "../calls/client.ts"
import { reasonOf } from "../calls/failure.ts"
import { fileOf } from "./wire.ts"

export interface DownloadOptions {
  readonly client: Pick<Client, "call" | "isTrusted">
  readonly botToken: string
  readonly mostBytes: number
}

const noScope = "the app lacks the scope files:read: add it, and install the app again"

export const makeDownload = ({ client, botToken, mostBytes }: DownloadOptions): NonNullable<Channel["download"]> =>
  Effect.fnUntraced(function* (fileId, to) {
    const answer = yield* Effect.mapError(
      client.call("files.info", { file: fileId }),
      (failure) => new SendError({ reason: reasonOf(failure) })
    )
    const file = fileOf(answer.json)
    const url = file?.url_private_download
    if (url == null || !client.isTrusted(url))
      return yield* new SendError({ reason: { _tag: "Gone", what: "message" } })
    const isPage = file?.mimetype === "text/html"
    yield* saveFile(
      {
        url,
        headers: { authorization: `Bearer ${botToken}` },
        mostBytes,
        service: "Slack",
        // Slack's page to sign in, in place of the file.
        refusal: ({ headers }) =>
          !isPage && (headers.get("content-type") ?? "").startsWith("text/html")
            ? { _tag: "Refused", description: noScope }
            : undefined
      },
      to
    )
  })
