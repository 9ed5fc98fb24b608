/** Turns go to the home of their conversation, for any caller. On PostgreSQL. */
import { symlinkSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, type Redacted, Scope, Stream } from "effect"
import { removeHome } from "../../src/cluster/removeHome.ts"
import { AgentFailed } from "../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { turnById } from "../../src/conversations/turns/turnRows.ts"
import { testAgent } from "../conversations/kit.ts"
import { hasPostgres, makeDatabase } from "../kit/postgres.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { startClient, startHome } from "./kit/homes.ts"

const inCluster = <E>(name: string, body: (url: Redacted.Redacted) => Effect.Effect<void, E, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(Effect.flatMap(makeDatabase, ({ url }) => body(url))), 60_000)

const prompts = ({ calls }: ReturnType<typeof testAgent>) => calls.map(({ params }) => params.prompt)

describe.skipIf(!hasPostgres)("a cluster", () => {
  inCluster("performs a turn in a home, and goes on with it there", (url) =>
    Effect.gen(function* () {
      const a = yield* startHome(url, "a", testAgent([{ text: "from a" }]))
      const { sessions } = yield* startClient(url)
      const first = yield* sessions.run({ conversation: "c", prompt: "one" })
      assert.strictEqual(first.text, "from a")
      const b = yield* startHome(url, "b", testAgent([{ text: "from b" }]))
      const second = yield* sessions.run({ conversation: "c", prompt: "two" })
      assert.strictEqual(second.text, "from a")
      assert.strictEqual(second.sessionId, first.sessionId)
      assert.deepStrictEqual([a.agent.calls.length, b.agent.calls.length], [2, 0])
    })
  )

  inCluster("performs the turns of a conversation in their order, one at a time, for any caller", (url) =>
    Effect.gen(function* () {
      const agent = testAgent(({ prompt }) => ({ text: `${prompt}!` }))
      yield* startHome(url, "a", agent)
      const clients = [yield* startClient(url), yield* startClient(url)]
      const request = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, at) => at),
        (at) =>
          Effect.gen(function* () {
            const client = clients[at % 2]
            if (client === undefined) return yield* Effect.die("no client")
            const fiber = yield* Effect.forkChild(
              client.sessions.run({ conversation: "c", prompt: String(at), turnId: `t${at}` })
            )
            // The next is asked when this one is in the queue.
            while ((yield* turnById(client.store, `t${at}`)) === undefined) yield* Effect.sleep("5 millis")
            return fiber
          })
      )
      const ends = yield* Fiber.joinAll(request)
      assert.deepStrictEqual(
        ends.map(({ text }) => text),
        Array.from({ length: 12 }, (_, at) => `${at}!`)
      )
      assert.deepStrictEqual(
        prompts(agent),
        Array.from({ length: 12 }, (_, at) => String(at))
      )
    })
  )

  inCluster("gives the stored end of a turn that was asked before, and takes no other question for it", (url) =>
    Effect.gen(function* () {
      const { agent } = yield* startHome(url, "a", testAgent([{ text: "once" }]))
      const { sessions } = yield* startClient(url)
      const turn = { conversation: "c", prompt: "p", turnId: "t" }
      const both = yield* Effect.all([sessions.run(turn), sessions.run(turn)], { concurrency: 2 })
      assert.deepStrictEqual(
        [...both.map(({ text }) => text), (yield* sessions.run(turn)).text],
        ["once", "once", "once"]
      )
      assert.strictEqual(agent.calls.length, 1)
      const other = yield* Effect.flip(sessions.run({ ...turn, prompt: "q" }))
      assert.strictEqual(other.reason._tag, "TurnMismatch")
    })
  )

  inCluster("asks again what failed before it did anything, by the same id", (url) =>
    Effect.gen(function* () {
      const failure = new AgentFailed({ code: "overloaded", category: "overloaded", detail: "busy" })
      const { agent } = yield* startHome(url, "a", testAgent([{ failure, text: "" }, { text: "done" }]))
      const { sessions } = yield* startClient(url)
      const attachments = [{ data: Buffer.from("some text"), mediaType: "text/plain" }]
      const turn = { conversation: "c", prompt: "p", turnId: "t", attachments }
      assert.strictEqual((yield* Effect.flip(sessions.run(turn))).reason._tag, "AgentFailed")
      assert.strictEqual((yield* sessions.run(turn)).text, "done")
      assert.deepStrictEqual(
        agent.calls.map(({ params }) => params.attachments?.length),
        [1, 1]
      )
    })
  )

  inCluster("performs a run outside of conversations", (url) =>
    Effect.gen(function* () {
      const { agent } = yield* startHome(url, "a", testAgent([{ text: "alone" }]))
      const { sessions } = yield* startClient(url)
      assert.strictEqual((yield* sessions.run({ prompt: "p" })).text, "alone")
      assert.strictEqual((yield* sessions.run({ prompt: "p" })).text, "alone")
      assert.strictEqual(agent.calls.length, 2)
    })
  )

  inCluster(
    "asks an interrupted turn again as its caller wants it, also where its home was down when it was said",
    (url) =>
      Effect.gen(function* () {
        const client = yield* startClient(url)
        const scope = yield* Scope.make()
        const { store } = yield* Scope.provide(startHome(url, "a"), scope)
        yield* client.sessions.run({ conversation: "c", prompt: "one" })
        yield* Scope.close(scope, Exit.void)
        const turn = { conversation: "c", prompt: "two", turnId: "t" }
        const first = yield* Effect.forkChild(Effect.exit(client.sessions.run(turn)))
        while ((yield* turnById(client.store, "t")) === undefined) yield* Effect.sleep("5 millis")
        // As if its home had died behind the beginning.
        yield* client.store.transact(
          client.store.sql`update turns set state = 'spawned', run_id = 'r' where turn_id = 't'`
        )
        const again = yield* Effect.forkChild(client.sessions.run({ ...turn, onInterrupted: "again" }))
        const requested = Effect.map(turnById(client.store, "t"), (row) =>
          row?.params?.includes('"onInterrupted":"again"')
        )
        while ((yield* requested) !== true) yield* Effect.sleep("5 millis")
        const { agent } = yield* startHome(url, "a", testAgent([{ text: "again" }]))
        assert.strictEqual((yield* Fiber.join(again)).text, "again")
        assert.strictEqual(agent.calls.length, 1)
        yield* Fiber.join(first)
        assert.strictEqual(store.home, "id-of-a")
      })
  )

  inCluster("tells of an interrupted turn that its home cannot go on with, and lets it be asked once more", (url) =>
    Effect.gen(function* () {
      const client = yield* startClient(url)
      const scopes = [yield* Scope.make(), yield* Scope.make()] as const
      yield* Scope.provide(startHome(url, "a", testAgent([{ text: "one" }])), scopes[0])
      const turn = { conversation: "c", prompt: "p", turnId: "t" }
      yield* client.sessions.run(turn)
      yield* Scope.close(scopes[0], Exit.void)
      yield* client.store.transact(
        client.store.sql`update turns set state = 'interrupted', result = null where turn_id = 't'`
      )
      yield* Scope.provide(startHome(url, "a", testAgent([]), { agents: {} }), scopes[1])
      const refused = yield* Effect.flip(client.sessions.run({ ...turn, onInterrupted: "again" }))
      assert.match(refused.message, /claude is not served by this home any more/)
      assert.strictEqual((yield* turnById(client.store, "t"))?.state, "interrupted")
      yield* Scope.close(scopes[1], Exit.void)
      yield* startHome(url, "a", testAgent([{ text: "again" }]))
      assert.strictEqual((yield* client.sessions.run({ ...turn, onInterrupted: "again" })).text, "again")
    })
  )

  inCluster("keeps a conversation whose first turn was interrupted in its home", (url) =>
    Effect.gen(function* () {
      yield* startHome(url, "z", testAgent([{ text: "one" }, { text: "of z" }]))
      const { sessions, store } = yield* startClient(url)
      yield* sessions.run({ conversation: "c", prompt: "one" })
      yield* startHome(url, "a", testAgent([{ text: "of a" }]))
      // As if its home had died in it.
      yield* store.transact(store.sql`update turns set state = 'interrupted', result = null`)
      yield* store.transact(store.sql`delete from sessions`)
      assert.strictEqual((yield* sessions.run({ conversation: "c", prompt: "two" })).text, "of z")
      yield* store.transact(store.sql`delete from sessions`)
      assert.strictEqual((yield* sessions.run({ conversation: "c", prompt: "three", fresh: true })).text, "of a")
    })
  )

  inCluster("passes the events on in their order, and the end once", (url) =>
    Effect.gen(function* () {
      yield* startHome(url, "a", testAgent([{ text: "hello" }]))
      const { sessions } = yield* startClient(url)
      const events: ReadonlyArray<AgentEvent> = yield* Stream.runCollect(
        sessions.execute({ conversation: "c", prompt: "p" })
      )
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["session", "text", "done"]
      )
    })
  )

  inCluster("carries attachments there, as bytes", (url) =>
    Effect.gen(function* () {
      const { agent } = yield* startHome(url, "a")
      const { sessions } = yield* startClient(url)
      const attachments = [{ data: Buffer.from("some text"), mediaType: "text/plain", name: "a.txt" }]
      yield* sessions.run({ conversation: "c", prompt: "p", attachments })
      const [file] = agent.calls[0]?.params.attachments ?? []
      assert.deepStrictEqual(file && { ...file, data: Buffer.from((file as { data: Uint8Array }).data).toString() }, {
        data: "some text",
        mediaType: "text/plain",
        name: "a.txt"
      } as never)
    })
  )

  inCluster("stops a turn that its caller aborts", (url) =>
    Effect.gen(function* () {
      const never = yield* Deferred.make<void>()
      const agent = testAgent([{ until: Deferred.await(never) }])
      yield* startHome(url, "a", agent)
      const { sessions, store } = yield* startClient(url)
      const abort = new AbortController()
      const turn = { conversation: "c", prompt: "p", turnId: "t", abortSignal: abort.signal }
      const fiber = yield* Effect.forkChild(Effect.exit(sessions.run(turn)))
      yield* agent.opened(1)
      const reported = agent.calls[0]?.params.abortSignal
      abort.abort()
      yield* Effect.callback<void>((resume) => {
        if (reported?.aborted === true) resume(Effect.void)
        reported?.addEventListener("abort", () => resume(Effect.void))
      })
      yield* Deferred.succeed(never, undefined)
      yield* Fiber.join(fiber)
      assert.isDefined(yield* turnById(store, "t"))
    })
  )

  inCluster("tells impatient callers that a conversation is busy", (url) =>
    Effect.gen(function* () {
      const first = yield* Deferred.make<void>()
      const agent = testAgent([{ until: Deferred.await(first) }, {}])
      yield* startHome(url, "a", agent)
      const { sessions } = yield* startClient(url)
      const held = yield* Effect.forkChild(sessions.run({ conversation: "c", prompt: "one" }))
      yield* agent.opened(1)
      for (const whenBusy of ["fail", "fork"] as const) {
        const error = yield* Effect.flip(sessions.run({ conversation: "c", prompt: "two", whenBusy }))
        assert.strictEqual(error.reason._tag, "SessionBusy")
      }
      yield* Deferred.succeed(first, undefined)
      yield* Fiber.join(held)
      yield* sessions.run({ conversation: "c", prompt: "three", whenBusy: "fork" })
      assert.deepStrictEqual(prompts(agent), ["one", "three"])
    })
  )

  inCluster("begins no more agents at once than the home has places, and says why a turn waits", (url) =>
    Effect.gen(function* () {
      const first = yield* Deferred.make<void>()
      const agent = testAgent(({ prompt }) =>
        prompt === "first" ? { until: Deferred.await(first) } : { text: "done" }
      )
      const scope = yield* Scope.make()
      yield* Scope.provide(startHome(url, "a", agent, { limits: { total: 1 } }), scope)
      const { sessions, store } = yield* startClient(url)
      const held = yield* Effect.forkChild(sessions.run({ conversation: "c", prompt: "first" }))
      yield* agent.opened(1)
      const reported = new Map<string, Deferred.Deferred<AgentEvent>>()
      const ask = Effect.fnUntraced(function* (conversation: string, abortSignal?: AbortSignal) {
        const waits = yield* Deferred.make<AgentEvent>()
        reported.set(conversation, waits)
        const params = { conversation, prompt: conversation, turnId: conversation, onInterrupted: "continue" } as const
        const onEvent = (event: AgentEvent) => {
          if (event.type === "notice") Deferred.doneUnsafe(waits, Effect.succeed(event))
        }
        const run = sessions.run(abortSignal === undefined ? params : { ...params, abortSignal }, { onEvent })
        const request = yield* Effect.forkChild(Effect.result(run))
        assert.deepInclude(yield* Deferred.await(waits), { kind: "queued", data: { limit: "total" } })
        return request
      })
      const abort = new AbortController()
      const [one, stopped] = [yield* ask("d"), yield* ask("e", abort.signal)]
      // One that is not wanted any more waits for no place.
      abort.abort()
      const end = yield* Fiber.join(stopped)
      assert.strictEqual(end._tag === "Success" ? end.success.outcome : end.failure.reason._tag, "Aborted")
      assert.strictEqual((yield* turnById(store, "d"))?.state, "queued")
      assert.strictEqual(agent.calls.length, 1)
      // Nor does a home that ends wait for those that have none: they are begun when it is back.
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Deferred.succeed(first, undefined)
      yield* Fiber.join(closing)
      yield* Fiber.join(held)
      assert.strictEqual((yield* turnById(store, "d"))?.state, "queued")
      yield* startHome(url, "a", agent, { limits: { total: 1 } })
      const done = yield* Fiber.join(one)
      assert.strictEqual(done._tag === "Success" ? done.success.text : done.failure.message, "done")
      assert.deepStrictEqual(prompts(agent), ["first", "d"])
    })
  )

  inCluster("looks where a turn works when it is begun: a link may lead elsewhere by then", (url) =>
    Effect.gen(function* () {
      const [inside, outside] = [yield* makeDirectory, yield* makeDirectory]
      const link = join(inside, "link")
      symlinkSync(inside, link)
      const first = yield* Deferred.make<void>()
      const agent = testAgent(({ prompt }) => (prompt === "first" ? { until: Deferred.await(first) } : {}))
      yield* startHome(url, "a", agent, { limits: { total: 1 }, directories: [inside] })
      const { sessions } = yield* startClient(url)
      const held = yield* Effect.forkChild(sessions.run({ conversation: "c", prompt: "first" }))
      yield* agent.opened(1)
      const waits = yield* Deferred.make<void>()
      const onEvent = ({ type }: AgentEvent) => {
        if (type === "notice") Deferred.doneUnsafe(waits, Effect.void)
      }
      const request = { conversation: "d", prompt: "second", workingDirectory: link }
      const waiting = yield* Effect.forkChild(Effect.flip(sessions.run(request, { onEvent })))
      yield* Deferred.await(waits)
      unlinkSync(link)
      symlinkSync(outside, link)
      yield* Deferred.succeed(first, undefined)
      assert.match((yield* Fiber.join(waiting)).message, /does not let agents work in/)
      yield* Fiber.join(held)
      assert.deepStrictEqual(prompts(agent), ["first"])
    })
  )

  inCluster("refuses limits under which nothing would ever be begun", (url) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(startHome(url, "a", undefined, { limits: { total: 0 } }))
      assert.include(error.message, "limits.total is 0: name a whole number of 1 or more")
    })
  )

  inCluster("waits for a home that is down, and goes on when it is back", (url) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* Scope.provide(startHome(url, "a"), scope)
      const { sessions, store } = yield* startClient(url)
      yield* sessions.run({ conversation: "c", prompt: "one" })
      yield* Scope.close(scope, Exit.void)
      const waiting = yield* Effect.forkChild(sessions.run({ conversation: "c", prompt: "two", turnId: "t" }))
      while ((yield* turnById(store, "t")) === undefined) yield* Effect.sleep("5 millis")
      assert.isUndefined(waiting.pollUnsafe())
      const again = yield* startHome(url, "a", testAgent([{ text: "back" }]))
      assert.strictEqual((yield* Fiber.join(waiting)).text, "back")
      assert.strictEqual(again.agent.calls.length, 1)
    })
  )

  inCluster("refuses a second home of a name, and one that is served already", (url) =>
    Effect.gen(function* () {
      const first = yield* startHome(url, "a")
      const other = yield* Effect.flip(Effect.scoped(startHome(url, "a", undefined, {}, "id-of-another")))
      assert.include(other.message, "the home a is another one")
      const same = yield* Effect.flip(Effect.scoped(startHome(url, "a")))
      assert.include(same.message, "another process of this machine serves the home a: end it first: reins serve")
      const renamed = yield* Effect.flip(startHome(url, "other", undefined, {}, "id-of-a"))
      assert.include(renamed.message, "serves the home a: end it first, or give this one a state directory of its own")
      assert.strictEqual(first.home.name, "a")
    })
  )

  inCluster("refuses an invalid name, a port that is taken, and other machines without TLS", (url) =>
    Effect.gen(function* () {
      const { address } = yield* listening
      const taken = yield* Effect.flip(Effect.scoped(startHome(url, "a", undefined, { listen: address })))
      assert.include(taken.message, `cannot listen at 127.0.0.1:${address.port}`)
      const open = yield* Effect.flip(
        Effect.scoped(startHome(url, "a", undefined, { listen: { host: "0.0.0.0", port: 0 } }))
      )
      assert.include(open.message, "--listen 0.0.0.0 lets other machines in")
      const name = yield* Effect.flip(Effect.scoped(startHome(url, "A b")))
      assert.include(name.message, '"A b" is not a name of a home')
    })
  )

  it.live.each([
    ["behind", -300_000],
    ["ahead of", 300_000]
  ] as const)("refuses a home whose clock is five minutes %s the database's", ([word, off]) =>
    Effect.gen(function* () {
      const { url } = yield* makeDatabase
      const clock = yield* Clock.Clock
      const shifted: Clock.Clock = Object.create(clock, {
        currentTimeMillis: { value: Effect.map(clock.currentTimeMillis, (now) => now + off) }
      })
      const refused = yield* Effect.flip(
        Effect.provideService(Effect.scoped(startHome(url, "a")), Clock.Clock, shifted)
      )
      assert.include(refused.message, `the clock of this machine is 300 s ${word} that of the database`)
    }).pipe(Effect.scoped)
  )

  inCluster("says what becomes of conversations whose home was removed", (url) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { store } = yield* Scope.provide(startHome(url, "a"), scope)
      const client = yield* startClient(url)
      yield* client.sessions.run({ conversation: "c", prompt: "one" })
      assert.include((yield* Effect.flip(removeHome(client.store, "a"))).message, "the home a runs")
      assert.include((yield* Effect.flip(removeHome(client.store, "b"))).message, "there are a")
      yield* Scope.close(scope, Exit.void)
      const waiting = yield* Effect.forkChild(
        Effect.flip(client.sessions.run({ conversation: "c", prompt: "two", turnId: "t" }))
      )
      while ((yield* turnById(client.store, "t")) === undefined) yield* Effect.sleep("5 millis")
      assert.deepStrictEqual(yield* removeHome(client.store, "a"), { failed: 1, interrupted: 0 })
      assert.include((yield* Fiber.join(waiting)).message, "its home a was removed before the turn began")
      yield* startHome(url, "b", testAgent([{ text: "anew" }]))
      const refused = yield* Effect.flip(client.sessions.run({ conversation: "c", prompt: "three" }))
      assert.include(refused.message, "its home a was removed from the cluster")
      const anew = yield* client.sessions.run({ conversation: "c", prompt: "three", fresh: true })
      assert.strictEqual(anew.text, "anew")
      assert.strictEqual(store.home, "id-of-a")
    })
  )

  inCluster("keeps the late end of a home that was given up while it was frozen, and stops its agent", (url) =>
    Effect.gen(function* () {
      const never = yield* Deferred.make<void>()
      const agent = testAgent([{ until: Deferred.await(never), text: "too late" }])
      const { store } = yield* startHome(url, "a", agent)
      const client = yield* startClient(url)
      const request = yield* Effect.forkChild(
        Effect.flip(client.sessions.run({ conversation: "c", prompt: "p", turnId: "t" }))
      )
      yield* agent.opened(1)
      // As if it had said nothing for long.
      yield* store.transact(store.sql`update cluster_homes set beat = 0, state = 'stopped'`)
      assert.deepStrictEqual(yield* removeHome(client.store, "a"), { failed: 0, interrupted: 1 })
      assert.strictEqual((yield* Fiber.join(request)).reason._tag, "TurnInterrupted")
      const signal = agent.calls[0]?.params.abortSignal
      while (signal?.aborted !== true) yield* Effect.sleep("10 millis")
      yield* Deferred.succeed(never, undefined)
      let turn = yield* turnById(store, "t")
      while (turn?.result === undefined) {
        yield* Effect.sleep("10 millis")
        turn = yield* turnById(store, "t")
      }
      assert.deepStrictEqual([turn.state, turn.isGivenUp], ["interrupted", true])
      assert.include(turn.result, "too late")
    })
  )
})

const listening = Effect.gen(function* () {
  const { createServer } = yield* Effect.promise(() => import("node:net"))
  const server = createServer()
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  const bound = server.address()
  return { address: { host: "127.0.0.1", port: typeof bound === "object" && bound !== null ? bound.port : 0 } }
})
