/** Options without a flag: entries of the settings with their variables, and the rules of a policy file. */
import { Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"
import { plan } from "../../../../src/cli/gemini/command.ts"
import type { AgentExecuteParams } from "../../../../src/contract/AgentExecuteParams.ts"
import type { Plan } from "../../../../src/contract/Plan.ts"

type Params = Partial<AgentExecuteParams>

const context = { env: { HOME: "/home/me" }, workingDirectory: "/workspace", privateDirectory: "/tmp/reins-a1-b2" }

const planned = (params: Params = {}): Plan => Result.getOrThrow(plan({ prompt: "hello", ...params }, {}, context))

const files = (input: Plan) => Object.fromEntries(input.files.map(({ name, content }) => [name, content]))

const keeps = { general: { sessionRetention: { enabled: false } } }
const braced = "$".concat("{HOME:-x}")
describe("settings", () => {
  it("keep the sessions of every start; a file that cannot be changed does not cause a failure by itself", () => {
    const { otherwise = "", ...settings } = planned({ mcpServers: {} }).settings ?? {}
    assert.deepStrictEqual(settings, { path: [".gemini", "settings.json"], patch: keeps })
    assert.match(otherwise, /may delete sessions/)
  })

  it("of a workspace that is not trusted are not obeyed, and not touched", () => {
    assert.isFalse("settings" in planned({ trustWorkspace: false }))
  })

  it("have the most turns", () => {
    assert.deepStrictEqual(planned({ maxTurns: 3 }).settings, {
      path: [".gemini", "settings.json"],
      patch: { model: { maxSessionTurns: 3 }, ...keeps }
    })
  })

  it("have the servers; what may be secret is in variables of this run", () => {
    const input = planned({
      mcpServers: {
        local: { command: "node", args: ["s.mjs", "$x"], env: { TOKEN: Redacted.make("pa$$"), PLAIN: "p" } },
        bare: { command: "bare" },
        remote: { url: `http://x/mcp?k=${braced}`, headers: { Authorization: Redacted.make("Bearer a$HOME") } }
      }
    })
    const common = { trust: true, timeout: 600_000 }
    const name = (n: number) => `$REINS_MCP_SECRET_REINSA1B2_${n}`
    assert.deepStrictEqual(input.settings, {
      path: [".gemini", "settings.json"],
      patch: {
        mcpServers: {
          local: { command: "node", args: ["s.mjs", name(1)], env: { TOKEN: name(2), PLAIN: name(3) }, ...common },
          bare: { command: "bare", args: [], env: {}, ...common },
          remote: { type: "http", url: name(4), headers: { Authorization: name(5) }, ...common }
        },
        ...keeps
      }
    })
    const values = Object.entries(input.env).filter(([key]) => key.startsWith("REINS_MCP_"))
    assert.deepStrictEqual(Object.fromEntries(values.map(([key, value]) => [`$${key}`, value])), {
      [name(1)]: "$x",
      // Replaced a second time by the CLI, in which a dollar behind a backslash stands for itself.
      [name(2)]: "pa\\$\\$",
      [name(3)]: "p",
      [name(4)]: `http://x/mcp?k=${braced}`,
      [name(5)]: "Bearer a\\$HOME"
    })
  })

  it("have no dollar but those of variables that the plan sets", () => {
    const nasty = `$HOME ${braced} $$ \\$ $`
    const input = planned({
      mcpServers: {
        a: { command: nasty, args: [nasty], env: { A: nasty } },
        b: { url: nasty, headers: { B: nasty } }
      }
    })
    const names = JSON.stringify(input.settings).match(/\$\w*/g) ?? []
    assert.strictEqual(names.length, 5)
    for (const name of names) assert.property(input.env, name.slice(1))
  })
})

describe("rules about tools", () => {
  const policy = (params: Params) => files(planned(params))["policy.toml"] ?? ""

  it("are one for each entry, and what is denied wins", () => {
    const allowedTools = ["read_file", "run_shell_command", "run_shell_command(git log)", "mcp_tiny_*"]
    assert.strictEqual(
      policy({ allowedTools, disallowedTools: ['run_shell_command(rm "x")', "*"] }),
      [
        '[[rule]]\ntoolName = "read_file"\ndecision = "allow"\npriority = 300\nallowRedirection = true\n',
        '[[rule]]\ntoolName = "run_shell_command"\ndecision = "allow"\npriority = 300\nallowRedirection = true\n',
        '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git log"\ndecision = "allow"\npriority = 300\n',
        '[[rule]]\ntoolName = "mcp_tiny_*"\ndecision = "allow"\npriority = 300\nallowRedirection = true\n',
        '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "rm \\"x\\""\ndecision = "deny"\npriority = 999\n',
        '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
      ].join("\n")
    )
  })

  it("keep a prefix on its line", () => {
    const text = policy({ disallowedTools: ['run_shell_command(a\n"b"\\ \x7f\u2028)'] })
    assert.include(text, 'commandPrefix = "a\\n\\"b\\"\\\\ \\u007f\u2028"\n')
  })
})
