/** Outgoing messages → rows, deduplicated by key. A streamed answer is not shown a second time: its row confirms it. */
import { Clock, Effect, Predicate, Schema } from "effect"
import { blocksOf } from "../../bridge/format/blocks.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { interruptedChoice } from "../../bridge/messages/interrupted.ts"
import { schedulePrefix } from "../../bridge/messages/ownMessages.ts"
import { Button } from "../../bridge/messages/ReplyPayload.ts"
import { SendError } from "../../bridge/messages/SendError.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { Files } from "./files.ts"
import { isId } from "./ids.ts"
import { streamedText, wasStreamed } from "./rows/compact.ts"
import { idOf, personOf } from "./rows/conversationTable.ts"
import type { RowFile, WebRow } from "./rows/row.ts"
import type { RowLog } from "./rows/rowLog.ts"
import type { RowTable } from "./rows/rowTable.ts"
import type { TurnProjection } from "./turnProjection.ts"

/** A piece in the web channel's own shape. */
export const Body = Schema.Struct({
  text: Schema.String,
  buttons: Schema.optionalKey(Schema.Array(Schema.Array(Button))),
  isError: Schema.optionalKey(Schema.Literal(true))
})
export type Body = typeof Body.Type
const isBody = Schema.is(Body)

export interface OutgoingOptions {
  readonly channel: Pick<Channel, "id" | "accountId">
  readonly log: RowLog
  readonly table: RowTable
  readonly files: Pick<Files, "keep">
  readonly seen: Pick<TurnProjection, "setState">
}

const refused = (description: string) => new SendError({ reason: { _tag: "Refused", description } })
const gone = (what: "chat" | "message") => new SendError({ reason: { _tag: "Gone", what } })
/** Surely not done: a transaction is whole, and its key makes a second one nothing. */
const unreachable = (_: StoreError) => new SendError({ reason: { _tag: "Unreachable" } })

const turnKey = /^(bridge-[\w-]{24})\//

export const makeOutgoing = ({ channel, log, table, files, seen: projection }: OutgoingOptions) => {
  const saidRow = (body: Body, text: string) => ({
    text,
    blocks: blocksOf(body.text),
    ...(body.buttons === undefined || body.buttons.length === 0 ? {} : { buttons: body.buttons })
  })

  const rowOf = Effect.fnUntraced(function* (body: Body, text: string, key: string, file: RowFile | undefined) {
    const visible = saidRow(body, text)
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
    // The bridge asks about a plan for later.
    if (key.startsWith(schedulePrefix)) return { row: "host", what: "notice", ...visible } satisfies WebRow
    // Commands' answers and hints have a list as their key.
    if (file === undefined && key.startsWith("[") && body.buttons === undefined) {
      return { row: "host", what: "notice", ...visible } satisfies WebRow
    }
    const error = body.isError === undefined ? {} : { isError: true as const }
    const rest = { ...(turn === undefined ? {} : { turn }), ...(file === undefined ? {} : { file }), ...error }
    return { row: "said", key, ...rest, ...visible } satisfies WebRow
  })

  const admit = (to: { readonly channel: string; readonly accountId: string; readonly chatId: string }) =>
    to.channel === channel.id &&
    to.accountId === channel.accountId &&
    personOf(to.chatId) !== "" &&
    isId(idOf(to.chatId))

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
      const turn = Predicate.hasProperty(row, "turn") && typeof row.turn === "string" ? { turn: row.turn } : {}
      const [done] = yield* log.commit([{ chat, body: row, key: `s/${key}`, at, ...turn }])
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
    const row: WebRow = { row: "edited", of, ...saidRow(body, text) }
    const at = yield* Clock.currentTimeMillis
    yield* Effect.mapError(log.commit([{ chat, body: row, at }]), unreachable)
  })

  return { send, edit }
}
