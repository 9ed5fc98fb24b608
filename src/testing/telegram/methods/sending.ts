/** Methods that put a message into a chat: texts, files, albums, drafts, and typing indicators. */
import { mediaOf } from "../files.ts"
import { keyboardOf } from "../keyboard.ts"
import { chatActions, limits, reactions } from "../limits.ts"
import { flagOf, integerOf, isRecord, jsonOf, textOf } from "../params.ts"
import { badRequest, beyond } from "../refusal.ts"
import { caption, draftText, messageText } from "../texts.ts"
import type { Method } from "../world.ts"
import { chatFor, paced, sendTo, targetOf } from "./place.ts"

const sendMessage: Method = (world, { params }) => {
  const text = messageText(params)
  const keyboard = keyboardOf(params)
  const target = targetOf(world, params)
  paced(world, target.chat)
  return sendTo(world, target, { ...text, keyboard })
}

const sendFile =
  (kind: "document" | "photo"): Method =>
  (world, { params, uploads }) => {
    const text = caption(params)
    const keyboard = keyboardOf(params)
    const target = targetOf(world, params)
    const file = world.files.sent(kind, params[kind], uploads, kind)
    paced(world, target.chat)
    return sendTo(world, target, { ...text, keyboard, file })
  }

const sendMediaGroup: Method = (world, { params, uploads }) => {
  const value = jsonOf(params, "media")
  if (!Array.isArray(value)) throw badRequest("can't parse media: expected an Array of InputMedia")
  const { least, most } = limits.album
  if (value.length < least || value.length > most) throw beyond("wrong number of items in the album")
  const media = value.map(mediaOf)
  const kinds = new Set(media.map(({ kind }) => kind))
  if (kinds.size > 1) throw badRequest("documents can't be mixed with other media types")
  const target = targetOf(world, params)
  const messages = media.map(({ kind, media: from, params: own }) => ({
    ...caption(own),
    file: world.files.sent(kind, from, uploads, "")
  }))
  // Each message of an album counts.
  paced(world, target.chat, messages.length)
  const album = world.chats.newAlbum()
  return messages.map((message) => sendTo(world, target, { ...message, album }))
}

/** Whether drafts count to the pace is not published: they do here. The words of its refusals are guesses. */
const sendMessageDraft: Method = (world, { params }) => {
  const text = draftText(params)
  const draftId = integerOf(params, "draft_id") ?? 0
  if (draftId === 0) throw beyond("draft_id must be non-zero")
  const { chat, more } = targetOf(world, params)
  if (chat.kind !== "private") throw badRequest("drafts can be sent only to private chats")
  paced(world, chat)
  const stop = { canStop: flagOf(params, "can_stop"), staysOnStop: flagOf(params, "keep_on_stop") }
  world.drafts.show(chat, { ...text, ...stop, draftId, ...(more.thread === undefined ? {} : { thread: more.thread }) })
  return true
}

const sendChatAction: Method = (world, { params }) => {
  const action = textOf(params, "action")
  if (!chatActions.has(action)) throw badRequest("wrong parameter action in request")
  chatFor(world, params)
  return true
}

const setMessageReaction: Method = (world, { params }) => {
  const chat = chatFor(world, params)
  const message = world.chats.messageOf(chat, integerOf(params, "message_id"))
  if (message === undefined) throw badRequest("message to react not found")
  const value = jsonOf(params, "reaction") ?? []
  if (!Array.isArray(value)) throw badRequest("can't parse reaction types JSON object")
  const emoji = value.map((each: unknown) => (isRecord(each) ? textOf(each, "emoji") : ""))
  if (emoji.some((each) => !reactions.has(each))) throw badRequest("REACTION_INVALID")
  // Bots are not premium users: one reaction a message.
  if (emoji.length > 1) throw badRequest("REACTIONS_TOO_MANY")
  message.reactions = emoji
  return true
}

export const sending = {
  sendMessage,
  sendDocument: sendFile("document"),
  sendPhoto: sendFile("photo"),
  sendMediaGroup,
  sendMessageDraft,
  sendChatAction,
  setMessageReaction
}
