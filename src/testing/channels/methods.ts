/** The channel itself. Missing abilities are absent. */
import { Clock, Effect, Schema } from "effect"
import type { Channel, ChannelLimits } from "../../bridge/messages/Channel.ts"
import type { Conversation } from "../../bridge/messages/Conversation.ts"
import type { Piece } from "../../bridge/messages/ReplyPayload.ts"
import { SendError, type SendReason } from "../../bridge/messages/SendError.ts"
import type { makeAttempts } from "./attempt.ts"
import type { Board, Places } from "./board.ts"
import { Body, render } from "./body.ts"
import { brokenBy } from "./rules.ts"
import type { Updates } from "./updates.ts"

/** Abilities that a channel may lack. Without `confirmation` it is read from the stored mark on. */
export type ScriptedLack = "edit" | "remove" | "find" | "confirmation" | "buttons" | "download"

/** An answer to a press. */
export interface Acknowledgement {
  /** The id of the press. */
  readonly press: string
  readonly text?: string
}

export interface ChannelParts {
  readonly id: string
  readonly accountId: string
  readonly limits: ChannelLimits
  readonly has: (what: ScriptedLack) => boolean
  readonly attempts: ReturnType<typeof makeAttempts>
  readonly places: Places
  readonly board: Board
  readonly updates: Updates
  readonly acknowledgements: Array<Acknowledgement>
  /** Returns false if the file does not exist. */
  readonly download: (fileId: string, path: string) => boolean
}

const isBody = Schema.is(Body)
const isPress = Schema.is(Schema.Struct({ id: Schema.String }))
const fail = (reason: SendReason) => Effect.fail(new SendError({ reason }))

export const makeChannel = (parts: ChannelParts): Channel => {
  const { id, accountId, limits, has, places, board, acknowledgements } = parts
  const { attempt, violate } = parts.attempts

  /** Returns the body, if it breaks no rule. */
  const admit = Effect.fnUntraced(function* (to: Conversation, { body, file }: Piece) {
    const isOwn = isBody(body) && to.channel === id && to.accountId === accountId
    const broken = isOwn
      ? brokenBy(body, file !== undefined, limits)
      : ({ rule: "foreign", detail: "a body or conversation of another channel" } as const)
    if (isOwn && broken === undefined) {
      const refusal = places.refusal(to.chatId)
      return refusal === undefined ? body : yield* fail(refusal)
    }
    if (broken !== undefined) yield* violate(broken)
    return yield* fail({ _tag: "Refused", description: broken?.detail ?? "" })
  })

  const send: Channel["send"] = (to, piece, key) =>
    attempt(
      { method: "send", conversation: to },
      Effect.gen(function* () {
        const { text, buttons, replyToId, silent = false } = yield* admit(to, piece)
        const at = yield* Clock.currentTimeMillis
        const messageId = board.add({
          ...{ conversation: to, from: accountId, isOurs: true, text, isSilent: silent, at, key, keys: buttons.flat() },
          ...(replyToId === undefined ? {} : { replyToId }),
          ...(piece.file === undefined ? {} : { file: piece.file })
        })
        return { conversation: to, messageId }
      })
    )

  const edit: Channel["edit"] = ({ conversation, messageId }, piece) =>
    attempt(
      { method: "edit", conversation },
      Effect.gen(function* () {
        const { text, buttons } = yield* admit(conversation, piece)
        const message = board.get(messageId)
        if (message?.isOurs !== true) return yield* fail({ _tag: "Gone", what: "message" })
        board.change(messageId, { text, keys: buttons.flat(), isEdited: true })
      })
    )

  const acknowledge: Channel["acknowledge"] = ({ press }, text) =>
    attempt(
      { method: "acknowledge" },
      Effect.suspend(() => {
        const of = isPress(press) ? press.id : ""
        const isAgain = acknowledgements.some((each) => each.press === of)
        acknowledgements.push({ press: of, ...(text === undefined ? {} : { text }) })
        return isAgain ? violate({ rule: "acknowledged twice", detail: of }) : Effect.void
      })
    ).pipe(Effect.ignore)

  const remove: Channel["remove"] = ({ conversation, messageId }) =>
    attempt(
      { method: "remove", conversation },
      Effect.sync(() => board.remove(messageId))
    )

  const find: Channel["find"] = (conversation, _piece, key, after) =>
    attempt(
      { method: "find", conversation },
      Effect.sync(() => {
        const found = board.find(conversation, key, after)
        return found && { conversation, messageId: found.messageId }
      })
    )

  const download: Channel["download"] = (fileId, path) =>
    attempt(
      { method: "download" },
      Effect.suspend(() => (parts.download(fileId, path) ? Effect.void : fail({ _tag: "Gone", what: "message" })))
    )

  return {
    id,
    accountId,
    limits,
    isPerson: (person) => /^[\w.-]{1,64}$/.test(person),
    incoming: parts.updates.incoming,
    render: render(limits),
    send,
    acknowledge,
    check: Effect.succeed([{ level: "ok", message: `${id}: a scripted channel` }]),
    ...(has("edit") ? { edit } : {}),
    ...(has("remove") ? { remove } : {}),
    ...(has("find") ? { find } : {}),
    ...(has("download") ? { download } : {})
  }
}
