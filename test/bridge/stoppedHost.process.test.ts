/** A host that is stopped during a turn, as by an update: its process ends, and the next host asks about the turn. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import * as Claude from "../../src/cli/claude/index.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import { programPath } from "../kit/agent.ts"
import { isAlive } from "../kit/processes.ts"
import { makeDirectory } from "../kit/temporary.ts"

describe("a host that is stopped during a turn", () => {
  it.live("leaves no process, repeats nothing unasked, updates the progress message, and asks", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const log = join(directory, "agents.ndjson")
      const begun = (): ReadonlyArray<{ readonly text: string; readonly pid: number }> =>
        existsSync(log)
          ? readFileSync(log, "utf8")
              .split("\n")
              .filter((line) => line !== "")
              .map((line) => JSON.parse(line))
          : []
      const agent = AgentRuntime.layer(Claude.claude, {
        command: process.execPath,
        baseArgs: [programPath("live/claude"), `--log=${log}`],
        killGrace: 200
      })
      const layer = ChannelBridge.layer({ agents: { claude: agent }, access: { owners: ["ann"] } }).pipe(
        Layer.provide([Store.layerFile({ directory: join(directory, "store") }), NodeServices.layer])
      )
      const scripted = ScriptedChannel.make()
      const serve = Effect.gen(function* () {
        const scope = Scope.makeUnsafe()
        const { serve: serving } = Context.get(yield* Scope.provide(Layer.build(layer), scope), ChannelBridge)
        yield* Scope.provide(Effect.forkScoped(Effect.orDie(serving(scripted.channel))), scope)
        return Scope.close(scope, Exit.void)
      })
      const ours = () => scripted.chat("ann").filter(({ isOurs }) => isOurs)
      const first = yield* serve
      yield* scripted.say(JSON.stringify([{ log: "one" }, { wait: 600_000 }, { say: "done" }]))
      yield* Effect.repeat(Effect.sync(begun), {
        until: (lines) => lines.length > 0,
        schedule: Schedule.spaced("20 millis")
      })
      const progress = yield* scripted.until(() => ours().find(({ text }) => text.startsWith("⏳")))
      yield* first
      const [line] = begun()
      assert.isFalse(line !== undefined && isAlive(line.pid))
      const second = yield* serve
      const request = yield* scripted.until(() => ours().find(({ buttons }) => buttons.includes("Forget")))
      const marked = yield* scripted.until(() => ours().find(({ text }) => text.startsWith("■ interrupted: the host")))
      assert.deepStrictEqual([marked.messageId, marked.buttons], [progress.messageId, []])
      assert.strictEqual(begun().length, 1)
      yield* scripted.press(request.messageId, "Forget")
      yield* scripted.say(JSON.stringify([{ log: "two" }, { say: "still here" }]))
      yield* scripted.until(() => ours().find(({ text }) => text.includes("still here")))
      assert.deepStrictEqual(
        begun().map(({ text }) => text),
        ["one", "two"]
      )
      yield* second
    }).pipe(Effect.scoped)
  )
})
