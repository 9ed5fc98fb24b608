/** Who may use a session now: locks and the files beside them, with holders of other processes made up. */
import { createHash } from "node:crypto"
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, Scope } from "effect"
import { collectLocks, type HoldOptions, hold, holdSubject, OwnLocks } from "../../../src/agents/guard/hold.ts"
import { whoHolds } from "../../../src/agents/guard/holderFile.ts"
import { findPlace, isWanted, lockName, type Subject } from "../../../src/agents/guard/place.ts"
import type { Waiting } from "../../../src/contract/Start.ts"
import { FileLocks, isLocked } from "../../../src/system/locks/fileLocks.ts"
import { PasswordHome } from "../../../src/system/locks/stateDirectory.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { Host, makeHost, makeRunId } from "../../../src/system/process/host.ts"
import { until } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const subject: Subject = { what: "session", cli: "claude", sessionId: "one" }
const runId = `${crypto.randomUUID()}.${crypto.randomUUID()}`

/** In a state directory of its own. */
const inState = <A, E>(test: (state: string) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.scoped(
    Effect.flatMap(makeDirectory, (state) =>
      Effect.provideService(test(join(state, "reins")), HostEnvironment, { XDG_STATE_HOME: state })
    )
  )

const request = (options: Partial<HoldOptions> = {}) => {
  const waits: Array<Waiting> = []
  const queued = (waiting: Waiting) => void waits.push(waiting)
  return { waits, held: hold({ subject, runId, use: "write", patienceMs: 0, queued, ...options }) }
}

/** As another process of this machine: the lock is its own, and so is its id. */
const elsewhere = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provideService(Host, makeHost(process.platform)), Effect.provideService(OwnLocks, new Set()))

describe("a session", () => {
  it.live("is held by one at a time, who is told; nothing is left but an empty file", () =>
    inState((state) =>
      Effect.gen(function* () {
        const place = yield* findPlace(subject)
        assert.isUndefined(yield* whoHolds(subject))
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* request().held
            const holder = yield* whoHolds(subject)
            assert.deepInclude(holder, { pid: process.pid, runId })
            const busy = yield* elsewhere(Effect.flip(request().held))
            assert.deepInclude(busy, { what: "session", subject: "one", retryable: true })
            assert.deepStrictEqual(busy.holder, holder)
            // Neither the look nor the try has dropped it.
            assert.isTrue(yield* isLocked(place.lock))
            assert.strictEqual(lstatSync(place.holder).mode & 0o777, 0o600)
          })
        )
        assert.isUndefined(yield* whoHolds(subject))
        assert.deepStrictEqual(readdirSync(join(state, "locks")), [lockName(subject)])
        assert.strictEqual(lstatSync(place.lock).size, 0)
        yield* request().held
      })
    )
  )

  it.live("is waited for, with the name of its holder, who is asked to close", () =>
    inState(() =>
      Effect.gen(function* () {
        const place = yield* findPlace(subject)
        const first = yield* Scope.make()
        yield* Scope.provide(request().held, first)
        const { waits, held } = request({ patienceMs: 60_000 })
        const second = yield* Effect.forkScoped(elsewhere(held))
        yield* until(() => isWanted(place) && waits.length > 0)
        const { problem, data } = waits[0] ?? assert.fail()
        assert.match(problem, /^process \d+ on .+ uses the session since \d{4}-/)
        assert.deepInclude(data?.["holder"], { pid: process.pid })
        yield* Scope.close(first, Exit.void)
        yield* Fiber.join(second)
        assert.lengthOf(waits, 1)
        assert.isFalse(isWanted(place))
      })
    )
  )

  it.live("may be shared by readers of one process, but not of another", () =>
    inState(() =>
      Effect.gen(function* () {
        yield* request({ runId: yield* makeRunId }).held
        for (const use of ["read", "opened"] as const) {
          assert.deepStrictEqual(yield* request({ use }).held, { problem: undefined })
          assert.strictEqual((yield* elsewhere(Effect.flip(request({ use }).held)))._tag, "SessionBusy")
        }
      })
    )
  )

  it.live("is released before the scope closes, on request", () =>
    inState(() =>
      Effect.gen(function* () {
        const held = yield* request().held
        if ("problem" in held) return assert.fail()
        yield* held.release
        yield* elsewhere(request().held)
      })
    )
  )

  it.live("that cannot be locked is not held, and the reason is given", () =>
    Effect.gen(function* () {
      const { held } = request()
      const nowhere = held.pipe(
        Effect.provideService(HostEnvironment, {}),
        Effect.provideService(PasswordHome, () => undefined)
      )
      assert.match(JSON.stringify(yield* Effect.scoped(nowhere)), /set HOME, or XDG_STATE_HOME/)
    })
  )
})

