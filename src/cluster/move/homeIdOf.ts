/** The id of a home by its name. */
import { Effect } from "effect"
import { textIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { UnknownHome } from "./moveErrors.ts"

/** Ids, as homes have them that have never served the cluster. */
const form = /^[a-z0-9][a-z0-9-]{0,62}-[0-9a-f]{12}$/

/** A home of the cluster by its name; or by its id, also one that is not of the cluster. */
export const homeIdOf = Effect.fnUntraced(function* ({ sql, read }: OpenStore, name: string) {
  const [row = {}] = yield* read(sql<object>`select id from cluster_homes where name = ${name} and state <> 'removed'`)
  const id = textIn(row, "id") ?? (form.test(name) ? name : undefined)
  return id ?? (yield* new UnknownHome({ home: name.slice(0, 200) }))
})
