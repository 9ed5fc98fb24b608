// A store of several processes, some of which are killed or stopped at any moment: what was acknowledged is stored.
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { newestSchema } from "../../src/conversations/store/migrations.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { openIn } from "../conversations/store/stores.ts"
import { hasPostgres, makeDatabase } from "../kit/postgres.ts"
import { makeDirectory } from "../kit/temporary.ts"

const program = fileURLToPath(new URL("hosts/storeHost.ts", import.meta.url))

interface Place {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly layer: ReturnType<typeof Store.layerFile>
  readonly file?: string
}

const places = {
  "a file": Effect.map(makeDirectory, (directory): Place => {
    const args = ["file", join(directory, "store")]
    const layer = Store.layerFile({ directory: join(directory, "store") })
    return { args, env: {}, layer, file: join(directory, "store", "store.db") }
  }),
  ...(hasPostgres
    ? {
        PostgreSQL: Effect.map(
          makeDatabase,
          ({ url }): Place => ({
            args: ["postgres"],
            env: { REINS_TEST_URL: Redacted.value(url) },
            layer: Store.layerPostgres({ url })
          })
        )
      }
    : {})
}

interface Host {
  readonly child: ChildProcess
  readonly lines: ReadonlyArray<string>
  readonly order: (line: string) => void
  /** Until it has said such a line. */
  readonly said: (test: (line: string) => boolean) => Effect.Effect<string>
  readonly ended: Effect.Effect<unknown>
}

const startHost = ({ args, env }: Place) =>
  Effect.acquireRelease(
    Effect.sync((): Host => {
      const child = spawn(process.execPath, [program, ...args], {
        env: { ...process.env, ...env },
        stdio: ["pipe", "pipe", "inherit"]
      })
      const lines: Array<string> = []
      const waiting = new Set<() => void>()
      createInterface({ input: child.stdout }).on("line", (line) => {
        lines.push(line)
        for (const look of waiting) look()
      })
      const closed = new Promise((resolve) => child.once("close", resolve))
      const text = (test: (line: string) => boolean) =>
        Effect.callback<string>((resume) => {
          const look = () => {
            const found = lines.find(test)
            if (found === undefined) return
            waiting.delete(look)
            resume(Effect.succeed(found))
          }
          waiting.add(look)
          look()
        })
      return {
        child,
        lines,
        order: (line) => child.stdin.write(`${line}\n`),
        said: text,
        ended: Effect.promise(() => closed)
      }
    }),
    ({ child, ended }) => {
      child.kill("SIGKILL")
      return ended
    }
  )

const isOpen = (line: string) => line.startsWith("open")
const isNumber = (line: string) => /^\d+-\d+$/.test(line)

describe.each(Object.entries(places))("a store of several processes: %s", (_, makePlace) => {
  it.live("is begun by all of them at once, by each step once", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      const hosts = yield* Effect.all(Array.from({ length: 6 }, () => startHost(place)))
      for (const { said: text } of hosts)
        assert.strictEqual(yield* text((line) => isOpen(line) || line.startsWith("failed")), "open 0")
      const { read, sql } = yield* openIn(place.layer)
      assert.strictEqual((yield* read(sql`select * from reins_migrations`)).length, newestSchema)
    })
  )

  it.live("loses nothing that was acknowledged, and has nothing by half, however its writers die", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      const acknowledged: Array<string> = []
      for (let round = 0; round < 3; round++) {
        const hosts = yield* Effect.all(Array.from({ length: 3 }, () => startHost(place)))
        for (const { said: text, order } of hosts) {
          yield* text(isOpen)
          order("write 0")
        }
        for (const [index, { said: text, child, ended, lines }] of hosts.entries()) {
          const enough = 10 + round * 15 + index * 5
          yield* text((line) => isNumber(line) && Number(line.split("-")[1]) >= enough)
          child.kill("SIGKILL")
          yield* ended
          acknowledged.push(...lines.filter(isNumber))
        }
      }
      const { read, sql } = yield* openIn(place.layer)
      const stored = new Set((yield* read(sql<{ hash: string }>`select hash from blobs`)).map(({ hash }) => hash))
      const twins = new Set((yield* read(sql<{ run_id: string }>`select run_id from runs`)).map(({ run_id }) => run_id))
      assert.isAbove(acknowledged.length, 100)
      assert.deepStrictEqual(
        acknowledged.filter((id) => !stored.has(id)),
        []
      )
      assert.deepStrictEqual([...stored].sort(), [...twins].sort())
      if (place.file === undefined) return
      const file = new DatabaseSync(place.file)
      assert.deepStrictEqual({ ...file.prepare("pragma integrity_check").get() }, { integrity_check: "ok" })
      file.close()
    })
  )

  it.live("answers while a stopped process stands in the way of its writing, and writes when that goes on", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      const stopped = yield* startHost(place)
      yield* stopped.said(isOpen)
      const other = yield* startHost(place)
      yield* other.said(isOpen)
      stopped.order("hold a")
      yield* stopped.said((line) => line === "held")
      stopped.child.kill("SIGSTOP")
      other.order("one a")
      for (let round = 1; round <= 10; round++) {
        other.order("ping")
        yield* Effect.callback<void>((resume) => {
          const timer = setInterval(() => {
            if (other.lines.filter((line) => line === "pong").length < round) return
            clearInterval(timer)
            resume(Effect.void)
          }, 1)
        })
      }
      assert.notInclude(other.lines, "done a")
      stopped.child.kill("SIGCONT")
      const end = yield* other.said((line) => line.startsWith("done") || line.startsWith("failed"))
      // The entry of the other was stored first.
      assert.match(end, /^failed .*it has an entry of this name/)
    })
  )
})
