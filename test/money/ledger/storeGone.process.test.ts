/** A store that is gone when a run starts, in its middle or at its end costs the run nothing and the ledger no entry. */
import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Stream } from "effect"
import { NotInstalled } from "../../../src/contract/AgentError.ts"
import type { RunStart } from "../../../src/contract/Start.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeReports } from "../../../src/money/ledger/makeLedger.ts"
import { openIn } from "../../conversations/store/stores.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { endOf, makeKernel } from "./kernel.ts"

const start = (id: string): RunStart => ({
  type: "run",
  id,
  cli: "claude",
  workingDirectory: "/project",
  limits: {},
  params: { prompt: "" }
})

const end = endOf({ usage: { inputTokens: 40 }, totalCostUsd: 0.25 })

const stored = () => join(process.env["XDG_STATE_HOME"] ?? "", "reins", "unwritten-usage")
const files = () => readdirSync(stored()).filter((name) => name.endsWith(".json"))

/** With what is logged meanwhile. */
const logging = <A, E, R>(test: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return Effect.scoped(Effect.provide(test(lines), Logger.layer([logger])))
  })

const setUp = Effect.gen(function* () {
  const directory = yield* makeDirectory
  const store = yield* openIn(Store.layerFile({ directory }))
  rmSync(stored(), { recursive: true, force: true })
  const kernel = makeKernel(store)
  const found = Effect.map(Stream.runCollect(makeReports(store).entries()), (all) =>
    all.map(({ runId, micros, source, inputTokens }) => ({ runId, micros, source, inputTokens }))
  )
  return { store, host: yield* kernel.makeHost, found, makeHost: kernel.makeHost }
})

const failedToStart = endOf({ outcome: "failed" }, new NotInstalled({ command: "claude", install: "", signIn: "" }))

const whole = (runId: string) => ({ runId, micros: 250_000, source: "cli" as const, inputTokens: 40 })

describe("a store that is gone", () => {
  it.live("in the middle of a run: its entry is kept, told, and posted with the next one", () =>
    logging((lines) =>
      Effect.gen(function* () {
        const { host, found } = yield* setUp
        const lost = yield* host.begin(start("a"))
        host.loseStore()
        yield* lost.admission.onUsage?.({ type: "usage", usage: { inputTokens: 1 } }) ?? Effect.void
        yield* lost.end(end)
        assert.deepStrictEqual(lines, [
          "the usage of a run is kept in a file until the store can be written again: The store cannot be used: it is gone"
        ])
        assert.strictEqual(files().length, 1)
        host.findStore()
        yield* (yield* host.begin(start("b"))).end(end)
        assert.strictEqual(files().length, 0)
        assert.sameDeepMembers(yield* found, [whole("a"), whole("b")])
      })
    )
  )

  it.live("as is the place for files: its entry stays in memory, and is posted with the next one", () =>
    logging((lines) =>
      Effect.gen(function* () {
        const { host, found } = yield* setUp
        const lost = yield* host.begin(start("a"))
        // As on a disk that is full.
        writeFileSync(stored(), "")
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(stored(), { force: true })))
        host.loseStore()
        yield* lost.end(end)
        assert.deepStrictEqual(lines, [
          "the usage of a run is kept in memory, since no file can be written either: The store cannot be used: it is gone"
        ])
        host.findStore()
        yield* (yield* host.begin(start("b"))).end(end)
        assert.sameDeepMembers(yield* found, [whole("a"), whole("b")])
      })
    )
  )

  it.live("when nothing was started after all: no row of it is left", () =>
    logging(() =>
      Effect.gen(function* () {
        const { store, host } = yield* setUp
        const course = yield* host.begin(start("a"))
        host.loseStore()
        yield* course.end(failedToStart)
        host.findStore()
        yield* (yield* host.begin(start("b"))).end(end)
        assert.deepStrictEqual(yield* store.read(store.sql`select id from usage_open`), [])
      })
    )
  )

  it.live("before its start: the run goes on, and is written with its end", () =>
    logging((lines) =>
      Effect.gen(function* () {
        const { host, found } = yield* setUp
        host.loseStore()
        const course = yield* host.begin(start("a"))
        assert.match(lines.join(), /^a run is written to the ledger with its end alone/)
        host.findStore()
        yield* course.end(end)
        assert.deepStrictEqual(yield* found, [whole("a")])
      })
    )
  )

  it.live("at the end of a run whose host then dies: its own word counts, not an estimate", () =>
    logging(() =>
      Effect.gen(function* () {
        const { host, found, makeHost } = yield* setUp
        const course = yield* host.begin(start("a"))
        yield* course.admission.onUsage?.({ type: "usage", usage: { inputTokens: 1 } }) ?? Effect.void
        host.loseStore()
        yield* course.end(end)
        host.kill()
        const other = yield* makeHost
        yield* other.closeLost
        assert.deepStrictEqual(yield* found, [whole("a")])
        assert.strictEqual(files().length, 0)
        yield* other.closeLost
        assert.strictEqual((yield* found).length, 1)
      })
    )
  )

  it.live("with a file of something else in its place: that stays as it is, and the others are posted", () =>
    logging((lines) =>
      Effect.gen(function* () {
        const { host, found, store } = yield* setUp
        const course = yield* host.begin(start("a"))
        host.loseStore()
        yield* course.end(end)
        const [prefix = ""] = files()[0]?.split("-") ?? []
        const strange = `${prefix}-0.json`
        writeFileSync(join(stored(), strange), '{"version":1,"posting":{"id":"x","entries":[{"id":7}]}}')
        writeFileSync(join(stored(), `${prefix}-1.json`), "\u0000\u001b[2J")
        const total = yield* makeReports(store).usage()
        assert.strictEqual(total.total.micros, 250_000)
        assert.lengthOf(
          lines.filter((line) => line.endsWith("is not the usage of a run, and is left as it is")),
          2
        )
        assert.lengthOf(files(), 2)
        assert.lengthOf(yield* found, 1)
        rmSync(stored(), { recursive: true })
      })
    )
  )

  it.live("and a clock that was set back a day: the entry has the time of the clock, and the report has it", () =>
    logging(() =>
      Effect.gen(function* () {
        const { host, store } = yield* setUp
        const course = yield* host.begin({ ...start("a") })
        yield* store.transact(store.sql`update usage_open set started = started + 86400000`)
        yield* course.end(end)
        assert.strictEqual((yield* makeReports(store).usage({ since: Date.now() - 60_000 })).total.runs, 1)
      })
    )
  )
})
