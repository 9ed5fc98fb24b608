/** `reins serve --remove-home NAME`. */
import { Console, Context, Effect, Layer } from "effect"
import { removedText, removeHome } from "../../cluster/removeHome.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { Store } from "../../conversations/store/Store.ts"
import { readConfig } from "../configured.ts"
import { withDatabase } from "../database.ts"
import { badUsage, Ended } from "../exit.ts"
import { configuredStore } from "../store.ts"
import type { ServeFlags } from "./plan.ts"

const failed = (exitCode: number) => (problem: { readonly message: string }) =>
  Effect.andThen(Console.error(`reins: ${harmless(problem.message)}`), Effect.fail(new Ended({ exitCode })))

export const giveUpHome = Effect.fnUntraced(function* (
  name: string,
  { config, database }: Pick<ServeFlags, "config" | "database">
) {
  const read = yield* Effect.catch(readConfig(config), failed(badUsage))
  const configuration = yield* Effect.catch(Effect.fromResult(withDatabase(read, database)), (message) =>
    failed(badUsage)({ message })
  )
  const store = Context.get(yield* Effect.catch(Layer.build(configuredStore(configuration)), failed(1)), Store)
  const removed = yield* Effect.catch(removeHome(store, name), failed(1))
  yield* Console.log(removedText(name, removed))
}, Effect.scoped)
