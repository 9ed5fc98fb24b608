/**
 * The page as a channel of the bridge, independent of HTTP. Outgoing messages become rows, deduplicated by key; the row of a
 * streamed answer only confirms it.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { blocksOf } from "../../bridge/format/blocks.ts"
import type { Channel, ChannelLimits } from "../../bridge/messages/Channel.ts"
import { schedulePrefix } from "../../bridge/messages/ChannelMessage.ts"
import type { Conversation } from "../../bridge/messages/Conversation.ts"
import { interruptedChoice } from "../../bridge/messages/interrupted.ts"
import { Button, type Piece, type ReplyPayload } from "../../bridge/messages/ReplyPayload.ts"
import { SendError } from "../../bridge/messages/SendError.ts"
import { renderMarkdown } from "../../bridge/promise/FromPlain.ts"
import { present } from "../../contract/present.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import { Files } from "./files.ts"
import { channelId, isId, isPersonId } from "./ids.ts"
import { incomingUpdates, Presses } from "./incoming.ts"
import { Page } from "./page.ts"
import { streamedText, wasStreamed } from "./rows/compact.ts"
import { idOf, personOf } from "./rows/conversationTable.ts"
import type { RowFile, WebRow } from "./rows/row.ts"
import { RowLog } from "./rows/rowLog.ts"
import { RowTable } from "./rows/rowTable.ts"
import { TurnProjection } from "./turnProjection.ts"

const limitsOf = (uploadBytes: number): ChannelLimits => ({
  text: 100_000,
  buttons: { most: 50, label: 200, data: 64 },
  pace: {},
  uploadBytes: 50_000_000,
  downloadBytes: uploadBytes
})

/** One piece for each text and each file. */
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

export class WebChannel extends Context.Service<WebChannel, Channel>()("reins/web/WebChannel") {
  static readonly layer = Layer.effect(
    WebChannel,
    Effect.suspend(() => makeChannel)
  )
}

const makeChannel = Effect.gen(function* () {
  const { accountId, uploadBytes } = yield* Page
  const [projection, files, presses] = [yield* TurnProjection, yield* Files, yield* Presses]
  const limits = limitsOf(uploadBytes)
  return WebChannel.of({
    id: channelId,
    accountId,
    limits,
    isPerson: isPersonId,
    incoming: yield* incomingUpdates,
    render: render(limits),
    ...(yield* makeOutgoing),
    acknowledge: (press, text) => Effect.sync(() => presses.acknowledge(press, text)),
    check: Effect.succeed([{ level: "ok", message: "The page is served by this process." }]),
    download: (fileId, path) =>
      Effect.flatMap(files.copy(fileId, path), (isThere) =>
        isThere ? Effect.void : Effect.fail(new SendError({ reason: { _tag: "Gone", what: "message" } }))
      ),
    watch: projection.watch
  })
})

/** A piece in the web channel's own shape. */
const Body = Schema.Struct({
  text: Schema.String,
  buttons: Schema.optionalKey(Schema.Array(Schema.Array(Button))),
  isError: Schema.optionalKey(Schema.Literal(true))
})
type Body = typeof Body.Type
const isBody = Schema.is(Body)

const refused = (description: string) => new SendError({ reason: { _tag: "Refused", description } })
const gone = (what: "chat" | "message") => new SendError({ reason: { _tag: "Gone", what } })
/** Surely not done: transactions are atomic, and deduplicated by key. */
const unreachable = (_: StoreError) => new SendError({ reason: { _tag: "Unreachable" } })

const turnKey = /^(bridge-[\w-]{24})\//

const contentOf = (body: Body, text: string) => ({
  text,
  blocks: blocksOf(body.text),
  ...(body.buttons === undefined || body.buttons.length === 0 ? {} : { buttons: body.buttons })
})

const makeOutgoing = Effect.gen(function* () {
  const { accountId } = yield* Page
  const [log, table, files, projection] = [yield* RowLog, yield* RowTable, yield* Files, yield* TurnProjection]
  const rowOf = Effect.fn(...untraced("Channel.rowOf"))(function* (
    body: Body,
    text: string,
    key: string,
    file: RowFile | undefined
  ) {
    const visible = contentOf(body, text)
    const [button] = body.buttons?.flat() ?? []
    const choice = button === undefined ? undefined : interruptedChoice(button.data)
    if (choice !== undefined) {
      const own = { turn: choice.turnId, choices: ["continue", "again", "forget"] }
      return { row: "host", what: "interrupted", ...own, ...visible } satisfies WebRow
    }
    if (button?.data.startsWith("s:")) return { row: "host", what: "missing", ...visible } satisfies WebRow
    const turn = turnKey.exec(key)?.[1]
    if (turn !== undefined && file === undefined && body.isError === undefined && body.buttons === undefined) {
      yield* log.commit([])
      const streamed = streamedText(yield* table.ofTurn(turn))
      if (wasStreamed(streamed, body.text)) return { row: "answer", turn } satisfies WebRow
    }
    // Answers of commands, and hints, have a list as their key.
    const isHint = file === undefined && key.startsWith("[") && body.buttons === undefined
    // The bridge asks about a plan for later.
    if (isHint || key.startsWith(schedulePrefix)) return { row: "host", what: "notice", ...visible } satisfies WebRow
    return { row: "said", key, ...present({ turn, file, isError: body.isError }), ...visible } satisfies WebRow
  })

  const admit = (to: Conversation) =>
    to.channel === channelId && to.accountId === accountId && personOf(to.chatId) !== "" && isId(idOf(to.chatId))

  const send: Channel["send"] = Effect.fnUntraced(function* (to, piece, key) {
    const { body, text } = piece
    if (!admit(to)) return yield* gone("chat")
    if (!isBody(body)) return yield* refused("it has the shape of another channel")
    const { chatId: chat } = to
    const outgoing = Effect.gen(function* () {
      const there = yield* table.ofKey(`s/${key}`)
      if (there !== undefined) return there
      const file = piece.file === undefined ? undefined : yield* files.keep(personOf(chat), key, piece.file)
      if (piece.file !== undefined && file === undefined) return undefined
      const row = yield* rowOf(body, text, key, file)
      const at = yield* Clock.currentTimeMillis
      const turn = "turn" in row ? row.turn : undefined
      const [done] = yield* log.commit([{ chat, body: row, key: `s/${key}`, at, ...present({ turn }) }])
      if (row.row === "host" && row.what === "interrupted") yield* projection.setState(chat, "interrupted")
      return done?.id
    })
    const id = yield* Effect.mapError(outgoing, unreachable)
    return id === undefined ? yield* refused("its file cannot be kept") : { conversation: to, messageId: String(id) }
  })

  const edit: NonNullable<Channel["edit"]> = Effect.fnUntraced(function* ({ conversation, messageId }, { body, text }) {
    if (!admit(conversation)) return yield* gone("chat")
    if (!isBody(body)) return yield* refused("it has the shape of another channel")
    const { chatId: chat } = conversation
    const of = /^\d{1,15}$/.test(messageId) ? Number(messageId) : 0
    const isThere = yield* Effect.mapError(table.get(chat, of), unreachable)
    if (isThere === undefined || isThere.row === "message") return yield* gone("message")
    const row: WebRow = { row: "edited", of, ...contentOf(body, text) }
    const at = yield* Clock.currentTimeMillis
    yield* Effect.mapError(log.commit([{ chat, body: row, at }]), unreachable)
  })

  return { send, edit }
})
