/** The models of the real CLIs, as they list them themselves: no model is asked, and nothing is left. */
import { assert, it } from "vitest"
import { createAgent } from "../../src/promise.ts"
import { chatCompletions, gemini, messages, responses } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"

const servers = { claude: messages, codex: responses, gemini, opencode: chatCompletions, pi: messages } as const

it.each([
  ["claude", "default", ["low", "medium", "high", "xhigh", "max"]],
  ["codex", "gpt-6.1-sol", ["low", "medium", "high", "xhigh", "max", "ultra"]],
  ["gemini", "gemini-2.5-pro", undefined],
  ["opencode", "fake/m1", undefined],
  ["pi", "anthropic/claude-opus-4-5", ["off", "minimal", "low", "medium", "high"]]
] as const)("%s lists %s", async (id, model, efforts) => {
  await using stack = new AsyncDisposableStack()
  const api = stack.use(await servers[id]([]))
  const program = commandFor(id)
  const sandbox = stack.use(await makeSandbox(id, api, { path: pathOf([program]) }))
  const agent = stack.use(createAgent(id, { command: program, env: sandbox.env }))
  const answer = await agent.models({ workingDirectory: sandbox.work })
  if (answer.type === "unlisted") return assert.fail("it has no list")
  const found = answer.models.find((each) => each.id === model)
  assert.isDefined(found)
  if (efforts !== undefined) assert.deepStrictEqual(found.efforts, [...efforts])
  assert.isAtLeast(answer.models.length, 5)
  assert.strictEqual(new Set(answer.models.map((each) => each.id)).size, answer.models.length)
  assert.lengthOf(api.requests, 0)
})
