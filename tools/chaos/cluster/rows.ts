/** The rows of the turns in the store of a cluster. */
import { Context, Effect, Layer } from "effect"
import { Store } from "../../../src/conversations/store/Store.ts"
import { endOfText } from "../../../src/conversations/turns/storedEnd.ts"
import type { TurnRow } from "./logs.ts"

interface Stored {
  readonly turn_id: string
  readonly conversation: string
  readonly seq: number
  readonly state: string
  readonly result: string | null
}

const rowOf = ({ turn_id: turn, conversation, seq, state, result }: Stored): TurnRow => {
  const text = result === null ? undefined : endOfText(result)?.result.text
  return { turn, conversation, seq: Number(seq), state, ...(text === undefined ? {} : { text }) }
}

export const rowsOf = (url: string): Promise<ReadonlyArray<TurnRow>> =>
  Effect.gen(function* () {
    const store = Context.get(yield* Layer.build(Layer.fresh(Store.layerPostgres({ url }))), Store)
    const rows = yield* store.read(store.sql<Stored>`select turn_id, conversation, seq, state, result from turns`)
    return rows.map(rowOf)
  }).pipe(Effect.scoped, Effect.runPromise)
