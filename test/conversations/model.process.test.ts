/** Any interleaving of turns, forks, failures, deaths of hosts and changes of the clock comes out as the model says. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { AgentFailed, Exited } from "../../src/contract/AgentError.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { runTurn } from "../../src/conversations/turns/runTurn.ts"
import { Arbitraries } from "../../src/testingEffect.ts"
import { runs } from "../kit/runs.ts"
import { makeKernel } from "./hostsOfModel.ts"
import { type Play, testAgent } from "./kit.ts"
import { makeModel } from "./model.ts"
import { storeKinds } from "./store/stores.ts"

type Course = Arbitraries.ConversationTurnStep["course"]

const plays: { readonly [Name in Course]: Play } = {
  answers: {},
  fails: { failure: new Exited({ exitCode: 1, category: "crash", stderr: "" }), text: "" },
  refuses: { failure: new AgentFailed({ code: "x", category: "overloaded", detail: "" }), text: "" },
  loses: { failure: new AgentFailed({ code: "x", category: "session_not_found", detail: "" }), text: "" },
  isEmpty: { text: "", facts: { numTurns: 0, apiDurationMs: 0 } },
  hangs: { until: Effect.never }
}

/** The steps on one store; true if all came out as the model has them. */
const perform = Effect.fnUntraced(function* (steps: ReadonlyArray<Arbitraries.ConversationStep>) {
  const store = yield* Store
  const { sql, read } = store
  // Nothing is cut off here, and disks are slow.
  if (store.kind !== "postgres") yield* read(sql.unsafe("pragma synchronous = off"))
  for (const table of ["conversations", "turns", "runs", "sessions"]) yield* read(sql.unsafe(`delete from ${table}`))
  const model = makeModel()
  const kernel = makeKernel()
  let present: { readonly course: Course; readonly text: string } = { course: "answers", text: "" }
  let request: Array<string | undefined> = []
  let begun: string | undefined
  let count = 0
  /** The second run of a turn answers. */
  const playOf = (params: AgentExecuteParams): Play => {
    const isFirst = request.length === 0
    request.push(params.sessionId)
    const isNew = params.sessionId === undefined || params.forkSession === true
    begun = isNew ? `s${++count}` : params.sessionId
    const play = plays[isFirst ? present.course : "answers"]
    return { text: present.text, ...play, ...(begun === undefined ? {} : { sessionId: begun }) }
  }
  const begin = () => {
    const agent = testAgent(playOf)
    return { agent, ...kernel.makeHost(agent, store) }
  }
  const hosts = [begin(), begin()]
  let now = 1_000_000_000_000
  const real = yield* Clock.Clock
  const clock: Clock.Clock = Object.assign(Object.create(real), {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now)
  })

  for (const [index, step] of steps.entries()) {
    if (step.type === "clock") {
      now += step.days * 86_400_000
      continue
    }
    const host = hosts[step.host]
    if (host === undefined) continue
    if (step.type === "kill") {
      host.kill()
      model.kill(step.host)
      hosts[step.host] = begin()
      continue
    }
    const turnId = step.turnId ?? `own${index}`
    present = { course: step.course, text: `answer ${index}` }
    request = []
    begun = undefined
    const opened = host.agent.calls.filter(({ isOpened }) => isOpened).length
    const running = yield* Effect.forkChild(
      Effect.match(
        runTurn(host.context, {
          conversation: step.conversation,
          turnId,
          prompt: step.prompt,
          fresh: step.fresh,
          onInterrupted: step.onInterrupted,
          onMissing: step.onMissing,
          whenBusy: "fail",
          ...(step.fork && !step.fresh ? { forkSession: true } : {})
        }),
        { onFailure: ({ reason }): string => reason._tag, onSuccess: ({ text }) => text }
      ).pipe(Effect.provideService(Clock.Clock, clock)),
      { startImmediately: true }
    )
    const hung = Effect.as(host.agent.opened(opened + 1), "hangs")
    const end = yield* step.course === "hangs" ? Effect.raceFirst(Fiber.join(running), hung) : Fiber.join(running)
    const expected = model.turn({ ...step, fork: step.fork && !step.fresh }, turnId, now, present.text, begun)
    const where = `step ${index} of ${JSON.stringify(steps)}`
    assert.deepStrictEqual({ end, asked: request }, expected, where)
    const mapped = yield* read(
      sql<{ conversation: string; session_id: string }>`select c.conversation, s.session_id from conversations c
        join sessions s on s.key = c.session_key`
    )
    assert.deepStrictEqual(
      Object.fromEntries(mapped.map((row) => [JSON.parse(row.conversation)[0], row.session_id])),
      Object.fromEntries(model.conversations),
      where
    )
  }
})

/** So many cases for each: a step is dozens of statements. */
const cases: Readonly<Record<string, number>> = { memory: 150, "a file": 15, PostgreSQL: 15 }

describe.each(storeKinds)("conversations, in $name", ({ name, place }) => {
  it.layer(Layer.unwrap(place), { excludeTestServices: true })("one store", (it) => {
    it.effect.prop(
      "come out as the model says",
      [Arbitraries.conversation],
      ([steps]) => Effect.scoped(perform(steps)),
      { ...runs(cases[name] ?? 1), timeout: 120_000 }
    )
  })
})
