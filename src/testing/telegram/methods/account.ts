/** Requests about the bot itself, its chats and files, its commands and webhook, and answers to presses. */
import { limits } from "../limits.ts"
import { chatOf, memberOf } from "../messages.ts"
import { flagOf, integerOf, isRecord, jsonOf, type Params, textOf } from "../params.ts"
import { badRequest, beyond } from "../refusal.ts"
import type { ChatInfo, ChatMember, Command, File, Me, WebhookInfo } from "../wire.ts"
import type { Method, MethodInput, TelegramCommand, World } from "../world.ts"
import { chatFor } from "./place.ts"

const getMe = ({ me, privacyMode }: World): Me => ({
  ...me,
  is_bot: true,
  can_join_groups: true,
  can_read_all_group_messages: !privacyMode,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
  has_topics_enabled: false,
  allows_users_to_create_topics: false,
  can_manage_bots: false,
  supports_join_request_queries: false
})

const getChat = (world: World, { params }: MethodInput): ChatInfo => {
  const chat = chatFor(world, params, "read")
  const gifts = { unlimited_gifts: false, limited_gifts: false, unique_gifts: false }
  return {
    ...chatOf(chat),
    accent_color_id: 0,
    max_reaction_count: 11,
    accepted_gift_types: { ...gifts, premium_subscription: false, gifts_from_channels: false }
  }
}

const getChatMember = (world: World, { params }: MethodInput): ChatMember => {
  const chat = chatFor(world, params, "read")
  const id = integerOf(params, "user_id")
  if (id === world.me.id) return memberOf(chat.bot, world.me)
  const user = world.chats.userOf(chat, id)
  if (user === undefined) throw badRequest("PARTICIPANT_ID_INVALID")
  return memberOf(chat.gone.has(user.id) ? "left" : "member", user)
}

const getFile = ({ files }: World, { params }: MethodInput): File => files.describe(textOf(params, "file_id"))

const answerCallbackQuery: Method = ({ presses, acknowledgements, clock }, { params }) => {
  const [id, text] = [textOf(params, "callback_query_id"), textOf(params, "text")]
  if (text.length > limits.acknowledgement) throw beyond("MESSAGE_TOO_LONG")
  const press = presses.get(id)
  if (press === undefined || press.isAnswered || press.until <= clock.now())
    throw badRequest("query is too old and response timeout expired or query ID is invalid")
  press.isAnswered = true
  acknowledgements.push({ press: id, text, isAlert: flagOf(params, "show_alert"), at: clock.now() })
  return true
}

/** All chats, unless a scope says more (api#botcommandscope). */
export const commandScope = (scope: unknown, language: string): string =>
  JSON.stringify([isRecord(scope) ? Object.entries(scope).sort() : [["type", "default"]], language])

const scopeOf = (params: Params) => commandScope(jsonOf(params, "scope"), textOf(params, "language_code"))

const commandOf = (value: unknown): TelegramCommand => {
  if (!isRecord(value)) throw badRequest("can't parse BotCommand: it must be an Object")
  const [command, description] = [textOf(value, "command").replace(/^\//, ""), textOf(value, "description")]
  if (!limits.commands.name.test(command)) throw beyond("BOT_COMMAND_INVALID")
  if (description === "" || description.length > limits.commands.description)
    throw beyond("BOT_COMMAND_DESCRIPTION_INVALID")
  return { command, description }
}

const setMyCommands: Method = ({ commands }, { params }) => {
  const input = jsonOf(params, "commands")
  if (!Array.isArray(input)) throw badRequest("can't parse commands: expected an Array of BotCommand")
  if (input.length > limits.commands.most) throw beyond("BOT_COMMANDS_TOO_MUCH")
  commands.set(scopeOf(params), input.map(commandOf))
  return true
}

const deleteMyCommands: Method = ({ commands }, { params }) => {
  commands.delete(scopeOf(params))
  return true
}

const getMyCommands = ({ commands }: World, { params }: MethodInput): ReadonlyArray<Command> =>
  commands.get(scopeOf(params)) ?? []

const getUpdates: Method = ({ updates }, { params, left }) => updates.poll(params, left)

const hook = ({ updates }: World, params: Params, url: string) => {
  updates.hook(url, flagOf(params, "drop_pending_updates"))
  return true
}

const getWebhookInfo = ({ updates }: World): WebhookInfo => ({
  url: updates.webhook(),
  has_custom_certificate: false,
  pending_update_count: updates.pending().length
})

export const account = {
  getMe,
  getChat,
  getChatMember,
  getFile,
  answerCallbackQuery,
  setMyCommands,
  deleteMyCommands,
  getMyCommands,
  getUpdates,
  getWebhookInfo,
  setWebhook: ((world, { params }) => hook(world, params, textOf(params, "url"))) satisfies Method,
  deleteWebhook: ((world, { params }) => hook(world, params, "")) satisfies Method
}
