/** The id of a home by its name. */
import { Effect } from "effect"
import type { OpenStore } from "../../store/OpenStore.ts"
import { UnknownHome } from "./moveErrors.ts"

const form = /^[a-z0-9][a-z0-9-]{0,62}-[0-9a-f]{12}$/

/** Homes go by their ids. */
export const homeIdOf = (_store: OpenStore, name: string): Effect.Effect<string, UnknownHome> =>
  form.test(name) ? Effect.succeed(name) : Effect.fail(new UnknownHome({ home: name.slice(0, 200) }))
