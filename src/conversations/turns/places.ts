/**
 * Limits how many conversations have an agent open, first come, first served. A live session keeps its place between
 * turns until another conversation waits: then the least recently used one is closed when idle; its next turn resumes
 * it.
 */
import { Deferred, Effect, FiberSet, type Scope } from "effect"
import { untraced } from "../../contract/untraced.ts"

/** A place that a turn has, or waits for. */
export interface Claim {
  readonly isReady: () => boolean
  readonly ready: Effect.Effect<void>
  readonly leave: Effect.Effect<void>
}

export interface Places {
  /** A second turn of a conversation that has a place does not wait. */
  readonly claim: (conversation: string) => Claim
  /** Keeps the place for a live session until the scope closes. Call the result with the open session. */
  readonly keep: (
    conversation: string
  ) => Effect.Effect<(session: { readonly idle: Effect.Effect<void> }) => void, never, Scope.Scope>
  readonly most: number
}

interface Holder {
  turns: number
  sessions: number
  /** Idle time of the newest session. */
  idle: Effect.Effect<void>
  /** Closed once it is idle, if another conversation still waits then. */
  isWatched: boolean
}

interface Entry {
  readonly conversation: string
  readonly admitted: Deferred.Deferred<void>
}

/** @param close Ends the live session of a conversation. */
export const makePlaces = Effect.fn(...untraced("Places.makePlaces"))(function* (
  most: number,
  close: (conversation: string) => Effect.Effect<void>
): Effect.fn.Return<Places, never, Scope.Scope> {
  const fork = yield* FiberSet.makeRuntime<never, void, never>()
  /** In the order of their last use. */
  const holders = new Map<string, Holder>()
  const waiting = new Set<Entry>()
  let closing = 0
  const holderOf = (conversation: string): Holder => {
    const holder = holders.get(conversation) ?? { turns: 0, sessions: 0, idle: Effect.void, isWatched: false }
    holders.delete(conversation)
    holders.set(conversation, holder)
    return holder
  }

  const closeWhenIdle = (conversation: string, holder: Holder) =>
    Effect.ignoreCause(Effect.suspend(() => holder.idle)).pipe(
      Effect.andThen(
        Effect.suspend(() => {
          holder.isWatched = false
          const isWanted = closing < waiting.size && holder.turns === 0 && holders.get(conversation) === holder
          if (!isWanted) return Effect.void
          closing += 1
          const closed = Effect.sync(() => {
            closing -= 1
          })
          return Effect.ensuring(close(conversation), closed)
        })
      )
    )

  /** Synchronous, so that the state cannot change in between. */
  const settle = () => {
    for (const entry of waiting) {
      if (!holders.has(entry.conversation) && holders.size >= most) continue
      waiting.delete(entry)
      holderOf(entry.conversation).turns += 1
      Deferred.doneUnsafe(entry.admitted, Effect.void)
    }
    if (waiting.size === 0) return
    for (const [conversation, holder] of holders) {
      if (holder.turns > 0 || holder.sessions === 0 || holder.isWatched) continue
      holder.isWatched = true
      fork(closeWhenIdle(conversation, holder))
    }
  }

  const leave = (conversation: string, what: "turns" | "sessions") => {
    const holder = holders.get(conversation)
    if (holder === undefined) return
    holder[what] -= 1
    if (holder.turns === 0 && holder.sessions === 0) holders.delete(conversation)
    settle()
  }

  return {
    most,
    claim: (conversation) => {
      const entry: Entry = { conversation, admitted: Deferred.makeUnsafe<void>() }
      let isLeft = false
      waiting.add(entry)
      settle()
      return {
        isReady: () => !waiting.has(entry),
        ready: Deferred.await(entry.admitted),
        leave: Effect.sync(() => {
          if (isLeft) return
          isLeft = true
          if (!waiting.delete(entry)) leave(conversation, "turns")
        })
      }
    },
    keep: (conversation) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const holder = holderOf(conversation)
          holder.sessions += 1
          return ({ idle }: { readonly idle: Effect.Effect<void> }) => {
            holder.idle = idle
          }
        }),
        () => Effect.sync(() => leave(conversation, "sessions"))
      )
  }
})