describe("a name of a lock", () => {
  const name = (cli: string, sessionId: string) => lockName({ what: "session", cli, sessionId })

  it("is a digest: any id is the name of a file, and no two are one", () => {
    const ids = ["-x", "../x", "a/b", "a\nb", "", "x".repeat(1_000_000), "latest"]
    const names = ids.flatMap((id) => [name("claude", id), name("codex", id)])
    assert.lengthOf([...new Set(names)], names.length)
    for (const each of names) assert.match(each, /^session-[0-9a-f]{64}$/)
    const keys = [["a", "b"], ["a,b"], ["a", "", "b"], ['a","b']]
    const ofKeys = keys.map((key) => lockName({ what: "conversation", key, store: "s" }))
    assert.lengthOf([...new Set(ofKeys)], keys.length)
    assert.notStrictEqual(
      lockName({ what: "conversation", key: ["b"], store: "a" }),
      lockName({ what: "conversation", key: [], store: "a,b" })
    )
  })

  it("is the same for a UUID in either case, and not for another id", () => {
    const id = crypto.randomUUID()
    assert.strictEqual(name("claude", id), name("claude", id.toUpperCase()))
    assert.notStrictEqual(name("opencode", "ses_a"), name("opencode", "ses_A"))
  })
})

describe("the file beside a lock", () => {
  const good = { version: 1, pid: 1, start: "1", realm: "elsewhere", host: "box", since: 1, runId }
  const ofTheDead = (change: object) => JSON.stringify({ ...good, ...change })

  it.live.each([
    ["of another version", ofTheDead({ version: 2 })],
    ["empty", ""],
    ["of half a line", ofTheDead({}).slice(0, 40)],
    ["with a text that controls terminals", ofTheDead({ host: "box\u001b[2J" })],
    ["with a mark of its own making", ofTheDead({ runId: "." })],
    ["too long", ofTheDead({ host: "x".repeat(5_000) })],
    ["with a pid of all processes", ofTheDead({ pid: -1 })]
  ] as const)("that is %s names no holder; its process gets its time to end", ([_, text]) =>
    inState((state) =>
      Effect.gen(function* () {
        mkdirSync(join(state, "locks"), { recursive: true, mode: 0o700 })
        const place = yield* findPlace(subject)
        writeFileSync(place.holder, text)
        assert.isUndefined(yield* whoHolds(subject))
        const { waits, held } = request()
        const waiting = yield* Effect.forkScoped(held)
        yield* until(() => waits.length > 0)
        assert.match(waits[0]?.problem ?? "", /its last user died; what is left of it gets 6 s to end/)
        assert.isTrue(yield* isLocked(place.lock))
        yield* Fiber.interrupt(waiting)
        // The next holder finds it, too.
        assert.strictEqual(readFileSync(place.holder, "utf8"), text)
      })
    )
  )

  it.live("is not followed if it is a link", () =>
    inState((state) =>
      Effect.gen(function* () {
        mkdirSync(join(state, "locks"), { recursive: true, mode: 0o700 })
        const place = yield* findPlace(subject)
        const target = join(state, "target")
        writeFileSync(target, ofTheDead({}))
        symlinkSync(target, place.holder)
        const { waits, held } = request()
        const waiting = yield* Effect.forkScoped(held)
        yield* until(() => waits.length > 0)
        yield* Fiber.interrupt(waiting)
        assert.strictEqual(readFileSync(target, "utf8"), ofTheDead({}))
      })
    )
  )

  it.live("of a dead process of this machine without leftovers delays no start", () =>
    inState((state) =>
      Effect.gen(function* () {
        mkdirSync(join(state, "locks"), { recursive: true, mode: 0o700 })
        const { processes } = yield* Host
        const place = yield* findPlace(subject)
        writeFileSync(place.holder, ofTheDead({ pid: 2 ** 22 + 1, realm: yield* processes.realm }))
        assert.isUndefined(yield* whoHolds(subject))
        const { waits, held } = request()
        yield* held
        assert.isEmpty(waits)
        assert.deepInclude(yield* whoHolds(subject), { pid: process.pid })
      })
    )
  )
})

