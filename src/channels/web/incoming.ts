/**
 * Messages and presses for the bridge. Messages come from their rows, which exist before they are confirmed. Presses are in
 * memory, in order between messages; each gets one acknowledgement, and a repeated press the same answer.
 */
import { Context, Deferred, Effect, Latch, Layer, Option, Schema, Stream } from "effect"
import type { Heard } from "../../bridge/messages/Channel.ts"
import { ChannelMessage } from "../../bridge/messages/ChannelMessage.ts"
import type { Incoming, Pressed } from "../../bridge/messages/Incoming.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { RowTable } from "./rows/rowTable.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ChannelMessage))
export const incomingText = Schema.encodeSync(Schema.fromJsonString(ChannelMessage))

const troubleMs = "1 second"
const idleMs = "30 seconds"

interface HeardRow {
  readonly id: number
  readonly text: string
}

/** Opened when there may be a message or press for the bridge. */
export class Arrived extends Context.Service<Arrived, Latch.Latch>()("reins/web/Arrived") {
  static readonly layer = Layer.sync(Arrived, () => Latch.makeUnsafe(false))
}

/** Messages and presses after a mark. */
export const incomingUpdates = Effect.gen(function* () {
  const [table, presses, arrived] = [yield* RowTable, yield* Presses, yield* Arrived]
  return (mark: string | undefined): Stream.Stream<Heard> => {
    let at = /^\d{1,15}$/.test(mark ?? "") ? Number(mark) : 0
    let rows: ReadonlyArray<HeardRow> = []

    const next: Effect.Effect<Heard> = Effect.suspend(() => {
      const pressed = presses.next(at)
      if (pressed !== undefined) return Effect.succeed({ incoming: pressed, confirm: Effect.void })
      const [row, ...others] = rows
      if (row === undefined) return wait
      rows = others
      at = row.id
      return Option.match(decode(row.text), {
        onNone: () => next,
        onSome: (message) =>
          Effect.succeed<Heard>({ incoming: { _tag: "Message", message }, mark: String(row.id), confirm: Effect.void })
      })
    })

    const look: Effect.Effect<void, StoreError> = Effect.suspend(() => {
      const known = presses.behind() ?? 0
      return Effect.map(table.heard(at), (found) => {
        rows = found
        if (found.length === 0) at = Math.max(at, known)
      })
    })

    const wait: Effect.Effect<Heard> = Effect.suspend(() => {
      arrived.closeUnsafe()
      return Effect.matchEffect(look, {
        onFailure: (error) =>
          Effect.logWarning(`what people wrote on the page cannot be read: ${error.message}`).pipe(
            Effect.andThen(Effect.sleep(troubleMs)),
            Effect.andThen(next)
          ),
        onSuccess: () =>
          rows.length > 0 || (presses.behind() ?? Number.POSITIVE_INFINITY) <= at
            ? next
            : Effect.andThen(Effect.timeoutOption(arrived.await, idleMs), wait)
      })
    })

    return Stream.concat(Stream.drain(Stream.fromEffect(Effect.ignore(table.taken(at)))), Stream.fromEffectRepeat(next))
  }
})

/** A press that the bridge has not received yet. */
export interface WaitingPress {
  readonly pressed: Extract<Incoming, { readonly _tag: "Pressed" }>
  /** Number of the newest message when it came: earlier messages are delivered before it. */
  readonly behind: number
}

interface Answer {
  readonly text: string | undefined
}

/** State of a press. `unheard`: nothing was done. `unanswered`: the bridge has received it, and may act on it. */
type Pressing = Answer | "unheard" | "unanswered"

export class Presses extends Context.Service<
  Presses,
  {
    readonly press: (pressed: WaitingPress) => Effect.Effect<Pressing>
    /** True if the press with this id came before. */
    readonly isKnown: (updateId: string) => boolean
    readonly acknowledge: (pressed: Pressed, text: string | undefined) => void
    /** The next press, if all messages before it were handled. */
    readonly next: (handled: number) => Pressed | undefined
    /** Number of the message to handle before the next press; undefined if none waits. */
    readonly behind: () => number | undefined
  }
>()("reins/web/Presses") {
  static readonly layer = Layer.effect(
    Presses,
    Effect.suspend(() => makePresses)
  )
}

const patience = "15 seconds"
const mostRemembered = 2_000
const mostWaiting = 1_000

const makePresses = Effect.gen(function* () {
  const arrived = yield* Arrived
  let queue: ReadonlyArray<WaitingPress> = []
  const answers = new Map<string, Deferred.Deferred<Answer>>()

  const remember = (id: string): Deferred.Deferred<Answer> => {
    const answer = Deferred.makeUnsafe<Answer>()
    answers.set(id, answer)
    const [oldest] = answers.keys()
    if (answers.size > mostRemembered && oldest !== undefined) answers.delete(oldest)
    return answer
  }

  return Presses.of({
    press: (press) =>
      Effect.suspend(() => {
        const id = press.pressed.updateId
        const before = answers.get(id)
        if (before === undefined && queue.length >= mostWaiting) return Effect.succeed("unheard" as const)
        const answer = before ?? remember(id)
        if (before === undefined) {
          queue = [...queue, press]
          arrived.openUnsafe()
        }
        return Effect.map(Effect.timeoutOption(Deferred.await(answer), patience), (found): Pressing => {
          if (Option.isSome(found)) return found.value
          // A press that the bridge has received is not delivered again: the same press waits for the same answer.
          if (!queue.some(({ pressed }) => pressed.updateId === id)) return "unanswered"
          queue = queue.filter(({ pressed }) => pressed.updateId !== id)
          answers.delete(id)
          return "unheard"
        })
      }),
    isKnown: (updateId) => answers.has(updateId),
    acknowledge: ({ updateId }, text) => {
      const answer = answers.get(updateId)
      if (answer !== undefined) Deferred.doneUnsafe(answer, Effect.succeed({ text }))
    },
    next: (handled) => {
      const [first, ...others] = queue
      if (first === undefined || first.behind > handled) return undefined
      queue = others
      return first.pressed
    },
    behind: () => queue[0]?.behind
  })
})
