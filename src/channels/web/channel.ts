/** The page as a channel of the bridge: rows out, what people write and press in. Nothing of it depends on HTTP. */
import { Effect } from "effect"
import type { Channel, ChannelLimits } from "../../bridge/messages/Channel.ts"
import type { Piece, ReplyPayload } from "../../bridge/messages/ReplyPayload.ts"
import { SendError } from "../../bridge/messages/SendError.ts"
import { renderMarkdown } from "../../bridge/promise/FromPlain.ts"
import type { Files } from "./files.ts"
import { channelId, isPersonId } from "./ids.ts"
import { type IncomingOptions, incomingUpdates } from "./incoming.ts"
import type { makeOutgoing } from "./outgoing.ts"
import type { TurnProjection } from "./turnProjection.ts"

export const limitsOf = (uploadBytes: number): ChannelLimits => ({
  text: 100_000,
  buttons: { most: 50, label: 200, data: 64 },
  pace: {},
  uploadBytes: 50_000_000,
  downloadBytes: uploadBytes
})

export interface WebChannelOptions extends IncomingOptions {
  readonly accountId: string
  readonly limits: ChannelLimits
  readonly seen: TurnProjection
  readonly files: Files
  readonly written: ReturnType<typeof makeOutgoing>
}

/** One piece a text, and one a file. */
const render =
  ({ text }: ChannelLimits) =>
  ({ isError, ...payload }: ReplyPayload): ReadonlyArray<Piece> => {
    const { mediaUrls = [] } = payload
    const error = isError === true ? { isError } : {}
    const pieces = renderMarkdown(text)(payload).map(({ text: plain, body }) => {
      const { text: own, buttons } = body as { readonly text: string; readonly buttons?: Piece["body"] } // made there
      return { text: plain, body: { text: own, ...error, ...(buttons === undefined ? {} : { buttons }) } }
    })
    const first = pieces.length - mediaUrls.length
    return pieces.map((piece, at) => {
      const file = mediaUrls[at - first]
      return file === undefined ? piece : { ...piece, file }
    })
  }

export const makeChannel = (options: WebChannelOptions): Channel => {
  const { accountId, limits, seen: projection, files, written: outgoing, presses } = options
  return {
    id: channelId,
    accountId,
    limits,
    isPerson: isPersonId,
    incoming: (mark) => incomingUpdates(options, mark),
    render: render(limits),
    send: outgoing.send,
    edit: outgoing.edit,
    acknowledge: (press, text) => Effect.sync(() => presses.acknowledge(press, text)),
    check: Effect.succeed([{ level: "ok", message: "The page is served by this process." }]),
    download: (fileId, path) =>
      Effect.flatMap(files.copy(fileId, path), (isThere) =>
        isThere ? Effect.void : Effect.fail(new SendError({ reason: { _tag: "Gone", what: "message" } }))
      ),
    watch: projection.watch
  }
}