describe("a conversation", () => {
  const conversation: Subject = { what: "conversation", key: ["telegram", "4711"], store: "s" }
  const enter = (isPatient = true, queued: (waiting: Waiting) => void = () => {}) =>
    holdSubject({ subject: conversation, runId, isPatient, patienceMs: 0, queued })

  it.live("is entered in the order of the calls, without a limit for those of this process", () =>
    inState(() =>
      Effect.gen(function* () {
        const log: Array<number> = []
        const door = Deferred.makeUnsafe<void>()
        const visit = (number: number) =>
          Effect.scoped(
            Effect.gen(function* () {
              yield* enter()
              log.push(number)
              yield* Deferred.await(door)
            })
          )
        const visits = yield* Effect.forEach([1, 2, 3, 4], (number) =>
          Effect.forkScoped(visit(number), { startImmediately: true })
        )
        yield* until(() => log.length === 1)
        assert.strictEqual((yield* Effect.flip(Effect.scoped(enter(false))))._tag, "SessionBusy")
        yield* Fiber.interrupt(visits[1] ?? assert.fail())
        yield* Deferred.succeed(door, undefined)
        yield* Effect.forEach(visits, Fiber.await)
        assert.deepStrictEqual(log, [1, 3, 4])
      })
    )
  )

  it.live("is not held for the same name in another store", () =>
    inState(() =>
      Effect.gen(function* () {
        yield* enter()
        yield* elsewhere(
          holdSubject({
            subject: { ...conversation, store: "other" },
            runId,
            isPatient: false,
            patienceMs: 0,
            queued: () => {}
          })
        )
      })
    )
  )
})

describe("the collector", () => {
  it.live("removes files that were unused for 30 days, some of them a day, and never a held one", () =>
    inState((state) =>
      Effect.gen(function* () {
        const directory = join(state, "locks")
        const day = Math.floor(Date.now() / 86_400_000) % 16
        const nameOf = (digit: number, text: string) =>
          `session-${digit.toString(16)}${createHash("sha256").update(text).digest("hex").slice(1)}`
        mkdirSync(directory, { recursive: true, mode: 0o700 })
        const old = new Date(Date.now() - 31 * 86_400_000)
        const make = (name: string, isOld: boolean) => {
          for (const suffix of ["", ".holder"]) {
            writeFileSync(join(directory, name + suffix), "", { mode: 0o600 })
            if (isOld) utimesSync(join(directory, name + suffix), old, old)
          }
        }
        const [dead, held, young, tomorrow] = [
          nameOf(day, "1"),
          nameOf(day, "2"),
          nameOf(day, "3"),
          nameOf((day + 1) % 16, "4")
        ]
        make(dead, true)
        make(held, true)
        make(young, false)
        make(tomorrow, true)
        writeFileSync(join(directory, "directory-1"), "")
        utimesSync(join(directory, "directory-1"), old, old)
        const { tryLock } = yield* FileLocks
        assert.isTrue(yield* tryLock(join(directory, held)))
        assert.strictEqual(yield* collectLocks, 3)
        const left = readdirSync(directory).filter((name) => !name.endsWith(".holder"))
        assert.sameMembers(left, [held, young, tomorrow, "directory-1"])
        assert.isFalse(readdirSync(directory).includes(`${dead}.holder`))
        assert.isTrue(Option.isSome(yield* Effect.option(tryLock(join(directory, dead)))))
      })
    )
  )
})
