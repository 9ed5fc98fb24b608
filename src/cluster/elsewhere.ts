/**
 * The conversations of this machine, but for those whose home is another one: these are asked there. What only this machine
 * has stays here: its tools and hooks, and rules that are functions.
 */
import { Effect, Predicate, Result, Stream } from "effect"
import type { AgentError } from "../contract/AgentError.ts"
import type { Sessions } from "../conversations/Sessions.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { conversationKey, keyText } from "../conversations/turns/conversationKey.ts"
import { sessionOfConversation } from "../conversations/turns/sessionRows.ts"
import { portableParams } from "./storedParams.ts"

type Service = Sessions["Service"]

const keyIn = (params: unknown) => {
  const conversation: unknown = Predicate.hasProperty(params, "conversation") ? params.conversation : undefined
  return conversation === undefined ? undefined : Result.getOrUndefined(conversationKey(conversation))
}

/** A rule that asks a function of this machine cannot go. */
const sent = <Params extends object>(params: Params): Params => {
  const { tools: _, hooks: __, ...rest }: Record<string, unknown> = { ...(params as object) }
  const approvals = Array.isArray(rest["approvals"])
    ? rest["approvals"].filter((rule) => Predicate.isObject(rule) && Result.isSuccess(portableParams({ rule })))
    : undefined
  return { ...rest, ...(approvals === undefined ? {} : { approvals }) } as Params // without what only a host has
}

/** `far` is made when a conversation is elsewhere for the first time. */
export const withElsewhere = (store: OpenStore, cli: string, near: Service, far: Effect.Effect<Service>): Service => {
  /** Returns undefined if it is here, or does not exist. The store's failure says why it cannot be asked. */
  const elsewhere = (params: unknown) =>
    Effect.gen(function* () {
      const key = keyIn(params)
      if (key === undefined || (Predicate.hasProperty(params, "fresh") && params.fresh === true)) return undefined
      const session = yield* sessionOfConversation(store, keyText(key), cli)
      if (session === undefined || session.home === store.home) return undefined
      return yield* far
    }).pipe(Effect.orElseSucceed(() => undefined))
  const chosen = <A, R>(params: unknown, use: (service: Service, isFar: boolean) => Effect.Effect<A, AgentError, R>) =>
    Effect.flatMap(elsewhere(params), (found) => (found === undefined ? use(near, false) : use(found, true)))
  return {
    ...near,
    run: (params, options) => chosen(params, (service, isFar) => service.run(isFar ? sent(params) : params, options)),
    execute: (params) =>
      Stream.unwrap(
        Effect.map(elsewhere(params), (found) =>
          found === undefined ? near.execute(params) : found.execute(sent(params))
        )
      ),
    open: (params) => chosen(params, (service, isFar) => service.open(isFar && params ? sent(params) : params))
  }
}
