/**
 * The conversations of this machine, and those of other homes, whose turns run there. Tools, hooks and rules that are
 * functions of this machine are not sent along.
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

/** Leaves out tools, hooks, and rules that ask a function. */
const portable = <Params extends object>(params: Params): Params => {
  const { tools: _, hooks: __, ...rest }: Record<string, unknown> = { ...(params as object) }
  const approvals = Array.isArray(rest["approvals"])
    ? rest["approvals"].filter((rule) => Predicate.isObject(rule) && Result.isSuccess(portableParams({ rule })))
    : undefined
  return { ...rest, ...(approvals === undefined ? {} : { approvals }) } as Params // without what only a host has
}

/** `far` is made with the first conversation of another home. */
export const withElsewhere = (store: OpenStore, cli: string, near: Service, far: Effect.Effect<Service>): Service => {
  /** Returns undefined for a conversation of this home, a new one, or a failure of the store, which the run then reports. */
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
    run: (params, options) =>
      chosen(params, (service, isFar) => service.run(isFar ? portable(params) : params, options)),
    execute: (params) =>
      Stream.unwrap(
        Effect.map(elsewhere(params), (found) =>
          found === undefined ? near.execute(params) : found.execute(portable(params))
        )
      ),
    open: (params) => chosen(params, (service, isFar) => service.open(isFar && params ? portable(params) : params))
  }
}
