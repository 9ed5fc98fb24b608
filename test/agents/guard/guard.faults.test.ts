/**
 * Hosts that use one session, in processes and pid namespaces of their own: one CLI at a time, whatever becomes of its
 * host. A CLI that finds another one at work fails its run.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { Limits } from "../../../src/contract/AgentOptions.ts"
import type { WhenBusy } from "../../../src/contract/Sessions.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { program } from "../../kit/agent.ts"
import { completed, endingOf, errorOf, noticesOf } from "../../kit/events.ts"
import { type GuardedHost, ownNamespace, startGuardedHost } from "../../kit/guardedHost.ts"
import { ended, open } from "../../kit/live.ts"
import { endAll, isAlive, processesWith, until } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"

interface StartOptions {
  /** Its CLI stays until `open` is called. */
  readonly isGated?: boolean
  /** Its CLI is ended by SIGKILL alone. */
  readonly isDeaf?: boolean
  readonly limits?: Limits
  readonly whenBusy?: WhenBusy
  readonly by?: ReadonlyArray<string> | undefined
}

/** One session, and the hosts on it. */
const makeSession = Effect.gen(function* () {
  const folder = yield* makeDirectory
  const gate = join(folder, "gate")
  const sessionId = crypto.randomUUID()
  const start = (prompt: string, { isGated, isDeaf, limits, whenBusy, by = [] }: StartOptions = {}) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const args = [
          `--log=${folder}`,
          ...(isGated === true ? [`--gate=${gate}`] : []),
          ...(isDeaf === true ? ["--deaf"] : [])
        ]
        return startGuardedHost({
          id: "claude",
          options: { ...program("uses-session", ...args), ...(limits === undefined ? {} : { limits }) },
          params: { prompt, sessionId, ...(whenBusy === undefined ? {} : { whenBusy }) },
          state: join(folder, "state"),
          by
        })
      }),
      ({ child, ended }) =>
        Effect.promise(() => {
          child.kill("SIGKILL")
          return ended
        })
    )
  yield* Effect.addFinalizer(() => Effect.sync(() => endAll(processesWith(folder))))
  return {
    start,
    open: () => writeFileSync(gate, ""),
    folder,
    sessionId,
    /** Output of the CLIs, without their pids. */
    log: () => linesOf(join(folder, "log")).map((line) => line.replace(/ \d+$/, "")),
    pidOf: (prompt: string) =>
      Number(
        linesOf(join(folder, "log"))
          .find((line) => line.startsWith(`in ${prompt} `))
          ?.split(" ")[2]
      ),
    locks: () => readdirSync(join(folder, "state/reins/locks"))
  }
})

const linesOf = (file: string): ReadonlyArray<string> => {
  try {
    return readFileSync(file, "utf8").trim().split("\n")
  } catch {
    return []
  }
}

const atWork = ({ until: wait }: GuardedHost) =>
  Effect.promise(() => wait((events) => events.some(({ type }) => type === "text")))
const queuedOf = (events: ReadonlyArray<AgentEvent>) => noticesOf(events).filter(({ kind }) => kind === "queued")
const waits = ({ until: wait }: GuardedHost) => Effect.promise(() => wait((events) => queuedOf(events).length > 0))
const over = ({ ended }: GuardedHost) => Effect.promise(() => ended)

/** The reapers of a host: shells that it has started. */
const reapersOf = (pid: number) =>
  processesWith("reins-reaper").filter((each) => {
    const stat = readFileSync(`/proc/${each}/stat`, "utf8")
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid
  })

const places: ReadonlyArray<readonly [string, ReadonlyArray<string> | undefined]> = [
  ["of one machine", []],
  ["of two containers", ownNamespace]
]
if (ownNamespace === undefined) console.warn("no pid namespaces can be made: containers on one session are not tried")

