/** `reins serve --remove-home NAME`. */
import { Console, Context, Effect, Layer } from "effect"
import { removedText, removeHome } from "../../cluster/removeHome.ts"
import { untraced } from "../../contract/untraced.ts"
import { Store } from "../../conversations/store/Store.ts"
import { readWithDatabase, type StoreFlags } from "../database.ts"
import { badUsage, failWith } from "../exit.ts"
import { configuredStore } from "../store.ts"

const failed = ({ message }: { readonly message: string }) => failWith(message, 1)

export const giveUpHome = Effect.fn(...untraced("Removing.giveUpHome"))(function* (name: string, flags: StoreFlags) {
  const configuration = yield* Effect.catch(readWithDatabase(flags), (problem) => failWith(problem, badUsage))
  const store = Context.get(yield* Effect.catch(Layer.build(configuredStore(configuration)), failed), Store)
  const removed = yield* Effect.catch(removeHome(store, name), failed)
  yield* Console.log(removedText(name, removed))
}, Effect.scoped)
