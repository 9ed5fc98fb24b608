/** Every line that a dialogue writes is one of the protocol, by the JSON Schema that its makers publish. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { genericFlavor } from "../../../../src/cli/acp/index.ts"
import { acpDialogue } from "../../../../src/cli/acp/live/dialogue.ts"
import { opencodeFlavor } from "../../../../src/cli/opencode/live/flavor.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { type Definitions, type JsonSchema, problemsOf } from "./jsonSchema.ts"
import { readRecording, replay } from "./replay.ts"
import { printed, request, result, talk } from "./talk.ts"

const path = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json")
const { $defs: definitions }: { readonly $defs: Definitions } = JSON.parse(readFileSync(path, "utf8"))

/** The schema of messages to the agent: requests and notifications, and answers to its own requests. */
const schemaFor = (side: string, method: string, kinds: RegExp): JsonSchema | undefined =>
  Object.entries(definitions).find(
    ([name, schema]) => schema["x-side"] === side && schema["x-method"] === method && kinds.test(name)
  )?.[1]

const problemsIn = (line: unknown): ReadonlyArray<string> => {
  const { method, params, result: answer, error, id }: Readonly<Record<string, unknown>> = { ...Object(line) }
  if (Object(line).jsonrpc !== "2.0") return ["is not JSON-RPC 2.0"]
  if (typeof method === "string") {
    const schema = schemaFor("agent", method, id === undefined ? /Notification$/ : /Request$/)
    return schema === undefined ? [`${method} is not a method`] : problemsOf(definitions, schema, params)
  }
  if (error !== undefined) return problemsOf(definitions, definitions["Error"] ?? { enum: [] }, error)
  const schema = schemaFor("client", "session/request_permission", /Response$/)
  return schema === undefined ? ["no schema of answers"] : problemsOf(definitions, schema, answer)
}

const assertConforms = (lines: ReadonlyArray<unknown>, atLeast: number) => {
  assert.isAtLeast(lines.length, atLeast)
  for (const line of lines) assert.deepStrictEqual(problemsIn(line), [], JSON.stringify(line))
}

describe("the written lines", () => {
  it.each([
    ["permission-kinds", 22, {}],
    ["permission-two", 8, {}],
    ["cancel-asked", 6, {}],
    ["prompt", 8, {}],
    ["load-resume", 3, { sessionId: "ses_1" }]
  ] as const)("in the recorded session %s", (name, atLeast, params) => {
    const recording = readRecording(`live/${name}`)
    assertConforms(
      replay(opencodeFlavor, recording, { effort: "low", ...params }, { cancelAt: "Asked" }).written,
      atLeast
    )
  })

  const secret = Redacted.make("s3cret")
  const mcpServers = {
    own: { command: "run", args: ["it"], env: { KEY: secret } },
    bare: { command: "run" },
    far: { url: "http://127.0.0.1:1/", headers: { Authorization: secret } }
  }

  it.each([
    [{ mcpServers }, {}],
    [{ mcpServers, sessionId: "old" }, { resume: {} }],
    [{ mcpServers, sessionId: "old" }, {}]
  ] as const)("to begin with %j", (params: AgentOpenParams, sessionCapabilities) => {
    const context = { workingDirectory: "/work", privateDirectory: "/private" }
    const dialogue = acpDialogue(genericFlavor("x"))(params, context)
    const capable = { loadSession: true, mcpCapabilities: { http: true }, sessionCapabilities }
    const lines = printed([...dialogue.open(), ...dialogue.push(result(1, { agentCapabilities: capable }))])
    assertConforms(lines, 2)
    assert.include(JSON.stringify(lines), "s3cret")
  })

  it("to change the session, and to refuse what is not offered", () => {
    const configOptions = [{ id: "m", category: "model", currentValue: "a", options: [] }]
    const modes = { currentModeId: "code", availableModes: [{ id: "code" }, { id: "plan" }] }
    const { dialogue } = talk({}, { sessionId: "s", configOptions, modes })
    assertConforms(
      printed([
        ...dialogue.change("1", { _tag: "Model", model: "b" }),
        ...dialogue.change("2", { _tag: "PermissionMode", permissionMode: "plan" }),
        ...dialogue.turn("/go"),
        ...dialogue.push(request(0, "terminal/create", { sessionId: "s", command: "ls" })),
        ...dialogue.interrupt()
      ]),
      5
    )
  })

  it("is looked at: what is wrong is found", () => {
    const line = (params: object) => ({ jsonrpc: "2.0", id: 1, method: "session/new", params })
    assert.deepStrictEqual(problemsIn(line({ cwd: "/work" })), ["$.mcpServers is missing"])
    assert.isNotEmpty(problemsIn(line({ cwd: "/work", mcpServers: [{ name: "x", command: "y", args: [] }] })))
    assert.isNotEmpty(problemsIn({ jsonrpc: "2.0", id: 0, result: { outcome: { outcome: "maybe" } } }))
  })
})
