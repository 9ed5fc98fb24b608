/** The web page for `reins serve`: the one file that knows how the channel is made. */
import { Effect, type Scope } from "effect"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { WebChat } from "../../channels/web/WebChat.ts"
import type { WebAgent, WebBudget, WebDirectory } from "../../channels/web/WebChatOptions.ts"
import type { ListenRefused, PortTaken, WebListenOptions } from "../../channels/web/WebListenOptions.ts"
import type { InvalidParams } from "../../contract/AgentError.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { Store } from "../../conversations/store/Store.ts"

export type { PortTaken, WebAgent, WebBudget }

type Listening = Required<Pick<WebListenOptions, "host" | "hosts" | "port" | "title" | "allowRemote">>

export interface WebOptions extends Listening, Pick<WebListenOptions, "accountId" | "group" | "tls"> {
  readonly key: string
  readonly agents: Effect.Effect<ReadonlyArray<WebAgent>>
  readonly directories: () => ReadonlyArray<WebDirectory>
  readonly budget: Effect.Effect<WebBudget | undefined>
}

export interface ServedWeb {
  readonly channel: Channel
  /** Has the key in it. */
  readonly url: string
  readonly port: number
}

/** The user with the key. */
export const ownerId = "you"

type OpenError = PortTaken | ListenRefused | StoreError | InvalidParams

export const openWeb = (all: WebOptions): Effect.Effect<ServedWeb, OpenError, Scope.Scope | Store> => {
  const { key, agents, directories, budget, ...options } = all
  return WebChat.listen({
    ...options,
    token: key,
    person: { id: ownerId, name: "You" },
    agents: () => agents,
    directories: () => Effect.succeed(directories()),
    budget: () => budget
  })
}
