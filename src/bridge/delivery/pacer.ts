/** The gate to a channel: every send, edit and removal waits for its turn, and as long as the channel puts it off. */
import { Clock, Deferred, Effect, Latch, Option, type Scope } from "effect"
import { untraced } from "../../contract/untraced.ts"
import { monotonicMillisOf } from "../../system/hostClock.ts"
import type { Pace } from "../messages/Channel.ts"
import { SendError } from "../messages/SendError.ts"
import { type Budgets, type Call, callKinds, type Hold, makeBudgets, minute } from "./budgets.ts"

export interface Waiting {
  readonly call: Call
  /** Start of the wait. */
  readonly at: number
}

type Next<W extends Waiting> = { readonly go: W } | { readonly lookAt: number }

const stepMs = 10_000

const rankOf = ({ call: { kind }, at }: Waiting) =>
  kind === "acknowledgement" ? Number.NEGATIVE_INFINITY : at + callKinds.indexOf(kind) * stepMs

/** Kinds go in their order, but ten seconds of waiting raise a call by one kind: nothing starves. */
const nextOf = <W extends Waiting>(waiting: Iterable<W>, { freeAt }: Budgets, now: number): Next<W> => {
  let go: W | undefined
  let lookAt = Number.POSITIVE_INFINITY
  for (const one of waiting) {
    const free = freeAt(one.call, now - one.at, now)
    if (free <= now) {
      if (go === undefined || rankOf(one) < rankOf(go)) go = one
      continue
    }
    lookAt = Math.min(lookAt, free, one.at + minute > now ? one.at + minute : free)
  }
  return go === undefined ? { lookAt } : { go }
}

export interface Pacer {
  /** Does the work when the call may go. Interruption takes the call back. */
  readonly run: <A, E, R>(call: Call, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** How many chats and holds it knows. */
  readonly size: () => number
}

/** A hold for a later host. `until`: in ms since 1970. */
export type StoredHold = Pick<Hold, "scope" | "chatId"> & { readonly until: number }

export interface PacerOptions {
  /** Holds of an earlier host. */
  readonly holds?: ReadonlyArray<StoredHold>
  /** Called when the channel puts calls off; awaited before the next call. */
  readonly onHold?: (hold: StoredHold) => Effect.Effect<void>
  /** Called once when a hold of a minute or longer is over. */
  readonly onHeld?: (hold: Pick<Hold, "scope" | "chatId"> & { readonly heldMs: number }) => Effect.Effect<void>
}

interface Entry extends Waiting {
  readonly mayGo: Deferred.Deferred<void>
  /** Set when it may go. */
  end: ((now: number) => void) | undefined
}

const worthTellingMs = 60_000

/** Stops sending when the scope closes. */
export const makePacer = Effect.fn(...untraced("Pacer.makePacer"))(function* (
  pace: Pace,
  { onHeld = () => Effect.void, onHold = () => Effect.void, holds = [] }: PacerOptions = {}
): Effect.fn.Return<Pacer, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const now = () => monotonicMillisOf(clock)
  const budgets = makeBudgets(pace)
  const wallTime = () => clock.currentTimeMillisUnsafe()
  for (const { scope, chatId = "", until } of holds) {
    const retryAfterMs = until - wallTime()
    if (retryAfterMs > 0) budgets.hold({ scope, retryAfterMs }, chatId, now())
  }
  const waiting = new Set<Entry>()
  const changed = Latch.makeUnsafe(false)

  const admit = (entry: Entry) => {
    waiting.delete(entry)
    entry.end = budgets.begin(entry.call)
    Deferred.doneUnsafe(entry.mayGo, Effect.void)
  }

  /** Admits all calls that may go; returns when to look again. */
  const look = (): number => {
    for (;;) {
      const next = nextOf(waiting, budgets, now())
      if ("lookAt" in next) return next.lookAt
      admit(next.go)
    }
  }

  const leave = (entry: Entry) =>
    Effect.sync(() => {
      waiting.delete(entry)
      entry.end?.(now())
      entry.end = undefined
      changed.openUnsafe()
    })

  const tellEnded = Effect.suspend(() =>
    Effect.forEach(
      budgets.over(now()).filter(({ since, until }) => until - since >= worthTellingMs),
      ({ scope, chatId, since, until }) => Effect.forkChild(onHeld({ scope, chatId, heldMs: until - since })),
      { discard: true }
    )
  )

  const turn = Effect.gen(function* () {
    changed.closeUnsafe()
    yield* tellEnded
    budgets.sweep(now())
    const at = Math.min(look(), budgets.nextOver())
    yield* at === Number.POSITIVE_INFINITY ? changed.await : Effect.timeoutOption(changed.await, at - now())
  })
  yield* Effect.forkScoped(Effect.forever(turn))

  const note = (call: Call, error: unknown) =>
    Effect.suspend(() => {
      if (!(error instanceof SendError) || error.reason._tag !== "TooFast") return Effect.void
      const { scope, chatId, until } = budgets.hold(error.reason, call.chatId, now())
      return onHold({ scope, chatId, until: wallTime() + until - now() })
    }).pipe(Effect.uninterruptible)

  const attempt = <A, E, R>(call: Call, work: Effect.Effect<A, E, R>, at: number): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const entry: Entry = { call, at, mayGo: Deferred.makeUnsafe(), end: undefined }
        waiting.add(entry)
        changed.openUnsafe()
        // Another call may have been put off since this one was let go.
        const unlessHeld = Effect.suspend(() =>
          budgets.heldUntil(call) > now() ? Effect.succeedNone : Effect.asSome(work)
        )
        return restore(Effect.andThen(Deferred.await(entry.mayGo), unlessHeld)).pipe(
          Effect.tapError((error) => note(call, error)),
          Effect.ensuring(leave(entry))
        )
      })
    ).pipe(Effect.flatMap(Option.match({ onSome: Effect.succeed, onNone: () => attempt(call, work, at) })))

  return { run: (call, work) => Effect.suspend(() => attempt(call, work, now())), size: budgets.size }
})
