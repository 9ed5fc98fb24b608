/** The release before and this one on one store: one after the other, side by side, and as homes of one cluster. */

import { chmodSync, globSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { Effect, Exit, Redacted, Scope } from "effect"
import { afterEach, beforeAll, describe, expect, it } from "vitest"
import { migrationsTable, newestSchema } from "../../src/conversations/store/migrations.ts"
import { hasPostgres, makeDatabase } from "../kit/postgres.ts"
import {
  chatOf,
  makeRoom,
  type Page,
  type Room,
  runProgram,
  saying,
  script,
  startServe
} from "../program/serve/room.ts"
import { hasPrevious, previousProgram } from "./previous.ts"

const lines = fileURLToPath(new URL("../../fixtures/programs/lines.mjs", import.meta.url))

let program = ""
/** Number of migrations that the release before knows. */
let oldSchema = 0
beforeAll(async () => {
  if (!hasPrevious) return
  program = previousProgram()
  const { before } = makePlace()
  await (await serve(before)).stop()
  oldSchema = schemaOf(before)
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
}, 400_000)

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

/** A Claude Code for runs, too: each says "ran". */
const takesRuns = ({ root }: Room) => {
  const [claude, live] = [join(root, "bin/claude"), join(root, "bin/live-claude")]
  renameSync(claude, live)
  const script = join(root, "ran.mjs")
  writeFileSync(
    script,
    `import { init, result, say } from ${JSON.stringify(lines)}
const [, id] = /--(?:resume|session-id)[= ](\\S+)/.exec(process.argv.join(" ")) ?? []
say(id === undefined ? init() : { ...init(), session_id: id })
say(result("ran"))
`
  )
  const asRun = `case " $* " in *" --input-format"*|*" auth "*|*" --version "*) ;; *) exec '${process.execPath}' '${script}' "$@";; esac`
  writeFileSync(claude, `#!/bin/sh\n${asRun}\nexec '${live}' "$@"\n`)
  chmodSync(claude, 0o755)
}

/** The same place for both releases. */
const makePlace = () => {
  const now = makeRoom()
  stack.defer(now.remove)
  takesRuns(now)
  return { now, before: { ...now, program } }
}

const serve = async (room: Room, args: ReadonlyArray<string> = [], env: NodeJS.ProcessEnv = {}) => {
  const host = await startServe(room, ["--web=0", ...args], env)
  const stop = async () => {
    host.child.kill("SIGTERM")
    await host.ended
  }
  stack.defer(stop)
  return { page: host.page, stop }
}

const run = async (room: Room, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) => {
  const { stdout, stderr, code } = await runProgram(room, args, env).ended
  return { stdout, stderr, code }
}

interface Listed {
  readonly id: string
  readonly page?: string
  readonly state: string
}

const listedAt = async ({ base, key }: Page): Promise<ReadonlyArray<Listed>> => {
  const response = await fetch(`${base}/state`, { headers: { authorization: `Bearer ${key}` } })
  const state = (await response.json()) as { readonly conversations: ReadonlyArray<Listed> }
  return state.conversations
}

/** Number of migrations that a store in this place has had. */
const schemaOf = ({ root }: Room): number => {
  const [file = ""] = globSync("state/**/*.{db,sqlite}", { cwd: root })
  const database = new DatabaseSync(join(root, file), { readOnly: true })
  try {
    return Number(database.prepare(`select max(migration_id) as version from ${migrationsTable}`).get()?.["version"])
  } finally {
    database.close()
  }
}

const sessionsIn = async (room: Room): Promise<ReadonlyArray<{ readonly sessionId: string; readonly turns: number }>> =>
  (await run(room, ["sessions", "--json"])).stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const runsIn = async (room: Room): Promise<number> => {
  const { stdout } = await run(room, ["usage", "--json"])
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}").runs
}

/** A store that a newer version has migrated. */
const refused = { code: 1, stderr: expect.stringContaining("newer version") }
/** Then processes of the release before that begin later are refused; one that has the store open goes on. */
const isNewer = newestSchema > oldSchema

