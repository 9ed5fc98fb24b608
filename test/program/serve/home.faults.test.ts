/** Homes of a cluster by the program: what agents get of the host, where they work, and what pages show. On PostgreSQL. */
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { versions } from "../../../src/cli/versions.ts"
import { hasPostgres, makeDatabase } from "../../kit/postgres.ts"
import { chatOf, makeRoom, type Page, runProgram, saying, script, startServe } from "./room.ts"

const lines = fileURLToPath(new URL("../../../fixtures/programs/lines.mjs", import.meta.url))
const database = ["--database", "env:SHARED_DATABASE"]

/** Answers with the names of the variables that it has and may not have. */
const telling = (directory: string) => {
  const [script, claude] = [join(directory, "telling.mjs"), join(directory, "claude")]
  writeFileSync(
    script,
    `import { init, result, say } from ${JSON.stringify(lines)}
const names = Object.entries(process.env).filter(([name, value]) => name === "SHARED_DATABASE" || value.includes("postgres://"))
say(init())
say(result(\`\${process.cwd()} \${JSON.stringify(names.map(([name]) => name))}\`))
`
  )
  const version = `case "$1" in --version) echo "${versions.claude.testedVersion} (Claude Code)"; exit;; auth) echo "{}"; exit;; esac`
  writeFileSync(claude, `#!/bin/sh\n${version}\nexec '${process.execPath}' '${script}' "$@"\n`)
  chmodSync(claude, 0o755)
}

const roomOf = Effect.acquireRelease(
  Effect.sync(() => makeRoom()),
  ({ remove }) => Effect.sync(remove)
)

const listOf = ({ base, key }: Page) =>
  Effect.promise(async () => {
    const response = await fetch(`${base}/state`, { headers: { authorization: `Bearer ${key}` } })
    return ((await response.json()) as { readonly conversations: ReadonlyArray<object> }).conversations
  })

describe.skipIf(!hasPostgres)("reins serve --home", () => {
  it.live(
    "shows the conversations of all homes at each page, and does there what is said here",
    () =>
      Effect.gen(function* () {
        const { url } = yield* makeDatabase
        const env = { SHARED_DATABASE: Redacted.value(url) }
        const [here, there] = [yield* roomOf, yield* roomOf]
        const serve = (room: typeof here, name: string) =>
          Effect.acquireRelease(
            Effect.promise(() => startServe(room, ["--web=0", "--home", name, ...database], env)),
            ({ child, ended }) =>
              Effect.promise(async () => {
                child.kill("SIGTERM")
                await ended
              })
          )
        const [one, two] = [yield* serve(here, "one"), yield* serve(there, "two")]
        const own = chatOf(two.page)
        const [visible, status] = [chatOf(one.page, own.id), () => listOf(one.page)]
        yield* Effect.promise(() => own.say(script({ say: "first;" })))
        yield* Effect.promise(() => own.shows(saying("first;")))
        yield* Effect.promise(() => visible.shows(saying("first;")))
        assert.deepInclude((yield* status())[0], { id: own.id, page: "two", agent: "claude" })
        const request = yield* Effect.promise(() => visible.say(script({ log: "second" }, { say: "second;" })))
        assert.strictEqual(request, 202)
        yield* Effect.promise(() => visible.shows(saying("second;")))
        assert.deepStrictEqual(
          [here, there].map((room) => room.logged().map(({ text }) => text)),
          [[], ["second"]]
        )
        two.child.kill("SIGKILL")
        yield* Effect.promise(() => two.ended)
        yield* Effect.promise(() => visible.shows(saying("second;")))
        assert.strictEqual(yield* Effect.promise(() => visible.say(script({ log: "third" }, { say: "third;" }))), 503)
        yield* serve(there, "two")
        const again = yield* Effect.promise(() => visible.say(script({ log: "fourth" }, { say: "fourth;" })))
        assert.strictEqual(again, 202)
        yield* Effect.promise(() => visible.shows(saying("fourth;")))
        assert.deepStrictEqual(
          there.logged().map(({ text }) => text),
          ["second", "fourth"]
        )
      }).pipe(Effect.scoped),
    90_000
  )

  it.live(
    "gives its agents neither the database nor a directory that it was not given",
    () =>
      Effect.gen(function* () {
        const { url } = yield* makeDatabase
        const room = yield* roomOf
        telling(join(room.root, "bin"))
        const env = { SHARED_DATABASE: Redacted.value(url) }
        const host = yield* Effect.acquireRelease(
          Effect.sync(() => runProgram(room, ["serve", "--web=0", "--home", "one", ...database], env)),
          ({ child, ended }) =>
            Effect.promise(async () => {
              child.kill("SIGTERM")
              await ended
            })
        )
        yield* Effect.promise(() => host.printing("stderr", /The home one serves the cluster/))
        const ask = (...args: ReadonlyArray<string>) =>
          Effect.promise(async () => {
            const asking = runProgram(room, ["run", "--output", "text", ...database, ...args], env)
            await asking.ended
            return asking.printed
          })
        const reported = yield* ask("--conversation", "c", "hello")
        assert.strictEqual(reported.stdout, `${room.work} []\n`)
        for (const directory of [room.root, "/", `${room.work}/..`]) {
          const refused = yield* ask("--conversation", "d", "--cwd", directory, "hello")
          assert.strictEqual(refused.stdout, "")
          assert.include(refused.stderr, "works in")
          // One that is there already is asked whatever the caller thinks: the home refuses it.
          const again = yield* ask("--conversation", "c", "--cwd", directory, "hello")
          assert.strictEqual(again.stdout, "")
          assert.include(again.stderr, "does not let agents work in")
        }
      }).pipe(Effect.scoped),
    90_000
  )
})
