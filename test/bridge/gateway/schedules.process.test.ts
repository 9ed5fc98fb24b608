/** A schedule runs when it says, once, for an owner, and only after a person has agreed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Option, Result, Scope } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { checkedCron, checkedTime } from "../../../src/bridge/gateway/cronTimes.ts"
import type { GatewayRole } from "../../../src/bridge/gateway/GatewayOptions.ts"
import type { AskedSchedule } from "../../../src/bridge/gateway/gatewayContext.ts"
import { gatewayTools } from "../../../src/bridge/gateway/gatewayTools.ts"
import { runSchedules } from "../../../src/bridge/gateway/runSchedules.ts"
import { Journal } from "../../../src/bridge/journal/Journal.ts"
import { ChannelLost } from "../../../src/bridge/ServeError.ts"
import { StoreError, StoreRefused } from "../../../src/contract/StoreError.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { type Bench, call, conversation, namesOf, team, turnOf, withBench } from "./gatewayOf.ts"

const at = (text: string) => new Date(text).getTime()
const start = at("2026-11-23T10:00:00Z")

/** The tools of an owner, and what people were asked. */
const ownersOf = ({ gateway, journal }: Bench) => {
  const request: Array<AskedSchedule> = []
  const ask = (schedule: AskedSchedule) => Effect.sync(() => void request.push(schedule))
  const schedules = { journal: journal.schedules, ask, zone: "Europe/Berlin", mostUsd: 1 }
  const tools = gatewayTools({ ...gateway, role: "owner", profile: "full", schedules })
  return { asked: request, tools, add: (input: object) => call(tools, "schedule_add", { prompt: "look", ...input }) }
}

const withOwner = <A, E>(body: (bench: Bench & ReturnType<typeof ownersOf>) => Effect.Effect<A, E, Scope.Scope>) =>
  withBench(
    (bench) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        bench.turn = turnOf("t1", "owner")
        return yield* body({ ...bench, ...ownersOf(bench) })
      }),
    { role: "owner" }
  )

describe("cron expressions", () => {
  const good: ReadonlyArray<readonly [string, string]> = [
    ["*/5 * * * *", "2026-11-23T10:05:00.000Z"],
    ["0 9 * * 1", "2026-11-30T08:00:00.000Z"],
    ["0,30 8-18 * * 1-5", "2026-11-23T10:30:00.000Z"],
    ["0 0 29 2 *", "2028-02-28T23:00:00.000Z"],
    ["59 23 1 1 *", "2027-01-01T22:59:00.000Z"]
  ]
  it.each(good)("%s runs next at %s", (cron, next) => {
    const times = Result.getOrThrow(checkedCron(cron, "Europe/Berlin", start))
    assert.strictEqual(new Date(times[0] ?? 0).toISOString(), next)
  })

  const bad: ReadonlyArray<readonly [string, RegExp]> = [
    ["* * * * *", /at least 5 minutes/],
    ["*/4 * * * *", /at least 5 minutes/],
    ["0,58 * * * *", /T10:58:00.000Z and 2026-11-23T11:00:00.000Z/],
    ["58,59 23 * 12 *", /at least 5 minutes/],
    ["0,59 0,23 1,31 * *", /at least 5 minutes/],
    ["0 0 30 2 *", /never comes/],
    ["0 25 * * *", /not a cron expression/],
    ["* * * * * *", /has 6 fields/],
    ["@daily", /has 1 fields/],
    ["", /has 1 fields/],
    ["x".repeat(9999), /has 1 fields/]
  ]
  it.each(bad)("%s is refused", (cron, problem) => {
    const content = Option.getOrElse(Result.getFailure(checkedCron(cron, "Europe/Berlin", start)), () => "")
    assert.match(content, problem)
    assert.isBelow(content.length, 300)
  })

  it.each([
    ["2026-11-23T12:00", "2026-11-23T11:00:00.000Z"],
    ["2026-11-23T12:00:00+05:30", undefined],
    ["2026-11-23T18:00:00+05:30", "2026-11-23T12:30:00.000Z"],
    ["2026-11-23T10:00:01Z", "2026-11-23T10:00:01.000Z"],
    ["2026-11-23T10:00:00Z", undefined],
    ["2029-01-01T00:00Z", undefined],
    ["2026-13-45T99:99", undefined],
    ["tomorrow", undefined],
    ["1e9", undefined]
  ])("the time %s is %s", (text, time) => {
    const read = Option.getOrUndefined(Result.getSuccess(checkedTime(text, "Europe/Berlin", start)))
    assert.strictEqual(read === undefined ? undefined : new Date(read).toISOString(), time)
  })
})

