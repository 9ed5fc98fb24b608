/**
 * While a run goes on, nothing that it was given is in an argument of any process, nor in a file that others can read.
 * For every CLI value; what cannot be given in another way is named here and in the README.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import { until } from "../kit/processes.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { successOf } from "./kit/processRecordings.ts"
import { makeSecretRun } from "./kit/processSecretRuns.ts"
import { assertNone, secretsIn } from "./kit/processSecrets.ts"
import { commandLines } from "./kit/processTable.ts"

const ids = Object.keys(clis) as ReadonlyArray<CliId>

/** In the process table for all to see, since the CLI takes it from nowhere else. */
const rendered: Readonly<Record<CliId, ReadonlyArray<string>>> = {
  claude: ["outputSchema"],
  gemini: [],
  codex: ["appendSystemPrompt"],
  opencode: [],
  pi: []
}

const isPrivate = (name: string) => /^tmp\/reins-[^/]+\.[^/]+/.test(name)

/** Only the owner may read it: the directory, or the file itself. */
const modes = (name: string, entry: string) =>
  assert.match(entry, /^(directory 700|600 )/, `${name} is for its owner alone`)

describe.each(ids)("a run of %s that goes on", (id) => {
  /** Before its first line, so that settings are lent; and after it. */
  it.live.each([0, 1])("shows nothing that it was given after %i lines", (count) =>
    Effect.gen(function* () {
      const ready = join(yield* makeDirectory, "ready")
      const args = [`--ready=${ready}`, successOf(clis[id]).file, `--lines=${count}`, "--then=stay"]
      const { secrets, user, record, events } = yield* makeSecretRun(id, { args })
      const before = user.listing()
      const fiber = yield* Effect.forkChild(events, { startImmediately: true })
      yield* until(() => existsSync(ready) && (count === 0 || readFileSync(record, "utf8") !== ""))
      const visible = commandLines().join("\n")
      assert.include(visible, ready)
      assert.deepStrictEqual(secretsIn(visible, secrets), rendered[id])
      const entries = Object.entries(user.listing())
      assert.isTrue(entries.some(([name]) => isPrivate(name)))
      for (const [name, entry] of entries) {
        if (isPrivate(name)) modes(name, entry)
        else assertNone(entry, secrets, name)
      }
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(user.listing(), before)
    })
  )
})
