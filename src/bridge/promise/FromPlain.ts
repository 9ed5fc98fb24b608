/** A channel of promises → one of effects, with usual defaults. */
import { Effect, Stream } from "effect"
import type { Awaitable } from "../../contract/Input.ts"
import { cutMarkdown } from "../format/cutMarkdown.ts"
import { plainText } from "../format/richText.ts"
import type { Channel, ChannelLimits } from "../messages/Channel.ts"
import type { Piece, ReplyPayload } from "../messages/ReplyPayload.ts"
import { ChannelError, SendError } from "../messages/SendError.ts"
import type { PlainChannel } from "./PlainChannel.ts"

const noButtons = { most: 0, label: 0, data: 0 }
const usual: ChannelLimits = { text: 4_000, buttons: noButtons, pace: {}, uploadBytes: 0, downloadBytes: 0 }

/** Any other failure leaves the outcome unknown. */
const unknown = new SendError({ reason: { _tag: "Unknown" } })

const attempt = <A>(run: (signal: AbortSignal) => Awaitable<A>): Effect.Effect<A, SendError> =>
  Effect.tryPromise({
    try: async (signal) => run(signal),
    catch: (error) => (error instanceof SendError ? error : unknown)
  })

const quietly = (what: string, run: () => Awaitable<void>): Effect.Effect<void> =>
  Effect.promise(async () => run()).pipe(Effect.catchCause(() => Effect.logWarning(`a channel failed in ${what}`)))

/** Markdown for channels that show it, or that show any text. Buttons go below the last piece. */
export const renderMarkdown =
  (limit: number) =>
  ({ text = "", buttons, replyToId, mediaUrls = [] }: ReplyPayload): ReadonlyArray<Piece> => {
    const parts = [...cutMarkdown(text, limit), ...mediaUrls.map((path) => path.split(/[\\/]/).at(-1) ?? "")]
    return parts.map((part, index) => ({
      text: plainText(part),
      body: {
        text: part,
        ...(index === 0 && replyToId !== undefined ? { replyToId } : {}),
        ...(index === parts.length - 1 && buttons !== undefined ? { buttons } : {})
      }
    }))
  }

export const fromPlain = (channel: PlainChannel): Channel => {
  const { id, accountId = "default", find, edit, remove, acknowledge, check, download, working, draft } = channel
  const limits = { ...usual, ...channel.limits }
  const over = new ChannelError({ channel: id, accountId, problem: "it hears nothing more" })
  return {
    id,
    accountId,
    limits,
    isPerson: channel.isPerson ?? ((person) => /^\S+$/.test(person)),
    incoming: (mark) =>
      Stream.suspend(() => {
        const abort = new AbortController()
        return Stream.fromAsyncIterable(channel.incoming(mark, { signal: abort.signal }), (error) =>
          error instanceof ChannelError ? error : new ChannelError({ channel: id, accountId, problem: "it failed" })
        ).pipe(
          Stream.map(({ incoming, mark: next, confirm }) => ({
            incoming,
            ...(next === undefined ? {} : { mark: next }),
            confirm: confirm === undefined ? Effect.void : quietly("confirm", confirm)
          })),
          Stream.concat(Stream.fail(over)),
          Stream.ensuring(Effect.sync(() => abort.abort()))
        )
      }),
    render: channel.render ?? renderMarkdown(limits.text),
    send: (to, piece, key) =>
      Effect.map(
        attempt((signal) => channel.send(to, piece, key, { signal })),
        (messageId) => ({ conversation: to, messageId })
      ),
    acknowledge: (press, text) =>
      acknowledge === undefined ? Effect.void : quietly("acknowledge", () => acknowledge(press, text)),
    check: check === undefined ? Effect.succeed([]) : Effect.promise(async () => check()),
    ...(find === undefined
      ? {}
      : {
          find: (to, piece, key, after) =>
            Effect.map(
              attempt((signal) => find(to, piece, key, after, { signal })),
              (messageId) => (messageId === undefined ? undefined : { conversation: to, messageId })
            )
        }),
    ...(edit === undefined ? {} : { edit: (ref, piece) => attempt((signal) => edit(ref, piece, { signal })) }),
    ...(remove === undefined ? {} : { remove: (ref) => attempt((signal) => remove(ref, { signal })) }),
    ...(download === undefined
      ? {}
      : { download: (fileId, path) => attempt((signal) => download(fileId, path, { signal })) }),
    ...(working === undefined ? {} : { working: (to, messageId) => quietly("working", () => working(to, messageId)) }),
    ...(draft === undefined
      ? {}
      : { draft: (to, draftId, piece) => attempt((signal) => draft(to, draftId, piece, { signal })) })
  }
}
