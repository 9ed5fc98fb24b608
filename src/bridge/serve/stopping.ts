/** Stops the turn of a conversation, from the moment at which its messages are taken: also while it is being begun. */
import { Effect } from "effect"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { Core } from "../turn/core.ts"

export interface Stopping {
  /** Work that ends as soon as it can once its signal is aborted. `over`: there is nothing left to stop. */
  readonly stoppable: <A, E, R>(
    conversation: Conversation,
    work: (signal: AbortSignal, over: Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** False: there is none, or it was stopped before. */
  readonly interrupt: (conversation: Conversation) => Effect.Effect<boolean>
}

export const makeStopping = (core: Pick<Core, "running">): Stopping => {
  const beginning = new Map<string, AbortController>()
  return {
    stoppable: (conversation, work) => {
      const text = conversationText(conversation)
      const begin = Effect.sync(() => {
        const controller = new AbortController()
        beginning.set(text, controller)
        return controller
      })
      const end = Effect.sync(() => void beginning.delete(text))
      return Effect.acquireUseRelease(
        begin,
        ({ signal }) => work(signal, end),
        () => end
      )
    },
    interrupt: (conversation) =>
      Effect.suspend(() => {
        const running = core.running(conversation)
        if (running !== undefined) return running.interrupt
        const controller = beginning.get(conversationText(conversation))
        if (controller === undefined || controller.signal.aborted) return Effect.succeed(false)
        controller.abort()
        return Effect.succeed(true)
      })
  }
}
