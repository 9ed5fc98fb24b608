/** Params and options → exactly these arguments, this stdin, this environment and these files. */
import { Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"
import { plan } from "../../../src/cli/opencode/command.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import type { Plan } from "../../../src/contract/Plan.ts"

type Params = Partial<AgentExecuteParams>
type Env = Readonly<Record<string, string>>

const planned = (params: Params = {}, options: AgentOptions = {}, env: Env = {}): Plan => {
  const context = { env, workingDirectory: "/workspace", privateDirectory: "/private" }
  return Result.getOrThrow(plan({ prompt: "hello", ...params }, options, context))
}

const argv = ({ args }: Plan) => args.map(({ text }) => text)

const files = (input: Plan) => Object.fromEntries(input.files.map(({ name, content }) => [name, content]))

const configOf = ({ env }: Plan) => JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "null")

const always = ["run", "--format=json", "--thinking", "--dir=/workspace"]
const fresh = [...always, "--title=reins"]

describe("arguments", () => {
  it("of a plain prompt are the same for every run, and nothing of it is in them", () => {
    const input = planned()
    assert.deepStrictEqual(argv(input), fresh)
    assert.strictEqual(input.stdin, "hello")
    assert.deepStrictEqual(input.env, {})
    assert.deepStrictEqual(files(input), {})
  })

  const table: ReadonlyArray<readonly [string, Params, ReadonlyArray<string>]> = [
    ["model", { model: "fake/m1" }, [...fresh, "--model=fake/m1"]],
    ["model, with more slashes", { model: "router/a/b:free" }, [...fresh, "--model=router/a/b:free"]],
    ["effort", { effort: "high" }, [...fresh, "--variant=high"]],
    ["permissionMode default", { permissionMode: "default" }, fresh],
    ["permissionMode plan", { permissionMode: "plan" }, [...fresh, "--agent=plan"]],
    ["permissionMode accept-edits", { permissionMode: "accept-edits" }, fresh],
    ["permissionMode bypass", { permissionMode: "bypass" }, [...fresh, "--auto"]],
    ["systemPrompt", { systemPrompt: "x" }, [...fresh, "--agent=build"]],
    ["systemPrompt in plan", { systemPrompt: "x", permissionMode: "plan" }, [...fresh, "--agent=plan"]],
    ["sessionId", { sessionId: "ses_1" }, [...always, "--session=ses_1"]],
    ["forkSession", { sessionId: "ses_1", forkSession: true }, [...always, "--session=ses_1", "--fork"]],
    ["forkSession, false", { sessionId: "ses_1", forkSession: false }, [...always, "--session=ses_1"]],
    ["mcpServers, none", { mcpServers: {} }, fresh],
    ["extraArgs", { extraArgs: ["--print-logs", "--agent=bot"] }, [...fresh, "--print-logs", "--agent=bot"]]
  ]
  it.each(table)("%s", (_, params, expected) => {
    const input = planned(params)
    assert.deepStrictEqual(argv(input), expected)
    assert.strictEqual(input.stdin, "hello")
  })

  it.each(["-x", "--help me", "/init now", "a\n", "x".repeat(200_000), "{env:HOME} {file:/etc/passwd}"])(
    "never carry a prompt: %#",
    (prompt) => {
      const input = planned({ prompt })
      assert.deepStrictEqual(argv(input), fresh)
      assert.strictEqual(input.stdin, prompt)
    }
  )

  it("carry a short prompt in words where that is asked for, since a blank would be quoted", () => {
    const input = planned({ prompt: '-say  "hi"\nto ' }, { promptVia: "argument" })
    assert.deepStrictEqual(argv(input), [...fresh, "--", "-say", "", '"hi"\nto', ""])
    assert.strictEqual(input.stdin, "")
    const long = planned({ prompt: "x".repeat(10_001) }, { promptVia: "argument" })
    assert.deepStrictEqual([argv(long), long.stdin?.length], [fresh, 10_001])
  })

  it.each([
    ["/hey a  b\n", [...fresh, "--command=hey"], "a  b\n"],
    ["/hey", [...fresh, "--command=hey"], ""],
    ["hey /there", fresh, "hey /there"]
  ])("name a slash command where that is asked for: %j", (prompt, args, stdin) => {
    const input = planned({ prompt, slashCommands: true })
    assert.deepStrictEqual([argv(input), input.stdin], [args, stdin])
  })
})