describe("the tools for schedules", () => {
  it.effect("are there for owners with the full profile alone, at each call", () =>
    withOwner((bench) =>
      Effect.gen(function* () {
        const names = ["schedule_add", "schedule_list", "schedule_remove"]
        assert.includeMembers(namesOf(bench.tools), names)
        const schedules = { journal: bench.journal.schedules, ask: () => Effect.void, zone: "UTC", mostUsd: 1 }
        for (const role of ["user", "approver", "admin"] as const) {
          const tools = gatewayTools({ ...bench.gateway, role, profile: "full", schedules })
          assert.notIncludeMembers(namesOf(tools), names)
        }
      })
    )
  )

  it.effect("refuse a turn of another role", () =>
    withBench(
      (bench) =>
        Effect.gen(function* () {
          const { add, asked: request, tools } = ownersOf(bench)
          bench.turn = turnOf("t2", "admin")
          for (const name of ["schedule_list", "schedule_remove"]) {
            assert.match(yield* Effect.flip(call(tools, name, { id: "x" })), /for owners alone/)
          }
          assert.match(yield* Effect.flip(add({ cron: "0 9 * * *" })), /for owners alone/)
          assert.deepStrictEqual(request, [])
        }),
      { role: "owner" }
    )
  )

  it.effect("ask a person, list and remove", () =>
    withOwner(({ add, asked: request, tools, journal }) =>
      Effect.gen(function* () {
        const { id, status, next } = yield* add({ cron: "0 9 * * *" })
        assert.strictEqual(status, "asked")
        assert.deepStrictEqual(
          next,
          [24, 25, 26].map((day) => `2026-11-${day}T08:00:00.000Z`)
        )
        const [schedule] = request
        assert.deepInclude(schedule, {
          id: String(id),
          person: "ann",
          turnId: "t1",
          zone: "Europe/Berlin",
          budgetUsd: 1
        })
        const list = Effect.map(call(tools, "schedule_list", {}), ({ schedules }) => schedules)
        const row = {
          id,
          prompt: "look",
          cron: "0 9 * * *",
          zone: "Europe/Berlin",
          budgetUsd: 1,
          next: [next].flat().slice(0, 1)
        }
        assert.deepStrictEqual(yield* list, [{ ...row, state: "asked" }])
        assert.deepStrictEqual(yield* journal.schedules.list("active"), [])
        yield* journal.schedules.agree(String(id))
        assert.deepStrictEqual(yield* list, [{ ...row, state: "active" }])
        assert.strictEqual(yield* journal.schedules.addedBy("t1"), 1)
        yield* call(tools, "schedule_remove", { id })
        assert.deepStrictEqual(yield* list, [])
        assert.match(yield* Effect.flip(call(tools, "schedule_remove", { id })), /is not a schedule of this chat/)
      })
    )
  )

  it.effect.each([
    [{}, /give either "cron" or "at"/],
    [{ cron: "0 9 * * *", at: "2026-12-01T09:00" }, /give either/],
    [{ cron: "* * * * *" }, /at least 5 minutes/],
    [{ cron: "0 9 * * *", zone: "Mars/Base" }, /^"zone": "Mars\/Base" is not a time zone/],
    [{ at: "2026-11-01T09:00" }, /is over/],
    [{ cron: "0 9 * * *", prompt: " " }, /^"prompt" is empty/],
    [{ cron: "0 9 * * *", prompt: "a".repeat(10_001) }, /^"prompt" has 10001 bytes/],
    [{ when: "2026-12-01T09:00" }, /^"when" is not a known field; did you mean "at"\?/]
  ] as const)("refuse a wrong input with the culprit", ([input, problem]) =>
    withOwner(({ add, asked: request, journal }) =>
      Effect.gen(function* () {
        assert.match(yield* Effect.flip(add(input)), problem)
        assert.deepStrictEqual([request, yield* journal.schedules.list("asked")], [[], []])
      })
    )
  )

  it.effect("take 20 a conversation, also at once, and remove none of another", () =>
    withOwner(({ add, asked: request, tools, journal }) =>
      Effect.gen(function* () {
        yield* journal.schedules.put({ id: "foreign", conversation: team, person: "bob", runAt: 1, prompt: "x" })
        for (const id of ["foreign", "__proto__", ""]) {
          assert.match(yield* Effect.flip(call(tools, "schedule_remove", { id })), /is not a schedule of this chat/)
        }
        const added = yield* Effect.forEach(
          Array.from({ length: 22 }, (_, nth) => nth),
          (nth) => Effect.result(add({ cron: `${nth} 9 * * *` })),
          { concurrency: "unbounded" }
        )
        const [last] = added.flatMap((result) => (Result.isFailure(result) ? [result.failure] : []))
        assert.match(last ?? "", /this chat has 20 schedules/)
        assert.strictEqual(request.length, 20)
        assert.strictEqual((yield* journal.schedules.list("asked", conversation)).length, 20)
        assert.strictEqual((yield* journal.schedules.list("asked", team)).length, 1)
      })
    )
  )
})

