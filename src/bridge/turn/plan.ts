/** What a chat has chosen, and what the bridge was given → the agent of its turns, and their parameters; pure. */
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { ChatSettings } from "../ChatSettings.ts"
import type { Conversation } from "../messages/Conversation.ts"

/** Ids of no two chats make the same text. */
const part = (id: string) => id.replaceAll("%", "%25").replaceAll("/", "%2F")

/** To whom runs for a chat belong, in the ledger. */
export const accountOf = ({ channel, accountId, chatId }: Conversation) => ({
  user: [channel, accountId, chatId].map(part).join("/")
})

export interface TurnPlan {
  readonly agent: string
  readonly params: Pick<
    AgentOpenParams,
    "additionalDirectories" | "workingDirectory" | "model" | "permissionMode" | "effort" | "env"
  >
}

/** Says that it runs for people of a chat, so that hooks and plugins of the agent can adapt. */
const flag = { REINS_SESSION: "1" } as const

/** A choice that the bridge no longer has counts as none. */
export const planOf = ({ agents, agent, directories, directory }: CheckedOptions, chosen: ChatSettings): TurnPlan => {
  const known = [chosen.directory, directory].find((name) => name !== undefined && Object.hasOwn(directories, name))
  const place = known === undefined ? undefined : directories[known]
  const wanted = chosen.agent ?? place?.agent ?? agent
  const model = chosen.model ?? place?.model
  const permissionMode = chosen.planMode === "on" ? "plan" : (chosen.mode ?? place?.permissionMode)
  return {
    agent: Object.hasOwn(agents, wanted) ? wanted : agent,
    params: {
      env: flag,
      ...(place === undefined ? {} : { workingDirectory: place.path }),
      ...(model === undefined ? {} : { model }),
      ...(permissionMode === undefined ? {} : { permissionMode }),
      ...(chosen.effort === undefined ? {} : { effort: chosen.effort })
    }
  }
}