describe.skipIf(!hasPrevious)("an upgrade", () => {
  it("goes on with what the release before kept: conversations, the key of the page, sessions and money", async () => {
    const { now, before } = makePlace()
    const old = await serve(before)
    const chat = chatOf(old.page)
    await chat.say(script({ say: "before;" }))
    await chat.shows(saying("before;"))
    await old.stop()
    expect(await runsIn(now)).toBe(1)

    const next = await serve(now)
    expect(next.page.key).toBe(old.page.key)
    expect(await listedAt(next.page)).toMatchObject([{ id: chat.id, state: "done", agent: "claude" }])
    const same = chatOf(next.page, chat.id)
    await same.shows(saying("before;"))
    await same.say(script({ say: "after;" }))
    await same.shows(saying("after;"))
    expect(await sessionsIn(now)).toMatchObject([{ turns: 2 }])
    expect(await runsIn(now)).toBe(2)
    await next.stop()

    // The way back: what is newer than a release is refused by it, and what is not is taken.
    if (isNewer) {
      expect(await run(before, ["serve", "--web=0"])).toMatchObject(refused)
    } else {
      await chatOf((await serve(before)).page, chat.id).shows(saying("after;"))
    }
  }, 120_000)

  it.each([
    ["the release before serves", "before", "now"],
    ["this one serves", "now", "before"]
  ] as const)(
    "while %s, no second host of the store begins, and runs of the other release work beside it",
    async (_, serving, other) => {
      const place = makePlace()
      const host = await serve(place[serving])
      const chat = chatOf(host.page)
      await chat.say(script({ say: "first;" }))
      await chat.shows(saying("first;"))
      const second = await run(place[other], ["serve", "--web=0"])
      expect(second.code).toBe(1)
      if (serving === "now" && isNewer) {
        expect(second).toMatchObject(refused)
        expect(await run(place.before, ["sessions"])).toMatchObject(refused)
        return
      }
      expect(second.stderr).toContain("Another reins serve of this user runs on this store")

      const beside = ["run", "--agent", "claude", "--output", "text", "--conversation", "beside", "hello"]
      for (const release of [other, serving]) {
        const ran = await run(place[release], beside)
        expect(ran).toMatchObject(isNewer && release === "before" ? refused : { code: 0, stdout: "ran\n" })
      }

      // The session of the page's conversation is held by the host, of whichever release.
      const held = (await sessionsIn(place[other])).filter(({ turns }) => turns === 1).at(-1)
      const resume = ["run", "--agent", "claude", "--resume", held?.sessionId ?? "", "--when-busy", "fail", "x"]
      expect(await run(place[other], resume)).toMatchObject({ code: 3, stderr: expect.stringContaining("busy") })
      await chat.say(script({ say: "second;" }))
      await chat.shows(saying("second;"))
      expect(await runsIn(place[other])).toBe(isNewer ? 3 : 4)
    },
    120_000
  )
})

describe.skipIf(!(hasPrevious && hasPostgres))("an upgrade of a cluster", () => {
  it("goes home by home: both releases show all conversations, and ask each other's homes", async () => {
    const scope = Scope.makeUnsafe()
    const { url } = await Effect.runPromise(Scope.provide(makeDatabase, scope))
    stack.defer(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    const env = { SHARED_DATABASE: Redacted.value(url) }
    const database = ["--database", "env:SHARED_DATABASE"]
    const [one, two] = [makePlace(), makePlace()]
    const old = await serve(one.before, ["--home", "one", ...database], env)
    const next = await serve(two.now, ["--home", "two", ...database], env)

    for (const [at, from, word] of [
      [old, next, "one"],
      [next, old, "two"]
    ] as const) {
      const own = chatOf(at.page)
      await own.say(script({ say: `${word};` }))
      const visible = chatOf(from.page, own.id)
      await visible.shows(saying(`${word};`))
      expect(await visible.say(script({ say: `from the other of ${word};` }))).toBe(202)
      await own.shows(saying(`from the other of ${word};`))
      expect((await listedAt(from.page)).find(({ id }) => id === own.id)).toMatchObject({
        page: word
      })
    }

    // A caller of each release, in the home of the conversation, which is that of the first turn.
    const ask = (room: Room) => run(room, ["run", "--output", "text", ...database, "--conversation", "c", "hello"], env)
    for (const room of [one.now, two.now]) expect(await ask(room)).toMatchObject({ code: 0, stdout: "ran\n" })
    for (const room of [one.before, two.before]) {
      const ran = await ask(room)
      if (isNewer) expect(ran.stderr + ran.stdout).toContain("newer version")
      else expect(ran).toMatchObject({ code: 0, stdout: "ran\n" })
    }

    await old.stop()
    const upgraded = await serve(one.now, ["--home", "one", ...database], env)
    expect((await listedAt(upgraded.page)).length).toBeGreaterThanOrEqual(2)
    expect(await ask(two.now)).toMatchObject({ code: 0, stdout: "ran\n" })
  }, 180_000)
})
