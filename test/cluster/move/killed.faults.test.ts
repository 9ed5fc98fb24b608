/**
 * A session that goes to and fro between two homes, whose hosts are killed in the middle of it: in each state of the move,
 * after a while that differs. Nothing that was said is lost, and no more than one home has it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { hasPostgres } from "../../kit/postgres.ts"
import { addClaude, askMove, blobsOf, claudeFile, filesOf, type Home, openHomes, sessionOf } from "./homes.ts"
import { claudeLines } from "./kit.ts"

const program = fileURLToPath(new URL("hosts/home.ts", import.meta.url))
const rounds = 9

const startHost = ({ env, folder }: Home, url: string) => {
  const child: ChildProcess = spawn(process.execPath, [program, url], {
    env: { ...env, XDG_STATE_HOME: join(folder, "state") },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  const kill = async () => {
    child.kill("SIGKILL")
    await ended
  }
  return { started: once(child.stdout ?? child, "data"), kill }
}

describe.skipIf(!hasPostgres)("hosts that are killed in a move", () => {
  it.live("lose nothing of it", () =>
    Effect.gen(function* () {
      const { from: one, to: other, work, url } = yield* openHomes
      yield* addClaude(one, work, "one")
      const parts = (count: number) => `${JSON.stringify({ type: "part", text: "x".repeat(count) })}\n`
      appendFileSync(claudeFile(one, work), parts(8_000_000))
      const hosts = new Map<Home, ReturnType<typeof startHost>>()
      const start = (home: Home) =>
        Effect.promise(async () => {
          const host = startHost(home, Redacted.value(url))
          hosts.set(home, host)
          await host.started
        })
      yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([...hosts.values()].map(({ kill }) => kill()))))
      for (const home of [one, other]) yield* start(home)
      const { sql, read } = one.store
      const stateOf = (id: string) =>
        Effect.map(
          read(
            sql<{
              readonly state: string
              readonly payload: unknown
            }>`select state, payload from session_moves where id = ${id}`
          ),
          ([row]) => row
        )
      let [here, there] = [one, other]
      const known = new Map<string, number>()
      for (let round = 1; round <= rounds; round++) {
        appendFileSync(claudeFile(here, work), claudeLines(work, `turn ${round}`))
        const id = crypto.randomUUID()
        assert.isTrue(yield* askMove(here, there, work, id))
        const isFirst = round % 3 === 1
        const victim = isFirst ? here : there
        while (!isFirst && (yield* stateOf(id))?.state === "asked") yield* Effect.sleep("10 millis")
        // Over the time that its part takes: a look each second, then its work.
        yield* Effect.sleep(Math.round(((round * 7) % rounds) * (1_400 / rounds)))
        yield* Effect.promise(async () => hosts.get(victim)?.kill())
        const { state = "" } = (yield* stateOf(id)) ?? {}
        const cut = `${isFirst ? "from" : "to"} in ${state}`
        known.set(cut, (known.get(cut) ?? 0) + 1)
        const expected = { asked: here.store.home, packed: `on its way to ${there.store.home}`, done: there.store.home }
        assert.strictEqual((yield* sessionOf(here))?.home, expected[state as keyof typeof expected])
        yield* start(victim)
        while (true) {
          const move = yield* stateOf(id)
          if (move?.state !== "asked" && move?.state !== "packed" && move?.payload === null) break
          yield* Effect.sleep("20 millis")
        }
        assert.strictEqual((yield* stateOf(id))?.state, "done")
        assert.strictEqual((yield* sessionOf(here))?.home, there.store.home)
        const text = readFileSync(claudeFile(there, work), "utf8")
        assert.strictEqual(text.match(/"turn \d+"/g)?.length, round)
        assert.strictEqual(text, readFileSync(claudeFile(here, work), "utf8"))
        assert.strictEqual(yield* blobsOf(here), 0)
        for (const home of [here, there]) assert.isFalse(filesOf(home).some((name) => name.includes(".reins-")))
        ;[here, there] = [there, here]
      }
      console.log("killed:", Object.fromEntries(known))
    }).pipe(Effect.scoped)
  )
})
