/** Params and options → exactly these arguments, this stdin, this environment and these files. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { disarmed, livePlan, plan } from "../../../src/cli/pi/command.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../src/contract/AgentOpenParams.ts"
import type { Plan } from "../../../src/contract/Plan.ts"

type Params = Partial<AgentExecuteParams>

const context = { env: {}, workingDirectory: "/workspace", privateDirectory: "/private" }

const planned = (params: Params = {}): Plan => Result.getOrThrow(plan({ prompt: "hello", ...params }, {}, context))

const opened = (params: AgentOpenParams = {}) => Result.getOrThrow(livePlan(params, {}, context))

const argv = ({ args }: Pick<Plan, "args">) => args.map(({ text }) => text)

const files = (input: Pick<Plan, "files">) =>
  Object.fromEntries(input.files.map(({ name, content }) => [name, content]))

const id = "01a21991-ed61-7748-bcdb-a31b29610aff"
const run = (...args: ReadonlyArray<string>) => ["--mode", "json", ...args, "-p"]

const table: ReadonlyArray<readonly [string, Omit<AgentExecuteParams, "prompt">, ReadonlyArray<string>]> = [
  ["model", { model: "anthropic/claude-sonnet-4-5" }, ["--model", "anthropic/claude-sonnet-4-5"]],
  ["model, as a pattern", { model: "sonnet:high" }, ["--model", "sonnet:high"]],
  ["effort", { effort: "xhigh" }, ["--thinking", "xhigh"]],
  ["effort off", { effort: "off" }, ["--thinking", "off"]],
  ["permissionMode plan", { permissionMode: "plan" }, ["--tools", "read,grep,find,ls", "--no-extensions", "--offline"]],
  ["permissionMode bypass", { permissionMode: "bypass" }, []],
  ["sessionId", { sessionId: id }, ["--session", id]],
  ["forkSession", { sessionId: id, forkSession: true }, ["--fork", id]],
  ["forkSession, false", { sessionId: id, forkSession: false }, ["--session", id]],
  ["trustWorkspace", { trustWorkspace: true }, ["--approve"]],
  ["trustWorkspace, false", { trustWorkspace: false }, ["--no-approve"]],
  ["ephemeral", { ephemeral: true }, ["--no-session"]],
  ["ephemeral, false", { ephemeral: false }, []],
  ["extraArgs", { extraArgs: ["--provider", "openai", "--no-skills"] }, ["--provider", "openai", "--no-skills"]],
  ["extraArgs with tools", { extraArgs: ["--tools", "read,bash"] }, ["--tools", "read,bash"]]
]

describe("arguments", () => {
  it("of a plain prompt are the same for every run, and nothing of it is in them", () => {
    const input = planned()
    assert.deepStrictEqual(argv(input), run())
    assert.strictEqual(input.stdin, "hello")
    assert.deepStrictEqual(input.env, {})
    assert.deepStrictEqual(files(input), {})
  })

  it.each(table)("%s", (_, params, expected) => {
    const input = planned(params)
    assert.deepStrictEqual(argv(input), run(...expected))
    assert.strictEqual(input.stdin, "hello")
    assert.deepStrictEqual(argv(opened(params)), ["--mode", "rpc", ...expected])
  })

  it.each(["-x", "--help me", "@file", "@", "a\n", "x".repeat(200_000), "say /this", "\u2028/x y"])(
    "never carry a prompt: %#",
    (prompt) => {
      const input = planned({ prompt })
      assert.deepStrictEqual(argv(input), run())
      assert.strictEqual(input.stdin?.replace("\u200b", ""), prompt)
    }
  )
})

describe("a prompt", () => {
  it.each(["/init now", "/skill:x", " /init", "\n\t/init", "\u00a0/init"])(
    "%j is text and not a command, also when Pi has trimmed it",
    (prompt) => {
      const { stdin = "" } = planned({ prompt })
      assert.isFalse(stdin.trim().startsWith("/"))
      assert.strictEqual(stdin.replace("\u200b", ""), prompt)
      assert.isFalse(disarmed(prompt, false).startsWith("/"))
    }
  )

  it.each(["/init now", " /init"])("%j is a command where that is asked for", (prompt) => {
    assert.strictEqual(planned({ prompt, slashCommands: true }).stdin, prompt)
    assert.strictEqual(disarmed(prompt, true), prompt)
  })

  it.each(["hello", "a /b", "-x", "@a", "\u200b"])("%j is left as it is", (prompt) => {
    assert.strictEqual(planned({ prompt }).stdin, prompt)
    assert.strictEqual(disarmed(prompt, undefined), prompt)
  })
})

describe("prompts of the system", () => {
  it("are in files that the arguments name, so that nothing of them is in the arguments", () => {
    const params = { systemPrompt: " Be kind.\n", appendSystemPrompt: "@a And short." }
    for (const input of [planned(params), opened(params)]) {
      assert.deepStrictEqual(argv(input).slice(2, 6), [
        "--system-prompt",
        "/private/system-prompt.md",
        "--append-system-prompt",
        "/private/append-system-prompt.md"
      ])
      assert.deepStrictEqual(files(input), {
        "system-prompt.md": " Be kind.\n",
        "append-system-prompt.md": "@a And short."
      })
    }
  })

  it("that are empty replace the CLI's own, or add nothing", () => {
    const input = planned({ systemPrompt: "", appendSystemPrompt: " " })
    assert.deepStrictEqual(argv(input), run("--system-prompt", "/private/system-prompt.md"))
    assert.deepStrictEqual(files(input), { "system-prompt.md": " " })
  })
})
