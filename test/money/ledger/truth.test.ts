/**
 * The ledger's entries of a run equal the model server's counts, whatever happens in between: over interleavings of runs,
 * resumes, forks, retries, live sessions and sub-agents of four CLIs, and of hosts that are killed and started again.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema, Scope } from "effect"
import { Aborted, Exited } from "../../../src/contract/AgentError.ts"
import type { AgentRunResult, AgentUsage } from "../../../src/contract/AgentRunResult.ts"
import { addUsage } from "../../../src/contract/addUsage.ts"
import type { End, RunStart, SessionStart, TurnStart } from "../../../src/contract/Start.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { usageReport } from "../../../src/money/ledger/report.ts"
import { entryOfRow } from "../../../src/money/ledger/rows.ts"
import { checkQuery } from "../../../src/money/ledger/usageQuery.ts"
import type { Pricing } from "../../../src/money/prices/makePricing.ts"
import { runs } from "../../kit/runs.ts"
import { type Course, endOf, makeKernel } from "./kernel.ts"

const cliIds = ["claude", "gemini", "codex", "opencode", "pi"] as const
type CliId = (typeof cliIds)[number]

const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))

/** One answer of the model server. */
const Answer = Schema.Struct({ model: Schema.Literals(["large", "small"]), inputTokens: Tokens, outputTokens: Tokens })
type Answer = typeof Answer.Type
const Answers = Schema.Array(Answer).check(Schema.isMinLength(1), Schema.isMaxLength(4))

const Ending = Schema.Literals(["completes", "completes", "completes", "fails", "is aborted"])

const Story = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("run"),
    cli: Schema.Literals(cliIds),
    how: Schema.Literals(["new", "resumed", "forked"]),
    answers: Answers,
    ending: Ending,
    /** How often it is tried again, as another run, with the same answers. */
    retries: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 }))
  }),
  Schema.Struct({
    type: Schema.Literal("session"),
    cli: Schema.Literals(cliIds),
    turns: Schema.Array(Schema.Struct({ answers: Answers, ending: Ending, isOwn: Schema.Boolean })).check(
      Schema.isMaxLength(3)
    )
  })
])
type Story = typeof Story.Type

/** Which of the stories goes on by a step; a negative one kills the host of that number. */
const Picks = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -2, maximum: 9 }))).check(
  Schema.isMinLength(10),
  Schema.isMaxLength(80)
)

const microsOf = ({ model, inputTokens, outputTokens }: Answer) =>
  (model === "large" ? 10 : 1) * (inputTokens + 5 * outputTokens)

const usageOf = (answers: ReadonlyArray<Answer>): AgentUsage =>
  answers.reduce<AgentUsage>(
    (sum, { inputTokens, outputTokens }) => addUsage(sum, { inputTokens, outputTokens }) ?? sum,
    {
      inputTokens: 0,
      outputTokens: 0
    }
  )

const costOf = (answers: ReadonlyArray<Answer>) => answers.reduce((sum, answer) => sum + microsOf(answer), 0)

const byModel = (answers: ReadonlyArray<Answer>, hasCosts: boolean) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, ({ model }) => model)).map(([model, own = []]) => [
      model,
      { ...usageOf(own), ...(hasCosts ? { costUsd: costOf(own) / 1e6 } : {}) }
    ])
  )

/** Usage that each CLI reports at the end, and while it runs. */
const reports: {
  readonly [Cli in CliId]: {
    readonly isMetered: boolean
    readonly hasCosts: boolean
    readonly result: (answers: ReadonlyArray<Answer>) => Partial<AgentRunResult>
  }
} = {
  claude: {
    isMetered: true,
    hasCosts: true,
    result: (answers) => ({
      usage: usageOf(answers),
      totalCostUsd: costOf(answers) / 1e6,
      modelUsage: byModel(answers, true),
      numTurns: answers.length
    })
  },
  gemini: {
    isMetered: false,
    hasCosts: false,
    result: (answers) => ({ usage: usageOf(answers), modelUsage: byModel(answers, false) })
  },
  codex: { isMetered: false, hasCosts: false, result: (answers) => ({ usage: usageOf(answers) }) },
  opencode: {
    isMetered: true,
    hasCosts: true,
    result: (answers) => ({ usage: usageOf(answers), totalCostUsd: costOf(answers) / 1e6 })
  },
  pi: {
    isMetered: true,
    hasCosts: true,
    result: (answers) => ({ usage: usageOf(answers), totalCostUsd: costOf(answers) / 1e6 })
  }
}

type Host = Effect.Success<ReturnType<typeof makeKernel>["makeHost"]>

/** A run or a turn, as the model server saw it. */
interface Served {
  readonly cli: CliId
  readonly host: Host
  readonly answers: Array<Answer>
  /** Its host was killed, or it was cut off before its CLI reported its end. */
  isCut: boolean
  isEnded: boolean
}

