/**
 * Objects of the server have the published types of the Bot API: the compiler is the judge, of the lines above the
 * test.
 */
import type {
  ApiResponse,
  BotCommand,
  CallbackQuery,
  Chat,
  ChatFullInfo,
  ChatMember,
  File,
  Message,
  MessageEntity,
  Update,
  User,
  UserFromGetMe,
  WebhookInfo
} from "@grammyjs/types"
import { expect, it } from "vitest"
import type * as wire from "../../../src/testing/telegram/wire.ts"

/**
 * The published type of a message within a message can have no value where `undefined` and absent differ
 * (`exactOptionalPropertyTypes`): it is compared by itself.
 */
type Alone = wire.ReplyMessage
type Pressed = Omit<wire.CallbackQuery, "message"> & { message: Alone }
type Heard = Omit<wire.Update, "message" | "edited_message" | "callback_query"> & {
  message?: Alone
  edited_message?: Alone & { edit_date: number }
  callback_query?: Pressed
}

const published = {
  answer: (text: wire.Answer): ApiResponse<unknown> => text,
  callbackQuery: (text: Pressed): CallbackQuery => text,
  chat: (text: wire.Chat): Chat => text,
  chatInfo: (text: wire.ChatInfo): ChatFullInfo => text,
  command: (text: wire.Command): BotCommand => text,
  entity: (text: wire.Entity): MessageEntity => text,
  file: (text: wire.File): File => text,
  me: (text: wire.Me): UserFromGetMe => text,
  member: (text: wire.ChatMember): ChatMember => text,
  message: (text: Alone): Message => text,
  update: (text: Heard): Update => text,
  user: (text: wire.User): User => text,
  webhook: (text: wire.WebhookInfo): WebhookInfo => text
}

it("says what the published types say", () => {
  expect(Object.keys(published)).toHaveLength(13)
})
