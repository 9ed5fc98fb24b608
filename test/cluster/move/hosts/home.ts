/** A home that performs its moves until it is killed. Its argument: the URL of the store. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Redacted } from "effect"
import { runMoves } from "../../../../src/cluster/move/runMoves.ts"
import { Store } from "../../../../src/conversations/store/Store.ts"

const url = Redacted.make(process.argv[2] ?? "")

const work = Effect.gen(function* () {
  const store = yield* Store
  process.stdout.write(`${store.home}\n`)
  return yield* runMoves({ store, env: process.env })
})

NodeRuntime.runMain(work.pipe(Effect.provide([Store.layerPostgres({ url }), NodeServices.layer])))
