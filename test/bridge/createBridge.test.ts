/** A bridge of promises is refused when it is made if an agent of it would refuse each turn. */
import { assert, describe, it } from "vitest"
import { createBridge } from "../../src/bridge/promise/CreateBridge.ts"
import { tern } from "../package/fifthCli/tern.ts"

/** As JavaScript would call it. */
const made = (agents: unknown) => () => createBridge({ agents, store: { memory: true } } as never)

describe("createBridge refuses", () => {
  it.each<readonly [name: string, agents: unknown, message: RegExp]>([
    ["no agents", undefined, /^createBridge: agents: is not an object with an agent for each name$/],
    ["a name for an agent", { claude: "claude" }, /^createBridge: agents\.claude: is not an object$/],
    [
      "an option of runs beside the defaults",
      { claude: { model: "opus" } },
      /^createBridge: agents\.claude: model: is not a known field; .*defaults: \{ model: … \}$/
    ],
    [
      "a misspelt option",
      { main: { cli: "codex", comand: "x" } },
      /^createBridge: agents\.main: comand: is not a known field/
    ],
    [
      "a default that the CLI has not",
      { gemini: { defaults: { effort: "high" } } },
      /^createBridge: agents\.gemini: .*effort/
    ],
    [
      "an unknown CLI",
      { main: {} },
      /^createBridge: agents\.main\.cli: "main" is not one of claude, gemini, codex, opencode, pi, or a value of Cli\.make$/
    ],
    ["a CLI that is not whole", { main: { cli: { ...tern, decoder: undefined } } }, /or a value of Cli\.make$/],
    ["what a CLI of one's own does not support", { tern: { cli: tern, defaults: { effort: "high" } } }, /effort/],
    [
      "a CLI of one's own with the id of another",
      { claude: { cli: { ...tern, id: "claude" } } },
      /^createBridge: agents\.claude\.cli: has the id claude, which Reins knows$/
    ]
  ])("%s", (_, agents, message) => {
    assert.throws(made(agents), message)
  })

  it("none of these", async () => {
    const agents = {
      claude: { defaults: { model: "opus" }, killGrace: 100 },
      main: { cli: "codex" },
      tern: { cli: tern }
    }
    await made(agents)().close()
  })
})
