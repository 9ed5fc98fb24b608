/** Unfinished rows that hosts of a bridge leave in their store. */
import { Effect } from "effect"
import type { OpenStore } from "../../src/conversations/store/OpenStore.ts"

/** As `TABLE STATE`. */
export const openRows = ({ sql, read }: OpenStore) =>
  read(
    Effect.map(
      Effect.all([
        sql<{ what: string }>`select 'inbox ' || state as what from inbox where state in ('waiting', 'taken')`,
        sql<{
          what: string
        }>`select 'outbox ' || state as what from outbox where state in ('ready', 'sending', 'held')`,
        sql<{
          what: string
        }>`select 'turn ' || state as what from turns where state in ('queued', 'running', 'claimed')`
      ]),
      (rows) => rows.flat().map(({ what }) => what)
    )
  )
