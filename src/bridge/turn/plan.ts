/** Settings of the chat and options of the bridge → the agent of its turns, and their parameters; pure. */
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { ChatSettings } from "../ChatSettings.ts"
import type { Conversation } from "../messages/Conversation.ts"

/** Escapes the separator, so that different chats have different texts. */
const part = (id: string) => id.replaceAll("%", "%25").replaceAll("/", "%2F")

/** The ledger account of a chat. */
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

/** Tells hooks and plugins of the agent that it runs for people of a chat. */
const flag = { REINS_SESSION: "1" } as const

/** A chosen agent or directory that the bridge no longer has is ignored. */
export const planOf = ({ agents, agent, directories, directory }: CheckedOptions, chosen: ChatSettings): TurnPlan => {
  const known = [chosen.directory, directory].find((name) => name !== undefined && Object.hasOwn(directories, name))
  const place = known === undefined ? undefined : directories[known]
  const name = chosen.agent ?? place?.agent ?? agent
  const model = chosen.model ?? place?.model
  const permissionMode = chosen.planMode === "on" ? "plan" : (chosen.mode ?? place?.permissionMode)
  return {
    agent: Object.hasOwn(agents, name) ? name : agent,
    params: {
      env: flag,
      ...(place === undefined ? {} : { workingDirectory: place.path }),
      ...(model === undefined ? {} : { model }),
      ...(permissionMode === undefined ? {} : { permissionMode }),
      ...(chosen.effort === undefined ? {} : { effort: chosen.effort })
    }
  }
}
