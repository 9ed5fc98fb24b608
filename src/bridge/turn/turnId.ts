/** The id of the turn that answers a message: the same each time it is asked for. */
import { createHash } from "node:crypto"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"

/** `attempt`: above 0 where a person wants it once more. */
export const turnIdOf = ({ conversation, updateId }: ChannelMessage, attempt = 0): string => {
  const { channel, accountId, chatId } = conversation
  const hash = createHash("sha256").update(JSON.stringify([channel, accountId, chatId, updateId, attempt]))
  return `bridge-${hash.digest("base64url").slice(0, 24)}`
}
