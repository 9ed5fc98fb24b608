/** Places for the turns of an account's conversations: asked for before messages are taken, so that what waits can be dropped. */
import { Effect, type Scope } from "effect"
import type { Claim, Places } from "../../conversations/turns/places.ts"

export interface Claims {
  /** The same until it is left. */
  readonly of: (conversation: string) => Claim
  readonly leave: (conversation: string) => Effect.Effect<void>
  /** Conversations that wait for one. */
  readonly isWaiting: (conversation: string) => boolean
}

/** Whatever is claimed is left when the scope closes. */
export const makeClaims = Effect.fnUntraced(function* ({
  claim
}: Pick<Places, "claim">): Effect.fn.Return<Claims, never, Scope.Scope> {
  const claims = new Map<string, Claim>()
  const leave = (conversation: string) =>
    Effect.suspend(() => {
      const own = claims.get(conversation)
      claims.delete(conversation)
      return own?.leave ?? Effect.void
    })
  yield* Effect.addFinalizer(() => Effect.forEach([...claims.keys()], leave, { discard: true }))
  return {
    of: (conversation) => {
      const own = claims.get(conversation) ?? claim(conversation)
      claims.set(conversation, own)
      return own
    },
    leave,
    isWaiting: (conversation) => claims.get(conversation)?.isReady() === false
  }
})
