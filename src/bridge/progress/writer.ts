/**
 * Writes the progress message of one run: shown once, then edited, replaced where it is old. One attempt at a time; what
 * came of it decides when the next one makes sense, if any. A refused edit is never answered by another message.
 */
import { Clock, Effect } from "effect"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import type { SendError, SendReason } from "../messages/SendError.ts"
import type { ProgressView } from "./render.ts"
import { type EditPace, isOld, nextAt, paceOf, refused, written } from "./schedule.ts"

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
