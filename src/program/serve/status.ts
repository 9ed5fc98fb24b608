/** `reins serve --status`: what the host of this user's store does, as far as the store shows it. */
import { Clock, Console, Context, Effect, Layer, Stdio } from "effect"
import { storeOptions } from "../../api/config/storeOptions.ts"
import { examineStore } from "../../api/doctor/examineStore.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { Store } from "../../conversations/store/Store.ts"
import { readConfig } from "../configured.ts"
import { withDatabase } from "../database.ts"
import { badUsage, Ended } from "../exit.ts"
import { configuredStore } from "../store.ts"
import { homeLines, lockLines } from "./homeLines.ts"
import { openKey } from "./key.ts"
import type { ServeFlags } from "./plan.ts"
import { readStatus } from "./readStatus.ts"
import { statusLines } from "./statusLines.ts"

const none = Effect.andThen(Console.log("No reins serve runs on this store."), Effect.fail(new Ended({ exitCode: 1 })))

const failed = (exitCode: number) => (problem: { readonly message: string }) =>
  Effect.andThen(Console.error(`reins: ${harmless(problem.message)}`), Effect.fail(new Ended({ exitCode })))

export const showStatus = Effect.fnUntraced(function* ({ config, database }: Pick<ServeFlags, "config" | "database">) {
  const read = yield* Effect.catch(readConfig(config), failed(badUsage))
  const configuration = yield* Effect.catch(Effect.fromResult(withDatabase(read, database)), (message) =>
    failed(badUsage)({ message })
  )
  const options = yield* Effect.catch(storeOptions(configuration), failed(badUsage))
  const place = "postgres" in options ? { postgres: options.postgres } : { directory: options.directory }
  // Looking makes no store.
  if ((yield* examineStore(place)).status === "absent") return yield* none
  const store = Context.get(yield* Effect.catch(Layer.build(configuredStore(configuration)), failed(1)), Store)
  const now = yield* Clock.currentTimeMillis
  const status = yield* Effect.catch(readStatus(store, now), failed(1))
  const isServed = status.accounts.some((account) => account.isServed)
  if (!isServed && status.homes.length === 0) return yield* none
  const isPerson = yield* (yield* Stdio.Stdio).stdoutIsTerminal
  const key = isPerson ? yield* openKey : undefined
  const lines = [...(isServed ? statusLines(status, now, key) : []), ...homeLines(status.homes)]
  if (status.homes.length > 0) lines.push(...lockLines(status.accounts))
  for (const line of lines) yield* Console.log(line)
}, Effect.scoped)
