/**
 * Writes the progress message of one run: sent, then edited, replaced when old. A refused edit sends no other. Where drafts
 * are possible they take its place; a message follows only if one is refused.
 */
import { Clock, Effect } from "effect"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import type { SendError, SendReason } from "../messages/SendError.ts"
import type { ProgressView } from "./render.ts"

/** A value that is made when it is sent, which may be delayed. */
export type Lazy<A> = () => A

/** Calls of the channel; each is one attempt. */
export interface ProgressTransport<Ref> {
  /** Sends a new message; returns undefined if nothing was left to report. */
  readonly show: (payload: Lazy<ReplyPayload | undefined>) => Effect.Effect<Ref | undefined, SendError>
  /** Absent if messages cannot be edited. */
  readonly edit?: (ref: Ref, payload: Lazy<ReplyPayload | undefined>) => Effect.Effect<void, SendError>
  /** Removes a replaced message. Default: it stays. */
  readonly remove?: (ref: Ref) => Effect.Effect<void, SendError>
  /** Shows a text that vanishes by itself within 30 s. Used in place of the others until it is refused. */
  readonly draft?: (payload: Lazy<ReplyPayload | undefined>) => Effect.Effect<void, SendError>
}

interface ProgressWriter {
  /** The earliest time of the next attempt, in ms since 1970. */
  readonly nextAt: (now: number) => number
  /** The same without the interval between attempts. */
  readonly allowedAt: (now: number) => number
  /** Makes an attempt if the view has changed. Returns true if the message is up to date, or cannot be updated. */
  readonly write: (view: Lazy<ProgressView | undefined>) => Effect.Effect<boolean>
  readonly isShown: () => boolean
  /** Whether the progress is shown in drafts. */
  readonly isDraft: () => boolean
  /** When an unchanged view has to be written again, in ms since 1970. `Infinity`: never. */
  readonly repeatAt: () => number
  /** Whether nothing more can be written. */
  readonly isOver: () => boolean
}

/** Drafts are repeated after this time, since they vanish after 30 s. */
const draftMs = 20_000

/** Whether another attempt makes sense. */
const isTransient = ({ _tag }: SendReason) => _tag === "TooFast" || _tag === "Unreachable" || _tag === "Unknown"

export const makeProgressWriter = <Ref>(
  { show, edit, remove, draft }: ProgressTransport<Ref>,
  chat: "direct" | "group"
): ProgressWriter => {
  let pace: EditPace = paceOf(chat)
  let message: { readonly ref: Ref; readonly shownAt: number } | undefined
  let shownKey: string | undefined
  let isOver = false
  let isDraft = draft !== undefined
  let draftedAt: number | undefined

  type Payload = Lazy<ReplyPayload | undefined>

  const showNew = Effect.fnUntraced(function* (payload: Payload, now: number) {
    const ref = yield* show(payload).pipe(
      // The message may be there: a second one would be too much.
      Effect.tapError(({ reason }) => Effect.sync(() => (isOver ||= reason._tag === "Unknown")))
    )
    if (ref === undefined) return
    const before = message
    message = { ref, shownAt: now }
    if (before !== undefined && remove !== undefined) yield* Effect.ignore(remove(before.ref))
  })

  const writeMessage = (payload: Payload, now: number): Effect.Effect<void, SendError> =>
    message === undefined || edit === undefined || isOld(message.shownAt, now)
      ? showNew(payload, now)
      : edit(message.ref, payload)

  const attempt = (payload: Payload, now: number): Effect.Effect<void, SendError> => {
    if (draft === undefined || !isDraft) return writeMessage(payload, now)
    return draft(payload).pipe(
      Effect.tap(() => Effect.sync(() => (draftedAt = now))),
      Effect.catchIf(
        ({ reason }) => !isTransient(reason),
        () => {
          isDraft = false
          return writeMessage(payload, now)
        }
      )
    )
  }

  const repeatAt = () => (isDraft && draftedAt !== undefined ? draftedAt + draftMs : Number.POSITIVE_INFINITY)

  const write = Effect.fnUntraced(function* (view: Lazy<ProgressView | undefined>) {
    const current = view()
    const now = yield* Clock.currentTimeMillis
    if (isOver || current === undefined || (current.key === shownKey && now < repeatAt())) return true
    let sent: ProgressView | undefined
    const payload = () => {
      sent = view()
      return sent?.payload
    }
    return yield* attempt(payload, now).pipe(
      Effect.map(() => {
        pace = afterWrite(pace, now)
        shownKey = sent?.key ?? shownKey
        return true
      }),
      Effect.catch(({ reason }) =>
        Effect.sync(() => {
          pace = afterRefusal(pace, now, reason._tag === "TooFast" ? reason.retryAfterMs : 0)
          isOver ||= !isTransient(reason)
          return isOver
        })
      )
    )
  })

  return {
    nextAt: (now) => nextAt(pace, now),
    allowedAt: (now) => Math.max(now, pace.heldUntil),
    write,
    isShown: () => message !== undefined,
    isDraft: () => isDraft,
    repeatAt,
    isOver: () => isOver
  }
}

/** When a progress message may be written again: an interval by the kind of chat, longer after each refusal. Times in ms. */
interface EditPace {
  readonly everyMs: number
  /** Number of refusals since the last minute without one: each makes the interval 1.5 times longer. */
  readonly slowed: number
  readonly lastAt: number | undefined
  /** Until then the channel refuses edits. */
  readonly heldUntil: number
}

/** Groups: 19 per minute, since the channel counts all messages. */
const everyMs = { direct: 2_000, group: 3_100 } as const

const quietMs = 60_000

/** Makes the interval 25 times longer. */
const mostSlowed = 8

export const paceOf = (chat: keyof typeof everyMs): EditPace => ({
  everyMs: everyMs[chat],
  slowed: 0,
  lastAt: undefined,
  heldUntil: Number.NEGATIVE_INFINITY
})

const slowedAt = ({ slowed, heldUntil }: EditPace, now: number) => (now >= heldUntil + quietMs ? 0 : slowed)

/** The earliest time of the next attempt; not before now. */
export const nextAt = (pace: EditPace, now: number): number => {
  const interval = pace.everyMs * 1.5 ** slowedAt(pace, now)
  return Math.max(now, pace.heldUntil, (pace.lastAt ?? Number.NEGATIVE_INFINITY) + interval)
}

export const afterWrite = (pace: EditPace, now: number): EditPace => ({
  ...pace,
  slowed: slowedAt(pace, now),
  lastAt: now
})

/** For an attempt that the channel refused as too fast. */
export const afterRefusal = (pace: EditPace, now: number, retryAfterMs: number): EditPace => ({
  ...afterWrite(pace, now),
  slowed: Math.min(mostSlowed, slowedAt(pace, now) + 1),
  heldUntil: Math.max(pace.heldUntil, now + Math.max(0, retryAfterMs))
})

/** Channels do not edit messages older than an hour or two. */
const longestLifeMs = 55 * 60_000

/** Whether a message has to be replaced instead of edited. */
export const isOld = (shownAt: number, now: number): boolean => now - shownAt > longestLifeMs
