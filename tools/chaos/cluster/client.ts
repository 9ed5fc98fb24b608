/**
 * Sends turns to the machines of a cluster, one for each line of stdin, and says on stdout what became of each, until stdin
 * ends. Its argument is JSON: see `ClientJob`.
 */
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime, Result } from "effect"
import { layerClusteredSessions } from "../../../src/cluster/ClusteredSessions.ts"
import { Sessions } from "../../../src/conversations/Sessions.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { clockMs } from "../hosts.ts"
import { type ClientJob, type Question, timings } from "./jobs.ts"
import type { ClientLine } from "./logs.ts"

type Said<Line> = Line extends { readonly at: number } ? Omit<Line, "at"> : never

const job: ClientJob = JSON.parse(process.argv[2] ?? "")
const { database } = job
const say = (line: Said<ClientLine> | { readonly is: "broke"; readonly problem: string }) =>
  void process.stdout.write(`${JSON.stringify({ at: clockMs(), ...line })}\n`)

const layer = layerClusteredSessions({ database, cli: "claude", timings }).pipe(
  Layer.provide(Store.layerPostgres({ url: database })),
  Layer.provide(NodeServices.layer)
)

/** Without a database it does not begin: it is tried again. */
const begin = async () => {
  while (true) {
    const runtime = ManagedRuntime.make(layer)
    const made = await runtime.runPromise(Effect.result(Sessions)).then(Result.getOrUndefined, (cause) => {
      process.stderr.write(`${cause}\n`)
      return undefined
    })
    if (made !== undefined) return { runtime, sessions: made }
    await sleep(500)
  }
}

const beginning = begin()

const ask = async ({ turn, conversation, prompt }: Question) => {
  say({ is: "asked", turn })
  const { runtime, sessions } = await beginning
  const request = sessions.run({ conversation, turnId: turn, prompt })
  const end = await runtime.runPromise(Effect.result(request))
  if (Result.isSuccess(end)) return say({ is: "ended", turn, outcome: "completed", text: end.success.text })
  const { code, retryable: isRetryable } = end.failure.reason
  process.stderr.write(`${turn}: ${end.failure.message}\n`)
  say({ is: "ended", turn, outcome: code, isRetryable })
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const question: Question = JSON.parse(line)
    ask(question).catch((cause) => say({ is: "broke", problem: `${question.turn}: ${cause?.stack ?? cause}` }))
  })
  .on("close", () => process.exit(0))
