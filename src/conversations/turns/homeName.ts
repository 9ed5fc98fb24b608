/** A home for people: its name in the cluster, or its id, where it is of none. */
import { Effect } from "effect"
import { textIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"

export const homeName = ({ sql, read }: OpenStore, id: string) =>
  Effect.map(
    read(sql<object>`select name from cluster_homes where id = ${id}`),
    ([row = {}]) => textIn(row, "name") ?? id
  )
