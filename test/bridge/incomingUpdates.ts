/** Incoming updates of people, in one line each: messages, presses, edits, stops. */
import type { ChannelMessage, Sender } from "../../src/bridge/messages/ChannelMessage.ts"
import type { Conversation } from "../../src/bridge/messages/Conversation.ts"
import type { Incoming } from "../../src/bridge/messages/Incoming.ts"

/** Ids as in Telegram: people are positive numbers, groups negative ones. */
export const account = {
  id: "telegram",
  accountId: "bot",
  isPerson: (id: string) => /^[1-9]\d{0,15}$/.test(id)
}

export const chat = (chatId: string): Conversation => ({ channel: "telegram", accountId: "bot", chatId })

export const person = (id: string, more: Partial<Sender> = {}): Sender => ({ id, isBot: false, ...more })

let updates = 0

/** A message in the direct chat of its sender. */
export const content = (text: string, from: Sender, more: Partial<ChannelMessage> = {}): ChannelMessage => {
  updates += 1
  return {
    conversation: chat(from.id),
    updateId: String(updates),
    messageId: `m${updates}`,
    chat: "direct",
    sentAt: 1,
    sender: from,
    text,
    attachments: [],
    addressed: true,
    ...more
  }
}

/** Each kind of update from a person. */
export const ways: ReadonlyArray<readonly [name: string, of: (message: ChannelMessage) => Incoming & FromPerson]> = [
  ["a message", (message) => ({ _tag: "Message", message })],
  ["an edit", (message) => ({ _tag: "Edited", ...from(message), messageId: "m1", text: message.text })],
  ["a press", (message) => ({ _tag: "Pressed", ...from(message), data: "r:AAAA:allow", press: null })],
  ["a stop", (message) => ({ _tag: "StopAsked", ...from(message) })]
]

type FromPerson = { readonly _tag: "Message" | "Edited" | "Pressed" | "StopAsked" }

const from = ({ conversation, updateId, chat, sender }: ChannelMessage) => ({ conversation, updateId, chat, sender })