/** The loop over the journal of a bench, and the keys of what it ran. */
const running = ({ journal }: Bench, roleOf: (person: string) => GatewayRole | undefined = () => "owner") =>
  Effect.gen(function* () {
    const fired: Array<string> = []
    const fiber = yield* Effect.forkScoped(
      runSchedules({
        journal: journal.schedules,
        roleOf: (person) => Effect.sync(() => roleOf(person)),
        fire: ({ id }, key) =>
          Effect.sync(() => {
            assert.isTrue(key.startsWith(`schedule/${id}/`))
            fired.push(`${id} ${new Date(Number(key.slice(`schedule/${id}/`.length))).toISOString().slice(5, 16)}`)
          }),
        onFired: () => Effect.void,
        zone: "Europe/Berlin"
      })
    )
    yield* TestClock.adjust(0)
    return { fired, fiber }
  })

const active = (
  { journal: { schedules } }: Bench,
  id: string,
  when: { cron?: string; runAt?: number; zone?: string }
) => Effect.andThen(schedules.put({ id, conversation, person: "ann", prompt: "look", ...when }), schedules.agree(id))

describe("schedules at work", () => {
  it.effect("run in their minute, in their zone", () =>
    withOwner((bench) =>
      Effect.gen(function* () {
        yield* active(bench, "berlin", { cron: "15 11 * * *" })
        yield* active(bench, "tokyo", { cron: "20 19 * * *", zone: "Asia/Tokyo" })
        yield* active(bench, "once", { runAt: at("2026-11-23T10:17:30Z") })
        yield* bench.journal.schedules.put({ id: "asked", conversation, person: "ann", cron: "* * * * *", prompt: "x" })
        const { fired } = yield* running(bench)
        for (let minute = 0; minute < 60; minute++) yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(fired, ["berlin 11-23T10:15", "once 11-23T10:17", "tokyo 11-23T10:20"])
      })
    )
  )

  it.effect("run once late after a restart, and make no missed minute up", () =>
    withOwner((bench) =>
      Effect.gen(function* () {
        yield* active(bench, "cron", { cron: "0 * * * *" })
        yield* active(bench, "once", { runAt: at("2026-11-23T10:30:00Z") })
        const first = yield* Scope.make()
        const before = yield* Scope.provide(running(bench), first)
        assert.deepStrictEqual(before.fired, ["cron 11-23T10:00"])
        yield* Scope.close(first, Exit.void)
        yield* TestClock.setTime(at("2026-11-23T13:40:12Z"))
        const { fired } = yield* running(bench)
        assert.deepStrictEqual(fired, ["once 11-23T10:30"])
        yield* TestClock.adjust("20 minutes")
        assert.deepStrictEqual(fired, ["once 11-23T10:30", "cron 11-23T14:00"])
      })
    )
  )

  it.effect("run once a minute and date, however often they are checked, also where the clock goes back", () =>
    withOwner((bench) =>
      Effect.gen(function* () {
        yield* active(bench, "cron", { cron: "0 * * * *" })
        const [one, two] = [yield* running(bench), yield* running(bench)]
        yield* TestClock.adjust("30 seconds")
        assert.deepStrictEqual([...one.fired, ...two.fired], ["cron 11-23T10:00"])
        yield* TestClock.setTime(at("2026-11-23T09:00:00Z"))
        yield* running(bench)
        const third = yield* running(bench)
        assert.deepStrictEqual(third.fired, [])
      })
    )
  )

  it.effect("run once in the hour that a clock has twice, and in the one that it skips", () =>
    withOwner((bench) =>
      Effect.gen(function* () {
        yield* active(bench, "cron", { cron: "30 2 * * *" })
        for (const [from, times] of [
          ["2026-10-24T23:30:00Z", "cron 10-25T00:30"],
          ["2027-03-27T23:30:00Z", "cron 03-28T01:30"]
        ] as const) {
          const scope = yield* Scope.make()
          yield* TestClock.setTime(at(from))
          const { fired } = yield* Scope.provide(running(bench), scope)
          for (let minute = 0; minute < 240; minute++) yield* TestClock.adjust("1 minute")
          assert.deepStrictEqual(fired, [times])
          yield* Scope.close(scope, Exit.void)
        }
      })
    )
  )

  it.effect("stop once they are removed, or their person is no longer an owner", () =>
    withOwner((bench) =>
      Effect.gen(function* () {
        for (const id of ["removed", "fallen"]) yield* active(bench, id, { cron: "*/10 * * * *" })
        yield* bench.journal.schedules.remove("removed")
        const { fired } = yield* running(bench, () => "admin")
        yield* TestClock.adjust("30 minutes")
        assert.deepStrictEqual([fired, yield* bench.journal.schedules.list("active")], [[], []])
      })
    )
  )

  it.effect("do not run where they are removed after they were read", () =>
    withOwner((bench) =>
      Effect.gen(function* () {
        const { schedules } = bench.journal
        yield* active(bench, "cron", { cron: "*/10 * * * *" })
        const list = (state: "active") => Effect.tap(schedules.list(state), () => schedules.remove("cron"))
        const journal = { ...bench.journal, schedules: { ...schedules, list } as typeof schedules }
        const { fired } = yield* running({ ...bench, journal })
        assert.deepStrictEqual(fired, [])
      })
    )
  )

  it.effect("are marked as run together with what they begin, or not at all", () =>
    withOwner((bench) =>
      Effect.gen(function* () {
        const { schedules, inbox } = bench.journal
        yield* active(bench, "once", { runAt: start })
        const [row] = yield* schedules.list("active")
        assert.isDefined(row)
        if (row === undefined) return
        const sender = { id: "ann", isBot: false }
        const message = { conversation, updateId: "schedule/once", chat: "direct", sentAt: 0, sender } as const
        const accept = inbox.accept({ ...message, text: "look", attachments: [], addressed: true })
        const refused = new StoreError({ reason: new StoreRefused({ place: "p", problem: "full", cure: "" }) })
        yield* Effect.flip(schedules.fire(row, start, Effect.andThen(accept, Effect.fail(refused))))
        assert.deepStrictEqual([(yield* inbox.open).length, (yield* schedules.list("active")).length], [0, 1])
        assert.isTrue(yield* schedules.fire(row, start, accept))
        assert.deepStrictEqual([(yield* inbox.open).length, (yield* schedules.list("active")).length], [1, 0])
      })
    )
  )

  it.effect("go on after a store that refuses, and end with the account", () =>
    withOwner((bench) =>
      Effect.gen(function* () {
        yield* active(bench, "cron", { cron: "*/5 * * * *" })
        const { schedules } = bench.journal
        const refused = new StoreError({ reason: new StoreRefused({ place: "p", problem: "full", cure: "" }) })
        let failure: StoreError | ChannelLost | undefined = refused
        const fire: typeof schedules.fire = (...value) => (failure ? Effect.fail(failure) : schedules.fire(...value))
        const { fired, fiber } = yield* running({
          ...bench,
          journal: { ...bench.journal, schedules: { ...schedules, fire } }
        })
        yield* TestClock.adjust("4 minutes")
        failure = undefined
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(fired, ["cron 11-23T10:05"])
        failure = new ChannelLost({ channel: "test", accountId: "bot" })
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "ChannelLost")
      })
    )
  )

  it.live("are there after a restart on a file", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const layer = Layer.provide(Journal.layer, Layer.fresh(Store.layerFile({ directory })))
      const own = Effect.flatMap(Journal, (journal) => journal.own("test", "bot"))
      yield* Effect.flatMap(own, ({ schedules }) =>
        Effect.andThen(
          schedules.put({ id: "once", conversation, person: "ann", runAt: 1, prompt: "look" }),
          schedules.agree("once")
        )
      ).pipe(Effect.scoped, Effect.provide(layer))
      const rows = yield* Effect.flatMap(own, ({ schedules }) => schedules.list("active")).pipe(
        Effect.scoped,
        Effect.provide(layer)
      )
      assert.deepInclude(rows[0], { id: "once", runAt: 1, prompt: "look" })
    }).pipe(Effect.scoped)
  )
})
