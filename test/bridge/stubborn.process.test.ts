/** A stopped agent that obeys nothing: people read that it is stopped when its process is gone. */
import { randomUUID } from "node:crypto"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Claude } from "../../src/agents/Agents.ts"
import { programPath } from "../kit/agent.ts"
import { script } from "../kit/live.ts"
import { processesWith } from "../kit/processes.ts"
import { bridgeOf } from "./bridgeOf.ts"

const killGrace = 1_500

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "reins-stubborn-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** At work, and deaf to every request to stop. */
const stubborn = Effect.fnUntraced(function* (live: boolean) {
  const mark = `--mark=${randomUUID()}`
  const deaf = join(yield* temporary, "deaf")
  const program = live ? [programPath("live/claude")] : [programPath("ignores-sigterm"), `--pid-file=${deaf}`]
  const agent = Claude.layer({ command: process.execPath, baseArgs: [...program, mark], killGrace })
  const channel = yield* (yield* bridgeOf(agent, { progress: "edit", live }))()
  yield* channel.say(live ? script({ ignoreSignals: true }, { say: "I work." }, { silent: true }) : "work")
  if (live) yield* channel.shown("ann", "I work.")
  while (!live && !existsSync(deaf)) yield* Effect.sleep(20)
  return { ...channel, running: () => processesWith(mark) }
})

describe.each([{ live: true }, { live: false }])("an agent that obeys nothing, live: $live", ({ live }) => {
  it.live.each(["Stopped.", "■ stopped"])('is "%s" when its process is gone', (text) =>
    Effect.gen(function* () {
      const { say, shown: visible, running } = yield* stubborn(live)
      assert.lengthOf(running(), 1)
      yield* say("/stop")
      yield* visible("ann", "Stopping…")
      assert.lengthOf(running(), 1)
      yield* visible("ann", text)
      assert.deepStrictEqual(running(), [])
    }).pipe(Effect.scoped)
  )
})
