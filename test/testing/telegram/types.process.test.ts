/** What the server says has the published types of the Bot API: the compiler is the judge, of the lines above the test. */
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
  answer: (said: wire.Answer): ApiResponse<unknown> => said,
  callbackQuery: (said: Pressed): CallbackQuery => said,
  chat: (said: wire.Chat): Chat => said,
  chatInfo: (said: wire.ChatInfo): ChatFullInfo => said,
  command: (said: wire.Command): BotCommand => said,
  entity: (said: wire.Entity): MessageEntity => said,
  file: (said: wire.File): File => said,
  me: (said: wire.Me): UserFromGetMe => said,
  member: (said: wire.ChatMember): ChatMember => said,
  message: (said: Alone): Message => said,
  update: (said: Heard): Update => said,
  user: (said: wire.User): User => said,
  webhook: (said: wire.WebhookInfo): WebhookInfo => said
}

it("says what the published types say", () => {
  expect(Object.keys(published)).toHaveLength(13)
})
