/** The commands of the bridge in the menu of the chat. A menu is no reason to fail. */
import { Effect } from "effect"
import { commandsFor } from "../../bridge/commands/table.ts"
import type { Client } from "./calls/client.ts"

export const offerMenu = ({ call }: Pick<Client, "call">): Effect.Effect<void> =>
  call("setMyCommands", {
    commands: commandsFor("owner").map(({ name, does }) => ({ command: name, description: does }))
  }).pipe(
    Effect.catch((failure) =>
      Effect.logDebug("the menu of commands could not be set", {
        reason: failure._tag === "Refused" ? failure.description : failure._tag
      })
    )
  )
