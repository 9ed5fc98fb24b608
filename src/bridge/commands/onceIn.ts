/** A message that names its agent, such as `/codex look at this`; pure. */

import type { Role } from "../access/AccessOptions.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { isPressed } from "../messages/ownMessages.ts"
import type { Command } from "./command.ts"
import { parseCommand } from "./parse.ts"

/**
 * Undefined for others, and for people who may not choose an agent: what waits can be changed after it was looked at. Nor
 * do agents choose another one by the label of a button.
 */
export const onceIn = (
  message: ChannelMessage,
  role: Role,
  agents: ReadonlyArray<string>
): Extract<Command, { readonly _tag: "Once" }> | undefined => {
  if (isPressed(message)) return undefined
  const parsed = parseCommand(message, { role, accounts: [], agents, directories: [] })
  const command = parsed._tag === "Given" ? parsed.command : undefined
  return command?._tag === "Once" ? command : undefined
}
