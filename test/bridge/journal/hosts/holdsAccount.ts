/** Takes an account of a channel in a store on PostgreSQL, says so, and has it until its stdin ends. Its argument is the URL. */
import { Context, Effect, Layer } from "effect"
import { takeAccount } from "../../../../src/bridge/journal/account.ts"
import { Store } from "../../../../src/conversations/store/Store.ts"

const url = process.argv[2] ?? ""
process.stdin.on("end", () => process.exit(0)).resume()

await Effect.gen(function* () {
  const store = Context.get(yield* Layer.build(Store.layerPostgres({ url })), Store)
  const { lost } = yield* takeAccount(store, "telegram", "bot")
  process.stdout.write("mine\n")
  yield* Effect.catch(lost, () => Effect.sync(() => process.stdout.write("lost\n")))
}).pipe(Effect.scoped, Effect.runPromise)
