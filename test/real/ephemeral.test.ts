/** Runs and live sessions that keep no session: nothing of the conversation is left in the CLI's own directory. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import { createAgent } from "../../src/promise.ts"
import { messages, responses } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { say } from "../../src/testing/servers/Answer.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"

const servers = { claude: messages, codex: responses } as const
const word = "a-word-of-the-prompt"

/** The sessions that have the prompt. */
const keptIn = (home: string) =>
  readdirSync(home, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".jsonl") && readFileSync(join(home, file), "utf8").includes(word)
  )

it.each([
  ["claude", "run"],
  ["claude", "session"],
  ["codex", "run"],
  ["codex", "session"]
] as const)("%s: a %s", async (id, how) => {
  await using stack = new AsyncDisposableStack()
  const api = stack.use(await servers[id](Array.from({ length: 4 }, () => say("yes"))))
  const program = commandFor(id)
  const sandbox = stack.use(await makeSandbox(id, api, { path: pathOf([program]) }))
  const ask = async (ephemeral: boolean) => {
    await using agent = createAgent(id, { command: program, env: sandbox.env })
    const params = { workingDirectory: sandbox.work, ephemeral }
    if (how === "run") return (await agent.run({ ...params, prompt: word })).text
    const session = await agent.open(params)
    for await (const event of session.turn(word)) if (event.type === "turn_done") return event.result.text
    return undefined
  }
  assert.strictEqual(await ask(true), "yes")
  assert.deepStrictEqual(keptIn(sandbox.home), [])
  assert.strictEqual(await ask(false), "yes")
  assert.isNotEmpty(keptIn(sandbox.home))
})
