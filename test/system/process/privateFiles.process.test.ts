/** Files that keep content off the command line: only their owner can read them, as long as the run. Real processes. */
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import { layerOf, program, runOnce } from "../../kit/agent.ts"

const Files = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      option: Schema.String,
      path: Schema.String,
      mode: Schema.String,
      directoryMode: Schema.String,
      bytes: Schema.Int,
      content: Schema.String
    })
  )
)

const known = (params: Partial<AgentExecuteParams>, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { text } = yield* runOnce(program("shows-files", ...args), params)
    return yield* Schema.decodeUnknownEffect(Files)(text)
  })

const params: Partial<AgentExecuteParams> = {
  systemPrompt: "s".repeat(300_000),
  mcpServers: { tiny: { command: "node", args: ["server.mjs"], env: { TOKEN: "secret" } } }
}

describe("the private files of a run", () => {
  it.live("arrive whole, however long", () =>
    Effect.gen(function* () {
      const files = yield* known(params)
      assert.deepStrictEqual(
        files.map((file) => file.option),
        ["--system-prompt-file", "--mcp-config"]
      )
      assert.strictEqual(files[0]?.bytes, 300_000)
      const config: unknown = JSON.parse(files[1]?.content ?? "")
      const tiny = { type: "stdio", command: "node", args: ["server.mjs"], env: { TOKEN: "secret" } }
      assert.deepStrictEqual(config, { mcpServers: { tiny } })
    })
  )

  it.live("can be read by their owner only, and so can their directory", () =>
    Effect.gen(function* () {
      for (const file of yield* known(params)) {
        assert.strictEqual(file.mode, "600")
        assert.strictEqual(file.directoryMode, "700")
      }
    })
  )

  it.live("are gone after the run, with their directory", () =>
    Effect.gen(function* () {
      const files = yield* known(params)
      assert.isNotEmpty(files)
      for (const file of files) assert.isFalse(existsSync(dirname(file.path)))
    })
  )

  it.live("are gone after a run that was interrupted", () =>
    Effect.gen(function* () {
      const seenText: Array<string> = []
      yield* AgentRuntime.use((agent) =>
        agent.execute({ prompt: "hello", ...params }).pipe(
          Stream.takeUntil((event) => event.type === "text"),
          Stream.runForEach((event) => Effect.sync(() => event.type === "text" && seenText.push(event.text)))
        )
      ).pipe(Effect.provide(layerOf(program("shows-files", "--stay"))))
      const files = yield* Schema.decodeUnknownEffect(Files)(seenText.join(""))
      assert.isNotEmpty(files)
      for (const file of files) assert.isFalse(existsSync(dirname(file.path)))
    })
  )

  it.live("of two runs at once are not shared", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([known(params), known(params)], { concurrency: 2 })
      const directories = [...one, ...two].map((file) => dirname(file.path))
      assert.strictEqual(new Set(directories).size, 2)
    })
  )

  it.live("are not created without need", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* known({}), [])
    })
  )
})
