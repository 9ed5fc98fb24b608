/** The agents of `reins serve`: agents of the protocol are served if the configuration mentions them, and only then. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { Configuration } from "../../../src/contract/Configuration.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { findAgents } from "../../../src/program/serve/agents.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { programPath } from "../../kit/agent.ts"

const root = mkdtempSync(join(tmpdir(), "reins-served-"))
const bin = join(root, "bin")

const stub = (place: string) => {
  const speaks = `exec '${process.execPath}' '${programPath("acp-agent")}' "$@"`
  writeFileSync(place, `#!/bin/sh\n[ "$1" = --version ] && { echo 1.2.3; exit 0; }\n${speaks}\n`)
  chmodSync(place, 0o755)
}

beforeAll(() => {
  mkdirSync(bin)
  for (const place of [join(bin, "copilot"), join(bin, "goose"), join(root, "my-cline")]) stub(place)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const serve = <A, E>(
  configuration: Configuration,
  use: (served: Effect.Success<ReturnType<typeof findAgents>>) => Effect.Effect<A, E, NodeServices.NodeServices | Store>
) =>
  findAgents({ usage: false, ...configuration }, undefined).pipe(
    Effect.flatMap(use),
    Effect.provideService(HostEnvironment, { PATH: bin }),
    Effect.provide(Layer.provideMerge(Store.layerMemory(), NodeServices.layer)),
    Effect.runPromise
  )

const shape = (configuration: Configuration) =>
  serve(configuration, ({ agent, layers, notes, rows }) =>
    Effect.map(rows, (all) => ({ agent, ids: Object.keys(layers), notes, rows: all }))
  )

describe("the agents of reins serve", () => {
  it("are not those of the protocol that it does not mention", async () => {
    const { agent, ids, rows } = await shape({ agents: {}, directories: {} })
    assert.deepStrictEqual({ agent, ids }, { agent: "demo", ids: ["demo"] })
    assert.deepStrictEqual(
      rows.map(({ id }) => id),
      ["demo", "claude", "gemini", "codex", "opencode", "pi"]
    )
  })

  it("are the configured one, and those of tables, directories and chats", async () => {
    const { agent, ids, notes, rows } = await shape({
      agent: "copilot",
      agents: { cline: { command: join(root, "my-cline") } },
      directories: { app: { path: root, agent: "kilo" } },
      chats: { "1": { agent: "goose" } }
    })
    assert.deepStrictEqual(
      { agent, ids, notes },
      { agent: "copilot", ids: ["copilot", "cline", "goose", "kilo"], notes: [] }
    )
    const named = rows.filter(({ id }) => ids.includes(id))
    assert.sameDeepMembers(named, [
      { id: "copilot", name: "copilot", version: "1.2.3" },
      { id: "cline", name: "cline", version: "1.2.3" },
      { id: "goose", name: "goose", version: "1.2.3" },
      {
        id: "kilo",
        name: "kilo",
        install: "npm install -g @kilocode/cli",
        problem: "Then run `kilo` once and follow /connect."
      }
    ])
  })

  it("are told of, if the configured one is not installed", async () => {
    const { agent, notes } = await shape({ agent: "qwen", agents: {}, directories: {} })
    assert.strictEqual(agent, "demo")
    assert.match(
      notes[0] ?? "",
      /^qwen, the configured agent, is not installed: npm install -g @qwen-code\/qwen-code\./
    )
  })

  it("answer, with the arguments of their row and the configured program", async () => {
    const agents = { cline: { command: join(root, "my-cline") } }
    for (const id of ["copilot", "cline"] as const) {
      const text = await serve({ agent: id, agents, directories: {} }, ({ layers }) => {
        const layer = layers[id]
        if (layer === undefined) return Effect.die(`${id} is not served`)
        return AgentRuntime.use(({ run }) => run({ prompt: "hello" })).pipe(
          Effect.map((result) => result.text),
          Effect.provide(layer)
        )
      })
      assert.strictEqual(text, "hello")
    }
  })
})
