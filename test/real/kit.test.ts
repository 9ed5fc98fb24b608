/** The test kit as a user has it: each real CLI, led by a sandbox to a scripted server, through the plain door. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { createAgent } from "../../src/promise.ts"
import { Answer, ModelServer } from "../../src/testing.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"

/** A tool that tells where the home is, and what allows it. Claude Code refuses its strongest mode to root. */
const tools = {
  claude: [Answer.tool("Bash", { command: "echo $HOME", description: "d" }), { allowedTools: ["Bash"] }],
  gemini: [Answer.tool("run_shell_command", { command: "echo $HOME", description: "d" }), { permissionMode: "bypass" }],
  codex: [Answer.tool("exec_command", { cmd: "sleep 0.3; echo $HOME" }), {}],
  opencode: [Answer.tool("bash", { command: "echo $HOME", description: "d" }), {}],
  pi: [Answer.tool("bash", { command: "echo $HOME" }), {}]
} as const

it.each(["claude", "gemini", "codex", "opencode", "pi"] as const)("%s runs in a sandbox", async (cli) => {
  const command = commandFor(cli)
  const [tool, params] = tools[cli]
  await using server = await ModelServer.forCli(cli, [Answer.call(tool), Answer.say(["Hel", "lo"])])
  await using sandbox = await ModelServer.sandboxFor(cli, server, { path: pathOf([command]) })
  await using agent = createAgent(cli, { command, env: sandbox.env })
  const result = await agent.run({ prompt: "go on", workingDirectory: sandbox.work, ...params })
  expect(result).toMatchObject({ outcome: "completed", text: "Hello" })
  const [first, second] = server.requests
  expect(first?.prompt).toBe("go on")
  expect(second?.toolResults[0]?.text).toContain(sandbox.home)
  expect(server.others).toEqual([])
})

it.each(["claude", "gemini", "codex", "pi"] as const)(
  "%s does not repeat a request that failed, unless told",
  async (cli) => {
    const command = commandFor(cli)
    const path = pathOf([command])
    await using server = await ModelServer.forCli(cli, [Answer.fail(503)])
    const requests = async (options: { readonly retries?: number }) => {
      await using sandbox = await ModelServer.sandboxFor(cli, server, { path, ...options })
      await using agent = createAgent(cli, { command, env: sandbox.env })
      const before = server.requests.length
      await agent.run({ prompt: "go on", workingDirectory: sandbox.work }).catch(() => undefined)
      return server.requests.length - before
    }
    expect(await requests({})).toBe(1)
    expect(await requests({ retries: 1 })).toBe(2)
  }
)

it("the example of it prints what the model was shown", () => {
  const file = fileURLToPath(new URL("../testing/examples/realCli.ts", import.meta.url))
  const printed = execFileSync(process.execPath, [file, commandFor("claude")], { encoding: "utf8" })
  expect(printed).toMatch(/^Done\. \[ \{ id: 'toolu_\w+', text: 'hi', isError: false \} \]\n$/)
})