describe.each(places)("two hosts %s", (_, by) => {
  const live = (name: string, test: Effect.Effect<void, never, Scope.Scope>) =>
    it.live.skipIf(by === undefined)(name, () => test)

  live(
    "use a session one after the other: the second CLI starts when the first is done, and its run says who it waits for",
    Effect.gen(function* () {
      const { start, open, log, locks } = yield* makeSession
      const first = yield* start("one", { isGated: true })
      yield* atWork(first)
      const second = yield* start("two", { by })
      yield* waits(second)
      assert.deepStrictEqual(log(), ["in one"])
      open()
      yield* over(second)
      assert.deepStrictEqual(log(), ["in one", "out one", "in two", "out two"])
      for (const { events } of [first, second]) assert.deepStrictEqual(endingOf(events), completed)
      const [queued] = queuedOf(second.events)
      assert.match(queued?.message ?? "", /^The start waits: process \d+ on .+ uses the session since \d{4}-.+Z$/)
      assert.deepInclude(queued?.data?.["holder"], { pid: first.child.pid })
      // Nothing of them is left but the file of the lock.
      assert.lengthOf(locks(), 1)
    })
  )

  live(
    "do not wait for longer than they may, and take nothing from one that is stopped",
    Effect.gen(function* () {
      const { start, open, log } = yield* makeSession
      const first = yield* start("one", { isGated: true })
      yield* atWork(first)
      first.child.kill("SIGSTOP")
      const second = yield* start("two", { by, limits: { busyWait: "1 second" } })
      const third = yield* start("three", { by, whenBusy: "fail" })
      const fourth = yield* start("four", { by, limits: { maxWait: "500 millis" } })
      for (const host of [second, third, fourth]) yield* over(host)
      for (const { events } of [second, third]) {
        assert.deepInclude(errorOf(events), { code: "session_busy", category: "busy", retryable: true })
        assert.include(errorOf(events).message, `process ${first.child.pid} on `)
      }
      assert.match(errorOf(second.events).message, /; waited 1(\.\d+)? s$/)
      assert.deepInclude(errorOf(fourth.events), { code: "limit_reached" })
      first.child.kill("SIGCONT")
      open()
      yield* over(first)
      assert.deepStrictEqual(endingOf(first.events), completed)
      assert.deepStrictEqual(log(), ["in one", "out one"])
    })
  )
})

describe("after a host that was killed", () => {
  it.live("its CLI is ended before the next one starts, although its reaper was killed, too", () =>
    Effect.gen(function* () {
      const { start, log, pidOf } = yield* makeSession
      const first = yield* start("one", { isGated: true, isDeaf: true })
      yield* atWork(first)
      const { pid = 0 } = first.child
      const [cli, reapers] = [pidOf("one"), reapersOf(pid)]
      assert.isNotEmpty(reapers)
      // Stopped first: it would replace its reaper.
      for (const signal of ["SIGSTOP", "SIGKILL"] as const) {
        if (signal === "SIGKILL") endAll(reapers)
        first.child.kill(signal)
      }
      yield* over(first)
      assert.isTrue(isAlive(cli))
      const second = yield* start("two", { limits: { busyWait: "10 seconds" } })
      yield* until(() => !isAlive(cli))
      yield* over(second)
      assert.match(queuedOf(second.events)[0]?.message ?? "", new RegExp(`its last user, process ${pid} on .+, died; `))
      assert.deepStrictEqual(log().slice(0, 1), ["in one"])
      // It has started: it leaves because of the sign that the first one could not take away.
      assert.deepInclude(errorOf(second.events), { code: "exit_code" })
    })
  )

  it.live.skipIf(ownNamespace === undefined)(
    "of another container, the next one waits for as long as its CLI may live",
    () =>
      Effect.gen(function* () {
        const { start, log } = yield* makeSession
        const first = yield* start("one", { isGated: true, by: ownNamespace })
        yield* atWork(first)
        first.child.kill("SIGKILL")
        yield* over(first)
        const second = yield* start("two", { limits: { busyWait: 0 } })
        yield* waits(second)
        assert.match(
          queuedOf(second.events)[0]?.message ?? "",
          /its last user died; what is left of it gets 6 s to end/
        )
        yield* over(second)
        assert.deepStrictEqual(log().slice(0, 1), ["in one"])
      })
  )
})

it.live("an idle live session of one host makes room for another host", () =>
  Effect.gen(function* () {
    const { start, folder, sessionId } = yield* makeSession
    const env = { ...process.env, HOME: folder, XDG_STATE_HOME: join(folder, "state") }
    const first = yield* open("claude", { sessionId }).pipe(Effect.provideService(HostEnvironment, env))
    yield* first.turn({ say: "hello" })
    const second = yield* start("two")
    yield* ended(first.log)
    assert.deepStrictEqual(endingOf(first.log.events), completed)
    assert.include(JSON.stringify(noticesOf(first.log.events)), "it was idle, and another process or run waits for it")
    yield* over(second)
    assert.deepStrictEqual(endingOf(second.events), completed)
  })
)

it.live("six hosts that come at once are let in one by one, and all of them are", () =>
  Effect.gen(function* () {
    const { start, log, locks } = yield* makeSession
    const names = ["a", "b", "c", "d", "e", "f"]
    const hosts = yield* Effect.forEach(names, (name) => start(name), { concurrency: "unbounded" })
    yield* Effect.forEach(hosts, over, { concurrency: "unbounded" })
    for (const { events } of hosts) assert.deepStrictEqual(endingOf(events), completed)
    const lines = log()
    assert.lengthOf(lines, 12)
    for (let at = 0; at < lines.length; at += 2) assert.strictEqual(lines[at + 1], lines[at]?.replace("in", "out"))
    assert.lengthOf(locks(), 1)
  })
)
