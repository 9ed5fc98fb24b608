/** Objects of the server have the published types of Discord: the compiler is the judge, of the lines above the test. */
import type {
  APIAttachment,
  APIButtonComponentWithCustomId,
  APIMessage,
  APIUser,
  GatewayMessageCreateDispatchData
} from "discord-api-types/v10"
import { expect, it } from "vitest"
import type * as wire from "../../../src/testing/discord/wire.ts"

type Words = "id" | "channel_id" | "content" | "timestamp" | "edited_timestamp" | "tts" | "mention_everyone"
type More = "mention_roles" | "pinned" | "flags" | "embeds"

const published = {
  user: (user: wire.User): APIUser => user,
  attachment: (file: wire.Attachment): APIAttachment => file,
  button: (button: wire.Button): Pick<APIButtonComponentWithCustomId, "custom_id" | "label"> => button,
  message: (message: wire.Message): Pick<APIMessage, Words | More> => message,
  author: (message: wire.Message): APIMessage["author"] => message.author,
  type: (message: wire.Message): APIMessage["type"] => message.type,
  nonce: (message: wire.MessageEvent): Pick<GatewayMessageCreateDispatchData, "guild_id" | "nonce"> => message
}

it("has the published types", () => {
  expect(Object.keys(published)).toHaveLength(7)
})
