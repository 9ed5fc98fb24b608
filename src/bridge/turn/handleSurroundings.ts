/** Surroundings of `handle` turns in conversations that are not served: tools, if the application delivers their messages. */
import { Effect, type Scope } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { GatewayTarget, GatewayTurn, Outlet } from "../gateway/gatewayContext.ts"
import { gatewayTools } from "../gateway/gatewayTools.ts"
import { makeOwnDelivery } from "../gateway/OwnDelivery.ts"
import { effectsOf } from "../gateway/sideEffects.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import { alone, type Surroundings } from "./core.ts"

/** @param outletOf The outlet of a served account. */
export const makeHandleSurroundings = Effect.fn(...untraced("HandleSurroundings.makeHandleSurroundings"))(function* (
  { deliver, gateway }: CheckedOptions,
  outletOf: (conversation: Conversation) => Outlet | undefined
): Effect.fn.Return<Surroundings, never, Scope.Scope> {
  if (deliver === undefined) return alone
  const { outlet, drain } = yield* makeOwnDelivery(deliver)
  const runningTurns = new Map<string, GatewayTurn>()
  const { profile, aliases } = gateway
  const targets = Object.entries(gateway.targets).map(
    ([name, { conversation, description }]): GatewayTarget => ({
      ...{ name, conversation, outlet: () => outletOf(conversation) ?? outlet },
      ...(description === undefined ? {} : { description })
    })
  )
  return {
    ...alone,
    tools: (conversation, directory) => {
      const turn = () => runningTurns.get(conversationText(conversation))
      return gatewayTools({ conversation, turn, role: "user", profile, directory, outlet, targets, aliases })
    },
    begin: ({ conversation, sender }, id) =>
      Effect.sync(() => {
        const text = conversationText(conversation)
        runningTurns.set(text, { id, person: sender.id, role: "user" })
        return Effect.suspend(() => {
          runningTurns.delete(text)
          return Effect.map(drain(id), (sent) => effectsOf(sent, 0))
        })
      })
  }
})
