/**
 * A process that uses a store: `file DIRECTORY` or `postgres` (its URL in REINS_TEST_URL). A line of stdin is an order; a
 * line of stdout says that it was done: `write FROM` (one entry after the other, without end), `hold`, `one NAME`, `ping`.
 */
import { createInterface } from "node:readline"
import { Effect } from "effect"
import { Store } from "../../../src/conversations/store/Store.ts"

const [kind, place = ""] = process.argv.slice(2)
const say = (line: string) => process.stdout.write(`${line}\n`)

const layer =
  kind === "file"
    ? Store.layerFile({ directory: place })
    : Store.layerPostgres({ url: process.env["REINS_TEST_URL"] ?? "" })

const work = Effect.gen(function* () {
  const { transact, sql, warnings } = yield* Store
  const insert = (hash: string) =>
    Effect.gen(function* () {
      yield* sql`insert into blobs ${sql.insert({ hash, bytes: new Uint8Array(2_000), created: 1 })}`
      yield* sql`insert into runs ${sql.insert({ run_id: hash, cli: "claude", started: 1, home: "h", host: "h", pid: process.pid })}`
    })
  const orders: Readonly<Record<string, (name: string) => Effect.Effect<unknown, unknown>>> = {
    write: (from) =>
      Effect.gen(function* () {
        for (let index = Number(from); ; index++) {
          yield* transact(insert(`${process.pid}-${index}`))
          say(`${process.pid}-${index}`)
        }
      }),
    one: (name) =>
      Effect.andThen(
        transact(insert(name)),
        Effect.sync(() => say(`done ${name}`))
      ),
    hold: (name) =>
      transact(
        Effect.andThen(
          insert(name),
          Effect.andThen(
            Effect.sync(() => say("held")),
            Effect.sleep("1 second")
          )
        )
      ),
    ping: () => Effect.sync(() => say("pong"))
  }
  say(`open ${warnings.length}`)
  const context = yield* Effect.context<never>()
  yield* Effect.callback<void>((resume) => {
    const lines = createInterface({ input: process.stdin })
    lines.on("line", (line) => {
      const [order = "", name = ""] = line.split(" ")
      Effect.runForkWith(context)(
        Effect.catch(orders[order]?.(name) ?? Effect.void, (error) => Effect.sync(() => say(`failed ${String(error)}`)))
      )
    })
    lines.on("close", () => resume(Effect.void))
  })
})

await Effect.runPromise(Effect.provide(work, layer)).catch((error: unknown) => say(`failed ${String(error)}`))
process.exit()
