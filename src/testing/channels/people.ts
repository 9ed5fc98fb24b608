/** Actions of a scripted channel's people: shown at once, and delivered as updates. */
import { writeFileSync } from "node:fs"
import { Clock, Effect } from "effect"
import type { ChannelMessage, MessageAttachment, Sender } from "../../bridge/messages/ChannelMessage.ts"
import type { Conversation } from "../../bridge/messages/Conversation.ts"
import type { Incoming } from "../../bridge/messages/Incoming.ts"
import type { Board, Places } from "./board.ts"
import type { Updates } from "./updates.ts"

export interface SentFile {
  readonly name: string
  readonly content: string | Uint8Array
  /** Default: `document`. */
  readonly kind?: MessageAttachment["kind"]
  readonly mimeType?: string
  readonly caption?: string
}

export interface Saying {
  /** The id of the sender. Default: `ann`. */
  readonly from?: string
  /** Default: the direct chat of the sender. Any other is a group. */
  readonly chat?: string
  readonly thread?: string
  /** Messages with the same one belong together. */
  readonly group?: string
  readonly attachments?: ReadonlyArray<SentFile>
  /** The id of a message. */
  readonly replyTo?: string
  /** Addresses the account. Default: direct messages, and replies to its messages. */
  readonly addressed?: boolean
  /** Default: made of the sender's id. */
  readonly sender?: Partial<Omit<Sender, "id">>
  /** In ms since 1970. Default: now. */
  readonly sentAt?: number
  /** Default: the next one. */
  readonly updateId?: string
}

interface Acting {
  /** The id of a person. Default: `ann`. */
  readonly from?: string
}

export interface Place {
  readonly chat: string
  readonly thread?: string
}

export interface ScriptedPeople {
  /** Sends a message; returns its id. */
  readonly say: (text: string, options?: Saying) => Effect.Effect<string>
  /** Presses a button of a message by its label; returns the id of the press. Throws if the button does not exist. */
  readonly press: (messageId: string, label: string, options?: Acting) => Effect.Effect<string>
  /** Changes a message of a person. */
  readonly edit: (messageId: string, text: string) => Effect.Effect<void>
  /** Takes a message of a person back. */
  readonly withdraw: (messageId: string) => Effect.Effect<void>
  /** The platform's own stop button. */
  readonly stop: (place: Place, options?: Acting) => Effect.Effect<void>
  /** The account is no longer in the chat: nothing can be sent there. */
  readonly leave: (chat: string) => Effect.Effect<void>
  /** Nothing can be sent to a chat until a person writes there. */
  readonly close: (chat: string) => Effect.Effect<void>
  /** Delivers any other update, such as a press without a person, or a receipt. */
  readonly hear: (incoming: Incoming) => Effect.Effect<void>
  /** Repeats an update. */
  readonly again: (updateId: string) => Effect.Effect<void>
}

const senderOf = (id: string, more: Saying["sender"] = {}): Sender => ({ id, name: id, isBot: false, ...more })

export interface PeopleOptions {
  readonly board: Board
  readonly updates: Updates
  readonly places: Places
  readonly conversationOf: (place: Place) => Conversation
}

export const makePeople = ({ board, updates, places, conversationOf }: PeopleOptions) => {
  let [updateIds, presses] = [0, 0]
  const files = new Map<string, SentFile["content"]>()
  const nextUpdate = () => `u${++updateIds}`
  const push = (incoming: Incoming) => Effect.sync(() => updates.push(incoming))
  const attached = ({ name, content, kind = "document", ...more }: SentFile): MessageAttachment => {
    const fileId = `f${files.size + 1}`
    files.set(fileId, content)
    return { kind, fileId, name, bytes: Buffer.byteLength(content), ...more }
  }

  const messageOf = (messageId: string) => {
    const message = board.get(messageId)
    if (message === undefined || message.isOurs) throw new Error(`${messageId} is not a message of a person`)
    return message
  }

  const replyOf = (messageId: string | undefined): Pick<ChannelMessage, "replyTo"> => {
    if (messageId === undefined) return {}
    const to = board.get(messageId)
    return { replyTo: { messageId, ours: to?.isOurs === true, ...(to === undefined ? {} : { text: to.text }) } }
  }

  const say: ScriptedPeople["say"] = Effect.fnUntraced(function* (text, options = {}) {
    const { from = "ann", chat: chatId = from, thread, group, attachments = [], replyTo, sender } = options
    const { updateId = nextUpdate(), sentAt = yield* Clock.currentTimeMillis } = options
    const conversation = conversationOf({ chat: chatId, ...(thread === undefined ? {} : { thread }) })
    const chat = chatId === from ? "direct" : "group"
    places.open(chatId, chat)
    const reply = replyOf(replyTo)
    const message = { conversation, from, isOurs: false, text, isSilent: false, at: sentAt, keys: [] }
    const messageId = board.add({ ...message, ...(replyTo === undefined ? {} : { replyToId: replyTo }) })
    updates.push({
      _tag: "Message",
      message: {
        conversation,
        updateId,
        messageId,
        chat,
        sentAt,
        sender: senderOf(from, sender),
        text,
        attachments: attachments.map(attached),
        addressed: options.addressed ?? (chat === "direct" || reply.replyTo?.ours === true),
        ...reply,
        ...(group === undefined ? {} : { group })
      }
    })
    return messageId
  })

  const by = (from: string, conversation: Conversation) => ({
    conversation,
    updateId: nextUpdate(),
    chat: places.kindOf(conversation.chatId),
    sender: senderOf(from)
  })

  const people: ScriptedPeople = {
    say,
    press: (messageId, label, { from = "ann" } = {}) =>
      Effect.sync(() => {
        const message = board.get(messageId)
        const button = message?.keys.find((key) => key.label === label)
        if (message === undefined || button === undefined) throw new Error(`${messageId} has no button ${label}`)
        const { conversation } = message
        const id = `p${++presses}`
        updates.push({ _tag: "Pressed", ...by(from, conversation), messageId, data: button.data, press: { id } })
        return id
      }),
    edit: (messageId, text) =>
      Effect.sync(() => {
        const { conversation, from } = messageOf(messageId)
        board.change(messageId, { text, isEdited: true })
        updates.push({ _tag: "Edited", ...by(from, conversation), messageId, text })
      }),
    withdraw: (messageId) =>
      Effect.sync(() => {
        const { conversation, from } = messageOf(messageId)
        board.remove(messageId)
        updates.push({ _tag: "Edited", ...by(from, conversation), messageId })
      }),
    stop: (place, { from = "ann" } = {}) =>
      Effect.suspend(() => push({ _tag: "StopAsked", ...by(from, conversationOf(place)) })),
    leave: (chat) =>
      Effect.suspend(() => {
        places.set(chat, "left")
        return push({ _tag: "Left", conversation: conversationOf({ chat }), updateId: nextUpdate() })
      }),
    close: (chat) => Effect.sync(() => places.set(chat, "closed")),
    hear: push,
    again: (updateId) => Effect.sync(() => updates.again(updateId))
  }

  const download = (fileId: string, path: string) => {
    const content = files.get(fileId)
    if (content === undefined) return false
    writeFileSync(path, content)
    return true
  }
  return { people, download }
}
