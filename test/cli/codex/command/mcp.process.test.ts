/** MCP servers → configuration, private scripts and variables: no secret is on the command line, none meets another. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { mcpPlan } from "../../../../src/cli/codex/command/mcp.ts"
import type { McpServer } from "../../../../src/contract/AgentExecuteParams.ts"
import { argv, planned } from "./plans.ts"

const mark = '"env_vars"=["REINS_RUN"]'
const tail = '"required"=true,"default_tools_approval_mode"="approve"}'

describe("a server", () => {
  const table: ReadonlyArray<readonly [string, McpServer, ReadonlyArray<string>]> = [
    ["with a command alone", { command: "srv" }, [`mcp_servers.a={"command"="srv","args"=[],${mark},${tail}`]],
    [
      "with arguments",
      { command: "srv", args: ['q"', "$H"] },
      [`mcp_servers.a={"command"="srv","args"=["q\\"","$H"],${mark},${tail}`]
    ],
    ["with no variables", { command: "srv", env: {} }, [`mcp_servers.a={"command"="srv","args"=[],${mark},${tail}`]],
    ["over HTTP", { url: "https://m.example/x" }, [`mcp_servers.a={"url"="https://m.example/x",${tail}`]],
    [
      "over HTTP without headers",
      { url: "https://m.example/x", headers: {} },
      [`mcp_servers.a={"url"="https://m.example/x",${tail}`]
    ]
  ]

  it.each(table)("%s", (_, server, config) => {
    assert.deepStrictEqual(mcpPlan({ a: server }, "/private"), { config, files: [], env: {} })
  })

  it("with variables is started by a private script that exports them", () => {
    const env = { TOKEN: Redacted.make("sk-secret"), PLAIN: "visible" }
    const plan = mcpPlan({ a: { command: "srv", args: ["-x"], env } }, "/private")
    const args = '["-c",". \\"$0\\" && exec \\"$@\\"","/private/mcp-a.sh","srv","-x"]'
    assert.deepStrictEqual(plan, {
      config: [`mcp_servers.a={"command"="/bin/sh","args"=${args},${mark},${tail}`],
      files: [{ name: "mcp-a.sh", content: "export TOKEN='sk-secret'\nexport PLAIN='visible'\n" }],
      env: {}
    })
  })

  it("with headers names variables, which the model's commands see blank", () => {
    const headers = { Authorization: Redacted.make("Bearer sk"), "X-Team": "blue" }
    const plan = mcpPlan({ a: { command: "srv" }, b: { url: "https://m.example", headers } }, "/private")
    const names = '{"Authorization"="REINS_MCP_1_0","X-Team"="REINS_MCP_1_1"}'
    assert.deepStrictEqual(plan.config.slice(1), [
      `mcp_servers.b={"url"="https://m.example","env_http_headers"=${names},${tail}`,
      'shell_environment_policy.set.REINS_MCP_1_0=""',
      'shell_environment_policy.set.REINS_MCP_1_1=""'
    ])
    assert.deepStrictEqual(plan.env, { REINS_MCP_1_0: "Bearer sk", REINS_MCP_1_1: "blue" })
  })
})

it("two servers with the same variable and the same header each keep their own value", () => {
  const plan = mcpPlan(
    {
      a: { command: "srv", env: { TOKEN: "one" } },
      b: { command: "srv", env: { TOKEN: "two" } },
      c: { url: "https://m.example", headers: { A: "three" } },
      d: { url: "https://m.example", headers: { A: "four" } }
    },
    "/private"
  )
  assert.deepStrictEqual(
    plan.files.map(({ content }) => content),
    ["export TOKEN='one'\n", "export TOKEN='two'\n"]
  )
  assert.deepStrictEqual(Object.values(plan.env), ["three", "four"])
})

it("nothing secret is in the arguments of a run", () => {
  const input = planned({
    mcpServers: {
      a: { command: "srv", env: { TOKEN: Redacted.make("sk-secret"), PLAIN: "visible" } },
      b: { url: "https://m.example", headers: { A: Redacted.make("sk-secret"), B: "visible" } }
    }
  })
  assert.notMatch(argv(input).join("\n"), /sk-secret|visible/)
})

it("a real shell reads exactly the values, and becomes the server", () => {
  const directory = mkdtempSync(join(tmpdir(), "reins-test-"))
  try {
    const env = { A: 'it\'s $HOME `x` \\ "q"\nline two', B_2: "", C: "🙂" }
    const script =
      "process.stdout.write(JSON.stringify([process.argv[1], process.env.A, process.env.B_2, process.env.C]))"
    const server = { command: process.execPath, args: ["-e", script, "an arg"], env }
    const plan = mcpPlan({ a: server }, directory)
    for (const { name, content } of plan.files) writeFileSync(join(directory, name), content, { mode: 0o600 })
    const args: Array<string> = JSON.parse(/"args"=(\[.*?\]),"env_vars"/s.exec(plan.config[0] ?? "")?.[1] ?? "[]")
    const { stdout } = spawnSync("/bin/sh", args, { env: {}, encoding: "utf8" })
    assert.deepStrictEqual(JSON.parse(stdout), ["an arg", env.A, env.B_2, env.C])
  } finally {
    rmSync(directory, { recursive: true })
  }
})