describe("prompts", () => {
  it("are in files that the configuration names", () => {
    const input = planned({ systemPrompt: " Be {env:HOME}.\n", appendSystemPrompt: "And {file:/etc/passwd}." })
    assert.deepStrictEqual(configOf(input), {
      agent: { build: { prompt: " {file:/private/system-prompt.md}\n" } },
      instructions: ["/private/append-system-prompt.md"]
    })
    assert.deepStrictEqual(files(input), {
      "system-prompt.md": " Be {env:HOME}.\n",
      "append-system-prompt.md": "And {file:/etc/passwd}."
    })
  })

  it("that are empty replace the CLI's own, or add nothing", () => {
    const input = planned({ systemPrompt: "", appendSystemPrompt: "" })
    assert.deepStrictEqual(configOf(input), { agent: { build: { prompt: " " } } })
    assert.deepStrictEqual(files(input), {})
  })

  it("are those of the plan agent in plan", () => {
    const input = configOf(planned({ systemPrompt: "x", permissionMode: "plan" }))
    assert.strictEqual(input.agent.plan.prompt, "{file:/private/system-prompt.md}")
    assert.deepStrictEqual(input.agent.plan.permission, { edit: "deny", bash: "deny" })
    assert.isUndefined(input.agent.build.prompt)
  })
})

describe("MCP servers", () => {
  const mcpServers = {
    tiny: { command: "node", args: ["-e", "{env:HOME}"], env: { KEY: Redacted.make(' s3"cret\n'), EMPTY: "" } },
    far: { url: "https://far.example/{file:/x}", headers: { Authorization: "Bearer 1" } }
  }
  const input = planned({ mcpServers })

  it("are in the configuration, and braces of theirs are text", () => {
    assert.deepStrictEqual(configOf(input).mcp, {
      tiny: {
        type: "local",
        command: ["node", "-e", "{env:HOME}"],
        environment: { KEY: " {file:/private/mcp-0.txt}\n", EMPTY: "" },
        enabled: true
      },
      far: {
        type: "remote",
        url: "https://far.example/{file:/x}",
        headers: { Authorization: "{file:/private/mcp-2.txt}" },
        enabled: true
      }
    })
    const text = input.env["OPENCODE_CONFIG_CONTENT"] ?? ""
    assert.deepStrictEqual(text.match(/\{(env|file):[^}]*/g), ["{file:/private/mcp-0.txt", "{file:/private/mcp-2.txt"])
  })

  it("have their secrets in files and nowhere else", () => {
    assert.deepStrictEqual(files(input), { "mcp-0.txt": ' s3"cret\n', "mcp-1.txt": "", "mcp-2.txt": "Bearer 1" })
    assert.notInclude(JSON.stringify([input.args, input.env, input.stdin]), "cret")
    assert.notInclude(JSON.stringify([input.args, input.env, input.stdin]), "Bearer")
  })

  it("may have odd names", () => {
    const mcpServers = { "{env:X}": { command: "a" }, ["__proto__"]: { command: "b" } }
    const odd = planned({ mcpServers }, {}, { OPENCODE_CONFIG_CONTENT: '{"mcp":{"own":{"type":"local"}}}' })
    assert.include(odd.env["OPENCODE_CONFIG_CONTENT"], '"\\u007benv:X}":{')
    assert.include(odd.env["OPENCODE_CONFIG_CONTENT"], '"__proto__":{')
  })
})
