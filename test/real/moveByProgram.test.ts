/** A conversation with the real Claude Code by the built program: moved by its name to another home, and gone on with there. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { messages } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { say } from "../../src/testing/servers/Answer.ts"
import { scoped } from "../../src/testingEffect.ts"
import { type Home, openHomeIn, running } from "../cluster/move/homes.ts"
import { hasPostgres, makeDatabase, postgres } from "../kit/postgres.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"

const reins = fileURLToPath(new URL("../../dist/program.js", import.meta.url))

const runAt = ({ env, folder }: Home, cwd: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
        const child = spawn(process.execPath, [reins, ...args, "--config", join(folder, "reins.toml")], {
          cwd,
          env: { ...env, XDG_STATE_HOME: join(folder, "state") },
          stdio: ["ignore", "pipe", "pipe"]
        })
        let [stdout, stderr] = ["", ""]
        child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text))
        child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
        child.once("close", (code) => resolve({ code, stdout, stderr }))
      })
  )

const writeConfiguration = ({ folder }: Home, url: Redacted.Redacted) => {
  const secret = join(folder, "database")
  writeFileSync(secret, Redacted.value(url), { mode: 0o600 })
  const text = `[store]\ndatabase = { file = ${JSON.stringify(secret)} }\n`
  writeFileSync(join(folder, "reins.toml"), text, { mode: 0o600 })
}

afterAll(() =>
  hasPostgres ? Effect.runPromise(Effect.flatMap(postgres, ({ end }) => Effect.promise(end))) : undefined
)

it.live.skipIf(!hasPostgres)(
  "goes on at its new home alone",
  () =>
    Effect.gen(function* () {
      const api = yield* scoped(() => messages(["The first.", "The second.", "spare"].map((text) => say(text))))
      const path = pathOf([commandFor("claude")])
      const one = yield* scoped(() => makeSandbox("claude", api, { path }))
      const other = yield* scoped(() => makeSandbox("claude", api, { path }))
      const { url } = yield* makeDatabase
      const from = yield* openHomeIn(one.home, one.values, url)
      const to = yield* openHomeIn(other.home, other.values, url)
      for (const home of [from, to]) {
        writeConfiguration(home, url)
        yield* running(home)
      }
      const ask = ["run", "--agent", "claude", "--conversation", "billing"]
      const first = yield* runAt(from, one.work, ...ask, "the first prompt")
      expect(first).toMatchObject({ code: 0, stderr: "" })
      const moved = yield* runAt(
        from,
        one.work,
        "sessions",
        "move",
        "billing",
        "--to",
        to.store.home,
        "--cwd",
        other.work
      )
      const visible = `billing: the first prompt: goes on at ${to.store.home}, in ${other.work}\n`
      expect(moved).toMatchObject({ code: 0, stdout: visible })
      const second = yield* runAt(to, other.work, ...ask, "the second prompt")
      expect(second).toMatchObject({ code: 0, stderr: "" })
      const bodies = api.of("main").map(({ body }) => JSON.stringify(body))
      const reported = bodies.findLast((body) => body.includes("the second prompt")) ?? ""
      expect(reported).toContain("the first prompt")
      expect(reported).toContain("The first.")
      const request = api.of("main").length
      const [session] = JSON.parse(`[${(yield* runAt(to, other.work, "sessions", "--json")).stdout}]`)
      expect(session).toMatchObject({ home: to.store.home, turns: 2, directory: other.work })
      const refused = yield* runAt(from, one.work, ...ask, "the third prompt")
      expect(refused.code).not.toBe(0)
      expect(refused.stderr).toContain(`is at the home "${to.store.home}", in "${other.work}": its files are not here`)
      expect(api.of("main")).toHaveLength(request)
    }),
  { timeout: 120_000 }
)
