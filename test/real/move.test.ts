/**
 * A session of a real CLI, made at one home and moved to another: two users' homes, two state directories, one store on
 * PostgreSQL. Its next turn there tells the model what was said before; and so it does when it has come back.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { clis } from "../../src/cli/clis.ts"
import { requestMove } from "../../src/cluster/move/requestMove.ts"
import { findOutside } from "../../src/conversations/turns/outside.ts"
import { createAgent } from "../../src/promise.ts"
import { chatCompletions, messages, responses } from "../../src/testing/ModelServer.ts"
import { makeSandbox, type Sandbox } from "../../src/testing/sandbox/sandbox.ts"
import { call, say } from "../../src/testing/servers/Answer.ts"
import { scoped } from "../../src/testingEffect.ts"
import { openHomeIn, running, sessionOf } from "../cluster/move/homes.ts"
import { addSession } from "../conversations/kit/rows.ts"
import { hasPostgres, makeDatabase, postgres } from "../kit/postgres.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"
import { command } from "./rig/live.ts"

const servers = { claude: messages, codex: responses, opencode: chatCompletions }
const ids = ["claude", "codex", "opencode"] as const

afterAll(() =>
  hasPostgres ? Effect.runPromise(Effect.flatMap(postgres, ({ end }) => Effect.promise(end))) : undefined
)

const openWorld = async (cli: (typeof ids)[number]) => {
  const stack = new AsyncDisposableStack()
  const program = commandFor(cli)
  const tool = call(command[cli]("seq 1000 5000"))
  const answers = ["The first.", "The second.", "The third.", "spare", "spare", "spare"].map((text) => say(text))
  const api = stack.use(await servers[cli]([tool, ...answers]))
  const sandboxOf = async () => stack.use(await makeSandbox(cli, api, { path: pathOf([program]) }))
  const [one, other] = [await sandboxOf(), await sandboxOf()]
  const allowed = cli === "claude" ? { allowedTools: ["Bash"] } : { permissionMode: "bypass" as const }
  const ask = async (sandbox: Sandbox, prompt: string, workingDirectory: string, sessionId?: string) => {
    await using agent = createAgent(cli, { command: program, env: sandbox.env })
    const named = sessionId === undefined ? {} : { sessionId }
    return await agent.run({ workingDirectory, prompt, ...allowed, ...named })
  }
  /** The model's input with this prompt. */
  const reported = (prompt: string) =>
    api.requests.map(({ body }) => JSON.stringify(body)).findLast((body) => body.includes(prompt)) ?? ""
  const { sessionId = "" } = await ask(one, "the first prompt", one.work)
  const openHomes = Effect.gen(function* () {
    const { url } = yield* makeDatabase
    const [from, to] = [yield* openHomeIn(one.home, one.values, url), yield* openHomeIn(other.home, other.values, url)]
    yield* addSession(from.store, { cli, session_id: sessionId, directory: one.work })
    for (const home of [from, to]) yield* running(home)
    return { from, to }
  })
  return { one, other, ask, told: reported, sessionId, openHomes, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

describe.skipIf(!hasPostgres).each(ids)("%s", (cli) => {
  it.live(
    "goes on at another home, in another directory, and at its old one again",
    () =>
      Effect.gen(function* () {
        const world = yield* scoped(() => openWorld(cli))
        const { one, other, ask, told: reported, sessionId, openHomes } = world
        const { from, to } = yield* openHomes
        const there = join(other.work, "below it")
        mkdirSync(there)
        const moved = yield* requestMove({ store: from.store, id: "key-1", to: to.store.home, directory: there })
        expect(moved).toEqual({ home: to.store.home, directory: there })
        const second = yield* Effect.promise(() => ask(other, "the second prompt", there, sessionId))
        expect(second).toMatchObject({ sessionId, text: "The second." })
        expect(reported("the second prompt")).toContain("the first prompt")
        expect(reported("the second prompt")).toContain("The first.")
        yield* requestMove({ store: to.store, id: "key-1", to: from.store.home, directory: one.work })
        expect(yield* sessionOf(from)).toMatchObject({ home: from.store.home, directory: one.work })
        const third = yield* Effect.promise(() => ask(one, "the third prompt", one.work, sessionId))
        expect(third).toMatchObject({ sessionId, text: "The third." })
        for (const words of ["the first prompt", "The first.", "the second prompt", "The second."]) {
          expect(reported("the third prompt")).toContain(words)
        }
      }),
    { timeout: 240_000 }
  )
})

it.live.skipIf(!hasPostgres)(
  "a session of OpenCode is taken back, and not put over another",
  () =>
    Effect.gen(function* () {
      const world = yield* scoped(() => openWorld("opencode"))
      const { one, other, ask, sessionId, openHomes } = world
      const { from, to } = yield* openHomes
      const { sql, transact } = from.store
      const request = { store: from.store, id: "key-1", to: to.store.home, directory: other.work }
      const there = findOutside({ cli: clis.opencode, env: other.values }, sessionId)
      const problemOf = Effect.map(Effect.flip(requestMove(request)), ({ message }) => message)
      yield* addSession(to.store, { key: "key-2", cli: "opencode", session_id: sessionId })
      expect(yield* problemOf).toContain("knows a session of this id already")
      while ((yield* there) !== undefined) yield* Effect.sleep("100 millis")
      yield* transact(sql`delete from sessions where key = 'key-2'`)
      yield* requestMove(request)
      expect(yield* there).toMatchObject({ sessionId, directory: other.work })
      yield* Effect.promise(() => ask(other, "the second prompt", other.work, sessionId))
      // As if the other home had gone on with it by itself.
      yield* transact(sql`update sessions set home = ${from.store.home}, directory = ${one.work}`)
      expect(yield* problemOf).toContain("a session of this id with other content")
      expect(yield* there).toMatchObject({ sessionId, turns: 2 })
    }),
  { timeout: 240_000 }
)
