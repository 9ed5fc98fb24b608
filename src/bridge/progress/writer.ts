/**
 * Writes the progress message of one run: shown once, then edited, replaced where it is old. One attempt at a time; what
 * came of it decides when the next one makes sense, if any. A refused edit is never answered by another message.
 */
import { Clock, Effect } from "effect"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import type { SendError, SendReason } from "../messages/SendError.ts"
import type { ProgressView } from "./render.ts"

/** When a progress message may be written again: a pace by the kind of chat, slower after each refusal; pure. Times in ms. */

export interface EditPace {
  readonly everyMs: number
  /** How often it was slowed by half since the last quiet minute. */
  readonly slowed: number
  readonly lastAt: number | undefined
  /** Until then the channel takes nothing. */
  readonly heldUntil: number
}

/** Of groups, 19 a minute: the channel counts what else is sent. */
const everyMs = { direct: 2_000, group: 3_100 } as const

const quietMs = 60_000

/** 25 times slower. */
const mostSlowed = 8

export const paceOf = (chat: keyof typeof everyMs): EditPace => ({
  everyMs: everyMs[chat],
  slowed: 0,
  lastAt: undefined,
  heldUntil: Number.NEGATIVE_INFINITY
})

const slowedAt = ({ slowed, heldUntil }: EditPace, now: number) => (now >= heldUntil + quietMs ? 0 : slowed)

/** The earliest time for the next one; not before now. */
export const nextAt = (pace: EditPace, now: number): number => {
  const interval = pace.everyMs * 1.5 ** slowedAt(pace, now)
  return Math.max(now, pace.heldUntil, (pace.lastAt ?? Number.NEGATIVE_INFINITY) + interval)
}

/** It was written, or tried. */
export const written = (pace: EditPace, now: number): EditPace => ({
  ...pace,
  slowed: slowedAt(pace, now),
  lastAt: now
})

/** The channel says that it was too fast. */
export const refused = (pace: EditPace, now: number, retryAfterMs: number): EditPace => ({
  ...written(pace, now),
  slowed: Math.min(mostSlowed, slowedAt(pace, now) + 1),
  heldUntil: Math.max(pace.heldUntil, now + Math.max(0, retryAfterMs))
})

/** Channels refuse to edit what is older than an hour or two. */
const longestLifeMs = 55 * 60_000

/** A message that has to be replaced. */
export const isOld = (shownAt: number, now: number): boolean => now - shownAt > longestLifeMs

/** What is to be said at the moment at which it goes: it may wait for its turn. */
export type AtThatMoment<A> = () => A

/** How a message is written; each is one attempt. */
export interface ProgressDoor<Ref> {
  /** A new message; undefined: there was nothing to say any more. */
  readonly show: (payload: AtThatMoment<ReplyPayload | undefined>) => Effect.Effect<Ref | undefined, SendError>
  /** Default: messages cannot be changed. */
  readonly edit?: (ref: Ref, payload: AtThatMoment<ReplyPayload | undefined>) => Effect.Effect<void, SendError>
  /** For a message that was replaced. Default: it stays. */
  readonly remove?: (ref: Ref) => Effect.Effect<void, SendError>
}

export interface ProgressWriter {
  /** When an attempt is allowed, in ms since 1970. */
  readonly nextAt: (now: number) => number
  /**
   * One attempt, where the view differs from what is shown; undefined: there is nothing to say. True: the message shows it,
   * or nothing more can be done.
   */
  readonly write: (view: AtThatMoment<ProgressView | undefined>) => Effect.Effect<boolean>
  /** There is a message. */
  readonly isShown: () => boolean
  /** Nothing more can be written. */
  readonly isOver: () => boolean
}

/** Another attempt makes sense. */
const isPassing = ({ _tag }: SendReason) => _tag === "TooFast" || _tag === "Unreachable" || _tag === "Unknown"

export const makeProgressWriter = <Ref>(
  { show, edit, remove }: ProgressDoor<Ref>,
  chat: "direct" | "group",
  onShown: (ref: Ref) => Effect.Effect<void>
): ProgressWriter => {
  let pace: EditPace = paceOf(chat)
  let message: { readonly ref: Ref; readonly shownAt: number } | undefined
  let shownKey: string | undefined
  let isOver = false

  type Payload = AtThatMoment<ReplyPayload | undefined>

  const showNew = Effect.fnUntraced(function* (payload: Payload, now: number) {
    const ref = yield* show(payload).pipe(
      // It may be there: a second one would be too much.
      Effect.tapError(({ reason }) => Effect.sync(() => (isOver ||= reason._tag === "Unknown")))
    )
    if (ref === undefined) return
    const before = message
    message = { ref, shownAt: now }
    yield* onShown(ref)
    if (before !== undefined && remove !== undefined) yield* Effect.ignore(remove(before.ref))
  })

  const attempt = (payload: Payload, now: number): Effect.Effect<void, SendError> =>
    message === undefined || edit === undefined || isOld(message.shownAt, now)
      ? showNew(payload, now)
      : edit(message.ref, payload)

  const write = Effect.fnUntraced(function* (view: AtThatMoment<ProgressView | undefined>) {
    const wanted = view()
    if (isOver || wanted === undefined || wanted.key === shownKey) return true
    const now = yield* Clock.currentTimeMillis
    let said: ProgressView | undefined
    const payload = () => {
      said = view()
      return said?.payload
    }
    return yield* attempt(payload, now).pipe(
      Effect.map(() => {
        pace = written(pace, now)
        shownKey = said?.key ?? shownKey
        return true
      }),
      Effect.catch(({ reason }) =>
        Effect.sync(() => {
          pace = refused(pace, now, reason._tag === "TooFast" ? reason.retryAfterMs : 0)
          isOver ||= !isPassing(reason)
          return isOver
        })
      )
    )
  })

  return {
    nextAt: (now) => nextAt(pace, now),
    write,
    isShown: () => message !== undefined,
    isOver: () => isOver
  }
}
