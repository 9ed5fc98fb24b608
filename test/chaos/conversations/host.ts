/**
 * A host of a campaign: asks turns of a few conversations, two at a time, until stdin ends; forgets, forks and reads
 * sessions in between. What it asks and what it is answered it says on stdout. Its argument is JSON: see `Job`.
 */
import { text } from "node:stream/consumers"
import { Effect, Layer, Result, Stream } from "effect"
import { AgentRuntime } from "../../../src/AgentRuntime.ts"
import { clis } from "../../../src/cli/clis.ts"
import { nodePlatform } from "../../../src/process/Platform.ts"
import { Sessions } from "../../../src/Sessions.ts"
import { Store } from "../../../src/store/Store.ts"
import { programPath } from "../../kit/agent.ts"
import { makeDice } from "../dice.ts"
import { clockMs, type HostLine } from "./logs.ts"

export interface Job {
  readonly seed: number
  readonly number: number
  /** The directory of the store's file, or the URL of its server. */
  readonly store: { readonly directory: string } | { readonly url: string }
  /** Of the CLI's sessions. */
  readonly directory: string
  readonly conversations: number
}

const job: Job = JSON.parse(process.argv[2] ?? "")
const dice = makeDice(job.seed, job.number)
type Said = HostLine extends infer Line ? (Line extends HostLine ? Omit<Line, "at"> : never) : never
const say = (line: Said) => Effect.sync(() => process.stdout.write(`${JSON.stringify({ at: clockMs(), ...line })}\n`))

let isOver = false
void text(process.stdin).then(() => {
  isOver = true
})

const agent = AgentRuntime.layer(clis.claude, {
  command: process.execPath,
  baseArgs: [programPath("keeps-sessions"), `--directory=${job.directory}`],
  limits: { busyWait: "20 seconds" }
})
const store = "url" in job.store ? Store.layerPostgres({ url: job.store.url }) : Store.layerFile(job.store)
const layer = Sessions.layer.pipe(Layer.provide([agent.pipe(Layer.provide(nodePlatform)), store]))

interface Question {
  readonly turnId: string
  readonly conversation: string
  readonly prompt: string
}

const asked: Array<Question> = []
let turns = 0
const anyConversation = () => `c${dice.between(1, job.conversations)}`

const drawQuestion = () => {
  const last = asked.at(-1)
  if (last !== undefined && dice.chance(0.08)) return { ...last, how: "again" } as const
  const turnId = `${job.number}-${++turns}`
  const prompt = JSON.stringify({ turn: turnId, ms: dice.spread(5, 400) })
  const question = { turnId, conversation: anyConversation(), prompt }
  asked.push(question)
  const how = dice.among<"wait" | "fail" | "fork" | "fresh">(
    [14, () => "wait"],
    [2, () => "fail"],
    [2, () => "fork"],
    [1, () => "fresh"]
  )
  return { ...question, how }
}

const ask = Effect.gen(function* () {
  const { run } = yield* Sessions
  const { turnId: turn, conversation, prompt, how } = drawQuestion()
  yield* say({ is: "asked", turn, conversation, how })
  const whenBusy = how === "fail" || how === "fork" ? how : "wait"
  const end = yield* Effect.result(run({ conversation, turnId: turn, prompt, whenBusy, fresh: how === "fresh" }))
  if (Result.isFailure(end)) return yield* say({ is: "ended", turn, outcome: end.failure.reason.code })
  const { text: answer, sessionId } = end.success
  const session = sessionId === undefined ? {} : { session: sessionId }
  yield* say({ is: "ended", turn, outcome: "completed", text: answer, ...session })
})

/** What may be said of a session that others use, and have never begun. */
const isUsual = (reason: string) => ["UnknownSession", "SessionBusy", "NotKept"].includes(reason)

const tell = (
  what: "forget" | "fork" | "clear" | "read",
  conversation: string,
  work: Effect.Effect<unknown, { readonly reason: { readonly _tag: string; readonly message: string } }>
) =>
  Effect.gen(function* () {
    yield* say({ is: "changes", what, conversation, host: process.pid })
    const end = yield* Effect.result(work)
    const reason = Result.isFailure(end) ? end.failure.reason : undefined
    yield* say({ is: "changed", what, conversation, host: process.pid, outcome: reason?._tag ?? "done" })
    if (reason !== undefined && !isUsual(reason._tag))
      yield* say({ is: "broke", problem: `${what}: ${reason.message}` })
  })

const change = Effect.gen(function* () {
  const { forget, fork, clear, events } = yield* Sessions
  const [conversation, other] = [anyConversation(), anyConversation()]
  const ref = { conversation, cli: "claude" }
  const read = Effect.gen(function* () {
    const all = yield* Stream.runCollect(events(ref, { follow: false }))
    const gap = all.findIndex(({ position }, index) => index > 0 && position !== (all[index - 1]?.position ?? 0) + 1)
    if (gap !== -1) yield* say({ is: "broke", problem: `the transcript of ${conversation} has a gap at ${gap}` })
  })
  yield* dice.among(
    [2, () => tell("forget", conversation, forget(ref))],
    [2, () => tell("fork", other, other === conversation ? Effect.void : fork(ref, { conversation: other }))],
    [1, () => tell("clear", conversation, clear(conversation))],
    [3, () => tell("read", conversation, read)]
  )
})

const work = Effect.whileLoop({
  while: () => !isOver,
  body: () => (dice.chance(0.12) ? change : ask),
  step: () => undefined
})

const problemOf = (cause: unknown) => say({ is: "broke", problem: String(cause).slice(0, 2_000) })

await Effect.all([work, work], { concurrency: 2 }).pipe(
  Effect.provide(layer),
  Effect.catchCause(problemOf),
  Effect.runPromise
)
