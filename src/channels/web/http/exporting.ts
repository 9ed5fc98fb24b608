/** An export is read from the store as it is taken: of a conversation of any length, a batch is in memory. */
import { Effect, Option, Stream } from "effect"
import type { RowTable } from "../rows/rowTable.ts"
import type { Exporting } from "./exported.ts"

/** All rows that are there when it begins. Fails where the store does: the file then ends in its midst, which is seen. */
export const exportOf = (table: Pick<RowTable, "after" | "ends">, chat: string, { head, rows, tail }: Exporting) =>
  Stream.unwrap(
    Effect.map(table.ends(chat), ({ newest }) => {
      const body = Stream.paginate(0, (from: number) =>
        Effect.map(table.after(chat, from), (batch) => {
          const last = batch.at(-1)?.id ?? newest
          return [[rows(batch.filter(({ id }) => id <= newest))], last < newest ? Option.some(last) : Option.none()]
        })
      )
      return Stream.concat(Stream.concat(Stream.make(head), body), Stream.sync(tail))
    })
  )