const play = Effect.fnUntraced(function* (stories: ReadonlyArray<Story>, picks: ReadonlyArray<number>) {
  const store = yield* Store
  const { sql, read } = store
  for (const table of ["usage_entries", "usage_open"]) yield* read(sql.unsafe(`delete from ${table}`))
  // Prices of models that the table knows.
  const pricing: Pricing = {
    priceOf: ({ model, usage }) =>
      Effect.succeed(
        model !== "large" && model !== "small"
          ? undefined
          : {
              micros: microsOf({ model, inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 }),
              version: "t",
              source: "table",
              isEstimate: false
            }
      )
  }
  const kernel = makeKernel(store, pricing)
  const scope = yield* Scope.make()
  const makeHost = Scope.provide(kernel.makeHost, scope)
  const hosts = [yield* makeHost, yield* makeHost]
  const served = new Map<string, Served>()
  /** Sessions of which a turn was cut off, so that it told no models. */
  const cutTurns = new Set<string>()
  let ids = 0
  let sessions = 0

  const resultOf = (cli: CliId, answers: ReadonlyArray<Answer>, ending: typeof Ending.Type): End => {
    const reported = reports[cli].result(answers)
    if (ending === "completes") return endOf(reported)
    // A CLI that is stopped reports no end; what was summed up before is its decoder's.
    const soFar = reports[cli].isMetered ? { usage: usageOf(answers) } : {}
    return ending === "fails"
      ? endOf(soFar, new Exited({ exitCode: 1, category: "crash", stderr: "" }))
      : endOf({ ...soFar, outcome: "aborted" }, new Aborted())
  }

  /** Its answers, one by one, with a `usage` event where the CLI has them. */
  const answering = function* (id: string, { admission }: Course, cli: CliId, answers: ReadonlyArray<Answer>) {
    const observed: Array<Answer> = []
    const known = served.get(id)
    for (const answer of answers) {
      observed.push(answer)
      known?.answers.push(answer)
      const usage = { type: "usage", usage: usageOf(observed), model: answer.model } as const
      const cost = cli === "opencode" || cli === "pi" ? { totalCostUsd: costOf(observed) / 1e6 } : {}
      yield reports[cli].isMetered ? (admission.onUsage?.({ ...usage, ...cost }) ?? Effect.void) : Effect.void
    }
  }

  type Steps = Generator<Effect.Effect<unknown, unknown>, void, unknown>

  const startOf = (cli: CliId, id: string) => ({ id, cli, workingDirectory: "/project", limits: {} })

  const serve = (host: Host, id: string, cli: CliId, ending: typeof Ending.Type): Served => {
    const known = { cli, host, answers: [], isCut: ending !== "completes", isEnded: false }
    served.set(id, known)
    return known
  }

  /** Runs the effect as a step, and gives what it makes. */
  const step = function* <A>(
    effect: Effect.Effect<A, unknown>
  ): Generator<Effect.Effect<unknown, unknown>, A, unknown> {
    let made: A | undefined
    yield Effect.map(effect, (value) => {
      made = value
    })
    return made as A // the step has run
  }

  const ended = (id: string) =>
    Effect.sync(() => {
      const known = served.get(id)
      if (known !== undefined) known.isEnded = true
    })

  const runs = function* (host: Host, story: Extract<Story, { type: "run" }>): Steps {
    const { cli, how, answers, ending, retries } = story
    for (let attempt = 0; attempt <= retries; attempt++) {
      const id = `run-${++ids}`
      const params = {
        prompt: "",
        model: "large",
        ...(how === "new" ? {} : { sessionId: "s0" }),
        ...(how === "forked" ? { forkSession: true } : {})
      }
      const start: RunStart = { type: "run", ...startOf(cli, id), params }
      const course = yield* step(host.begin(start, how === "resumed" ? "s0" : `s${++sessions}`))
      serve(host, id, cli, ending)
      yield* answering(id, course, cli, answers)
      yield* step(Effect.andThen(course.end(resultOf(cli, answers, ending)), ended(id)))
    }
  }

  const sessionOf = function* (host: Host, { cli, turns }: Extract<Story, { type: "session" }>): Steps {
    const id = `session-${++ids}`
    const session: SessionStart = { type: "session", ...startOf(cli, id), params: { model: "large" } }
    const course = yield* step(host.begin(session, `s${++sessions}`))
    const all: Array<Answer> = []
    for (const { answers, ending, isOwn } of turns) {
      if (isOwn) {
        // A turn that the CLI begins by itself is known by the sum of the session alone.
        const known = served.get(id) ?? serve(host, id, cli, "completes")
        known.answers.push(...answers)
        all.push(...answers)
        continue
      }
      const turn = `turn-${++ids}`
      const start: TurnStart = {
        type: "turn",
        id: turn,
        cli,
        workingDirectory: "/project",
        prompt: "",
        session
      }
      const taking = yield* step(host.begin(start))
      serve(host, turn, cli, ending)
      if (ending !== "completes") cutTurns.add(id)
      yield* answering(turn, taking, cli, answers)
      const end = resultOf(cli, answers, ending)
      if (end.result.usage !== undefined) all.push(...answers)
      yield* step(Effect.andThen(taking.end(end), ended(turn)))
    }
    yield* step(Effect.andThen(course.end(endOf(reports[cli].result(all))), ended(id)))
  }

  const lives: Array<{ readonly host: Host; readonly steps: Steps }> = stories.map((story, index) => {
    const host = hosts[index % 2] ?? hosts[0]
    if (host === undefined) throw new Error("no host")
    return { host, steps: story.type === "run" ? runs(host, story) : sessionOf(host, story) }
  })
  const advance = Effect.fnUntraced(function* (live: (typeof lives)[number]) {
    if (live.host.isDead()) return false
    const next = live.steps.next()
    if (next.done !== true) yield* Effect.orDie(next.value)
    return next.done !== true
  })
  for (const pick of picks) {
    const live = lives[pick % Math.max(1, lives.length)]
    const host = pick < 0 ? hosts[-1 - pick] : undefined
    if (host !== undefined) {
      host.kill()
      hosts[-1 - pick] = yield* makeHost
      for (const known of served.values()) if (known.host === host && !known.isEnded) known.isCut = true
    } else if (live !== undefined) yield* advance(live)
  }
  for (const live of lives) while (yield* advance(live));
  for (const host of hosts) yield* host.closeLost
  yield* Scope.close(scope, Exit.void)

  const rows = yield* read(sql<object>`select * from usage_entries`)
  const entries = rows.flatMap((row) => entryOfRow(row) ?? [])
  for (const [id, { cli, answers, isCut, isEnded }] of served) {
    const own = entries.filter(({ runId, turnId }) => (turnId ?? runId) === id)
    const sum = (name: "input" | "output" | "micros") => own.reduce((all, entry) => all + (entry[name] ?? 0), 0)
    const [input, output, micros] = [sum("input"), sum("output"), sum("micros")]
    const { inputTokens = 0, outputTokens = 0 } = usageOf(answers)
    if (cli === "claude" && isEnded && !isCut && !cutTurns.has(id)) {
      const models = own.flatMap(({ model, input, output }) =>
        (input ?? 0) + (output ?? 0) > 0 ? [[model, input]] : []
      )
      const request = Object.entries(byModel(answers, false)).filter(
        ([, each]) => (each.inputTokens ?? 0) + (each.outputTokens ?? 0) > 0
      )
      assert.sameDeepMembers(
        models.map(([model, count]) => [model, count ?? 0]),
        request.map(([model, each]) => [model, each.inputTokens ?? 0]),
        `${id} by model`
      )
    }
    if (id.startsWith("session")) {
      if (isEnded && !isCut) assert.deepStrictEqual([input, output], [inputTokens, outputTokens], id)
      continue
    }
    assert.notStrictEqual(own.length, 0, `${id} of ${cli} has no entry`)
    if (!isCut) {
      assert.deepStrictEqual([input, output], [inputTokens, outputTokens], `${id} of ${cli}`)
      if (reports[cli].hasCosts) assert.strictEqual(micros, costOf(answers), `${id} of ${cli} costs`)
    } else {
      assert.isTrue(
        own.every(({ source }) => source === "estimate" || source === "none"),
        `${id} of ${cli} is certain`
      )
      assert.deepStrictEqual([input, output], reports[cli].isMetered ? [inputTokens, outputTokens] : [0, 0], id)
    }
  }
  assert.strictEqual(new Set(entries.map(({ id }) => id)).size, entries.length)
  assert.deepStrictEqual(yield* read(sql<object>`select id from usage_open`), [])
  for (const by of ["day", "model", "session"] as const) {
    const query = yield* Effect.fromResult(checkQuery({ by, zone: "UTC" }))
    const { total, rows: parts } = yield* usageReport(store, query)
    assert.strictEqual(
      total.micros,
      entries.reduce((all, { micros }) => all + (micros ?? 0), 0)
    )
    assert.strictEqual(
      parts.reduce((all, { micros }) => all + micros, 0),
      total.micros
    )
    assert.strictEqual(
      total.unpriced.runs,
      new Set(entries.filter(({ micros }) => micros === null).map(({ runId, turnId }) => `${runId}/${turnId}`)).size
    )
  }
})

describe("the ledger", () => {
  it.effect.prop(
    "has what the model server counted",
    [Schema.Array(Story).check(Schema.isMinLength(1), Schema.isMaxLength(5)), Picks],
    ([stories, picks]) => Effect.scoped(Effect.provide(play(stories, picks), Store.layerMemory())),
    runs(150)
  )
})
