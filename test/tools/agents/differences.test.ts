/** Rows of named agents beside the protocol's registry: what differs is told, in each form of distribution. */
import { assert, describe, it } from "vitest"
import { acpAgents } from "../../../src/cli/acp/agents.ts"
import { differencesOf } from "../../../tools/agents/differences.ts"

const npx = (name: string, args?: ReadonlyArray<string>) => ({
  version: "1",
  distribution: { npx: { package: name, ...(args === undefined ? {} : { args }) } }
})
const binary = (cmd: string, args: ReadonlyArray<string>) => ({
  version: "1",
  distribution: { binary: { "linux-x86_64": { archive: "https://x.test/a.zip", cmd, args } } }
})

describe("a row and the registry", () => {
  it.each([
    ["the same package", acpAgents.copilot, npx("@github/copilot@1.0.80", ["--acp"]), []],
    ["no arguments", acpAgents["codex-acp"], npx("@agentclientprotocol/codex-acp@1.4.0"), []],
    ["the same program in a folder", acpAgents.devin, binary("./bin/devin", ["acp"]), []],
    [
      "the same package of Python",
      acpAgents["fast-agent"],
      { version: "1", distribution: { uvx: { package: "fast-agent-acp==0.10.1", args: ["-x"] } } },
      []
    ],
    [
      "another package, and arguments",
      acpAgents.copilot,
      npx("@github/copilot-language-server@1", ["--stdio"]),
      [
        "package: @github/copilot, in the registry @github/copilot-language-server",
        'args: ["--acp"], in the registry ["--stdio"]'
      ]
    ],
    ["another program", acpAgents.devin, binary("./devin-cli", ["acp"]), ["command: devin, in the registry devin-cli"]],
    ["another form", acpAgents.devin, { version: "1" }, undefined]
  ])("%s", (_, row, registered, differences) => assert.deepStrictEqual(differencesOf(row, registered), differences))
})
