/**
 * Messages and presses for the bridge: messages from their rows, which exist before they are confirmed; presses from
 * memory, in order between them.
 */
import { Effect, type Latch, Option, Schema, Stream } from "effect"
import type { Heard } from "../../bridge/messages/Channel.ts"
import { ChannelMessage } from "../../bridge/messages/ChannelMessage.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { Presses } from "./presses.ts"
import type { RowTable } from "./rows/rowTable.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ChannelMessage))
export const incomingText = Schema.encodeSync(Schema.fromJsonString(ChannelMessage))

const troubleMs = "1 second"
const idleMs = "30 seconds"

export interface IncomingOptions {
  readonly table: Pick<RowTable, "heard" | "taken">
  readonly presses: Presses
  /** Opened when there may be something. */
  readonly arrived: Latch.Latch
}

export const incomingUpdates = (
  { table, presses, arrived }: IncomingOptions,
  mark: string | undefined
): Stream.Stream<Heard> => {
  let at = /^\d{1,15}$/.test(mark ?? "") ? Number(mark) : 0
  let rows: ReadonlyArray<{ readonly id: number; readonly text: string }> = []

  const ofRow = ({ id, text }: { readonly id: number; readonly text: string }): Option.Option<Heard> => {
    at = id
    return Option.map(
      decode(text),
      (message): Heard => ({
        incoming: { _tag: "Message", message },
        mark: String(id),
        confirm: Effect.void
      })
    )
  }

  const ofPress = (): Heard | undefined => {
    const pressed = presses.next(at)
    return pressed === undefined ? undefined : { incoming: pressed, confirm: Effect.void }
  }

  const next: Effect.Effect<Heard> = Effect.suspend(() => {
    const press = ofPress()
    if (press !== undefined) return Effect.succeed(press)
    const [row, ...others] = rows
    if (row !== undefined) {
      rows = others
      return Option.match(ofRow(row), { onNone: () => next, onSome: (update) => Effect.succeed(update) })
    }
    return wait
  })

  const look: Effect.Effect<void, StoreError> = Effect.suspend(() => {
    const known = presses.behind() ?? 0
    return Effect.map(table.heard(at), (found) => {
      rows = found
      if (found.length === 0) at = Math.max(at, known)
    })
  })

  /** A store that does not answer is asked again. */
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
