/** Files of messages, by their present links. */
import { Effect } from "effect"
import type { Channel } from "../../../bridge/messages/Channel.ts"
import { SendError } from "../../../bridge/messages/SendError.ts"
import { saveFile } from "../../kit/saveFile.ts"
import type { Client } from "../calls/client.ts"
import { limits } from "../outgoing/render.ts"
import { linkOf } from "../outgoing/write.ts"

export const makeDownload =
  (client: Client): NonNullable<Channel["download"]> =>
  (fileId, path) =>
    Effect.flatMap(linkOf(client, fileId), (url) =>
      url === undefined || !/^https?:\/\//.test(url)
        ? Effect.fail(new SendError({ reason: { _tag: "Gone", what: "message" } }))
        : saveFile({ url, mostBytes: limits.downloadBytes, service: "Discord" }, path)
    )
