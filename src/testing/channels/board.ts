/** Messages as people see them, in order. */
import { type Conversation, conversationText } from "../../bridge/messages/Conversation.ts"
import type { Button } from "../../bridge/messages/ReplyPayload.ts"
import type { SendReason } from "../../bridge/messages/SendError.ts"

type State = "open" | "closed" | "left"

export const makePlaces = () => {
  const states = new Map<string, State>()
  const groups = new Set<string>()
  return {
    /** A person writes there. */
    open: (chatId: string, kind: "direct" | "group") => {
      if (kind === "group") groups.add(chatId)
      states.set(chatId, "open")
    },
    set: (chatId: string, state: State) => {
      states.set(chatId, state)
    },
    kindOf: (chatId: string): "direct" | "group" => (groups.has(chatId) ? "group" : "direct"),
    /** Reason why nothing can be sent there. */
    refusal: (chatId: string): SendReason | undefined => {
      const state = states.get(chatId)
      if (state === "left") return { _tag: "Gone", what: "chat" }
      return state === "closed" ? { _tag: "Closed" } : undefined
    }
  }
}

/** The chats of a scripted channel: their kinds, and whether they take messages. */
export type Places = ReturnType<typeof makePlaces>

export interface ShownMessage {
  readonly messageId: string
  /** The id of its sender. */
  readonly from: string
  /** Whether the account sent it. */
  readonly isOurs: boolean
  readonly text: string
  /** The labels of its buttons. */
  readonly buttons: ReadonlyArray<string>
  readonly isEdited: boolean
  readonly isSilent: boolean
  /** In ms since 1970. */
  readonly at: number
  readonly replyToId?: string
  /** The path of the file that came with it. */
  readonly file?: string
  /** The key of a message of the account. */
  readonly key?: string
}

/** A message with its hidden parts. */
export interface KeptMessage extends ShownMessage {
  readonly conversation: Conversation
  readonly keys: ReadonlyArray<Button>
}

const shownOf = ({ conversation: _, keys, ...message }: KeptMessage): ShownMessage => ({
  ...message,
  buttons: keys.map(({ label }) => label)
})

export const makeBoard = () => {
  let all: ReadonlyArray<KeptMessage> = []
  let ids = 0
  const isIn = (conversation: Conversation) => {
    const name = conversationText(conversation)
    return (message: KeptMessage) => conversationText(message.conversation) === name
  }
  return {
    add: (message: Omit<KeptMessage, "messageId" | "buttons" | "isEdited">): string => {
      const messageId = `m${++ids}`
      all = [...all, { ...message, messageId, buttons: [], isEdited: false }]
      return messageId
    },
    /** Returns undefined if it does not exist. */
    get: (messageId: string): KeptMessage | undefined => all.find((message) => message.messageId === messageId),
    change: (messageId: string, change: Partial<KeptMessage>) => {
      all = all.map((message) => (message.messageId === messageId ? { ...message, ...change } : message))
    },
    remove: (messageId: string) => {
      all = all.filter((message) => message.messageId !== messageId)
    },
    in: (conversation: Conversation): ReadonlyArray<ShownMessage> => all.filter(isIn(conversation)).map(shownOf),
    /** Finds a message of the account by its key, after another message. */
    find: (conversation: Conversation, key: string, after: string | undefined): KeptMessage | undefined => {
      const own = all.filter(isIn(conversation))
      const from = after === undefined ? 0 : own.findIndex(({ messageId }) => messageId === after) + 1
      return own.slice(from).find((message) => message.key === key)
    }
  }
}

export type Board = ReturnType<typeof makeBoard>
