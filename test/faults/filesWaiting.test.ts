/** A host that dies while its first run waits for another run's settings leaves nothing, although no process was started. */
import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import { isAlive, until } from "../kit/processes.ts"
import { environmentOf, makeRun } from "./kit/processBusyHost.ts"
import { makeUser } from "./kit/processFiles.ts"
import { reapersOf, startHost } from "./kit/processHost.ts"

const ids = (Object.keys(clis) as ReadonlyArray<CliId>).filter((id) => clis[id].settingsPath !== undefined)

const privateDirectories = (directory: string) => readdirSync(directory).filter((name) => /^reins-.+\./.test(name))

describe.each(ids)("%s", (id) => {
  it.live("leaves no private files of a host that is killed before it has started anything", () =>
    Effect.gen(function* () {
      const user = yield* makeUser
      const before = user.listing()
      const place = { workingDirectory: user.configured }
      const one = yield* makeRun(id, ["--then=stay"], place)
      const holder = yield* startHost([one.order], environmentOf(user))
      yield* until(one.isThere)
      const [held] = privateDirectories(user.tmp)
      const otherwise = { ...place, mcpServers: { local: { command: "defined-otherwise" } } }
      const two = yield* makeRun(id, ["--then=stay"], otherwise)
      const waiting = yield* startHost([two.order], environmentOf(user))
      yield* until(() => privateDirectories(user.tmp).length === 2)
      const reapers = reapersOf(waiting.pid)
      process.kill(waiting.pid, "SIGKILL")
      yield* waiting.ended
      yield* until(() => !reapers.some(isAlive))
      assert.isFalse(two.isThere())
      assert.deepStrictEqual(privateDirectories(user.tmp), [held])
      holder.order("abort")
      yield* holder.over
      assert.deepStrictEqual(user.listing(), before)
    })
  )
})
