/** Methods that change or remove an existing message (api#updating-messages). */
import { isDeepStrictEqual } from "node:util"
import type { Kept, KeptChat } from "../chats.ts"
import { keyboardOf } from "../keyboard.ts"
import { limits } from "../limits.ts"
import { messageOf } from "../messages.ts"
import { integerOf, type Params } from "../params.ts"
import { badRequest } from "../refusal.ts"
import { messageText } from "../texts.ts"
import type { Keyboard } from "../wire.ts"
import type { Method, World } from "../world.ts"
import { chatFor, paced } from "./place.ts"

const same =
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"

const own = (world: World, params: Params) => {
  const chat = chatFor(world, params)
  const message = world.chats.messageOf(chat, integerOf(params, "message_id"))
  if (message === undefined) throw badRequest("message to edit not found")
  if (!message.isOurs) throw badRequest("message can't be edited")
  return { chat, message }
}

interface Change {
  readonly text: string
  readonly entities: Kept["entities"]
  /** Undefined removes the buttons. */
  readonly keyboard: Keyboard | undefined
}

const change = (world: World, chat: KeptChat, message: Kept, to: Change) => {
  paced(world, chat)
  const { text, entities, keyboard } = message
  if (isDeepStrictEqual({ text, entities, keyboard }, to)) throw badRequest(same)
  Object.assign(message, to, { editedAt: world.clock.now() })
  return messageOf(world.chats, chat, message)
}

const editMessageText: Method = (world, { params }) => {
  const { text, entities } = messageText(params)
  const keyboard = keyboardOf(params)
  const { chat, message } = own(world, params)
  if (message.file !== undefined) throw badRequest("the message to edit has no text")
  return change(world, chat, message, { text, entities, keyboard })
}

const editMessageReplyMarkup: Method = (world, { params }) => {
  const keyboard = keyboardOf(params)
  const { chat, message } = own(world, params)
  const { text, entities } = message
  return change(world, chat, message, { text, entities, keyboard })
}

const deleteMessage: Method = (world, { params }) => {
  const chat = chatFor(world, params)
  const message = world.chats.messageOf(chat, integerOf(params, "message_id"))
  if (message === undefined) throw badRequest("message to delete not found")
  const { isOurs, at, messageId } = message
  if (at <= world.clock.now() - limits.deletableMs) throw badRequest("message can't be deleted for everyone")
  if (!isOurs && chat.kind !== "private" && chat.bot !== "administrator") throw badRequest("message can't be deleted")
  world.chats.remove(chat, messageId)
  return true
}

export const changing = { editMessageText, editMessageReplyMarkup, deleteMessage }
