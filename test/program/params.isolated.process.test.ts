/** Command lines → what the library is asked for. */
import { resolve } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import { runFlags } from "../../src/program/flags.ts"
import { optionsOf, paramsOf, toolsOf } from "../../src/program/params.ts"
import { writeTemp } from "./programProcess.ts"

type Asked = { params: Partial<AgentExecuteParams>; options: AgentOptions }

const request = (args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    let known: Asked | undefined
    const command = Command.make("run", runFlags, (flags) =>
      Effect.map(
        paramsOf(flags, "p", { label: "claude", plans: true }, { isForEach: false, options: {} }),
        ({ prompt: _, ...params }) => {
          const input = Object.entries(params).filter(([, value]) => value !== undefined)
          known = { params: Object.fromEntries(input), options: optionsOf(flags) }
        }
      )
    )
    yield* Command.runWith(command, { version: "0" })(args)
    return known ?? assert.fail("the command did not run")
  }).pipe(Effect.provide(NodeServices.layer))

const servers = {
  files: { command: "files", args: ["-v"], env: { A: "b" } },
  web: { url: "https://x", headers: { H: "v" } }
}
const typed = { files: { type: "stdio", ...servers.files }, web: { type: "http", ...servers.web } }
const mcp = writeTemp("mcp.json", JSON.stringify({ mcpServers: typed }))
const schema = writeTemp("schema.json", JSON.stringify({ type: "object" }))

const table: ReadonlyArray<readonly [ReadonlyArray<string>, Partial<AgentExecuteParams>, AgentOptions?]> = [
  [[], {}],
  [["--conversation", "c", "--worktree"], { conversation: "c", fresh: false, worktree: {} } as object],
  [["--conversation", "c", "--no-worktree"], { conversation: "c", fresh: false, worktree: false } as object],
  [["--resume", "id", "--fork"], { sessionId: "id", forkSession: true }],
  [["--session-id", "uuid"], { newSessionId: "uuid" }],
  [["--model", "m", "--fallback-model", "n", "--effort", "high"], { model: "m", fallbackModel: "n", effort: "high" }],
  [["--system-prompt", "s", "--append-system-prompt=-a"], { systemPrompt: "s", appendSystemPrompt: "-a" }],
  [["--permission-mode", "accept-edits"], { permissionMode: "accept-edits" }],
  [["--allowed-tools", "Read, Bash(a, b)", "--allowed-tools=Edit"], { allowedTools: ["Read", "Bash(a, b)", "Edit"] }],
  [["--disallowed-tools", "Bash"], { disallowedTools: ["Bash"] }],
  [["--max-turns", "3", "--max-budget-usd", "0.5"], { maxTurns: 3, maxBudgetUsd: 0.5 }],
  [["--mcp-config", mcp, "--strict-mcp"], { mcpServers: servers, strictMcpServers: true }],
  [["--output-schema", schema, "--retries", "3"], { outputSchema: { type: "object" }, retries: 3 }],
  [
    ["--cwd", "/w", "--add-dir", "/a", "--add-dir", "/b"],
    { workingDirectory: "/w", additionalDirectories: ["/a", "/b"] }
  ],
  [["--plan-mode", "on"], { permissionMode: "plan" }],
  [["--plan-mode", "on", "--permission-mode", "plan"], { permissionMode: "plan" }],
  [["--plan-mode", "off"], { permissionMode: "default" }],
  [["--plan-mode", "off", "--permission-mode", "bypass"], { permissionMode: "bypass" }],
  [["--attach", "a,b.png", "--attach=/x/c"], { attachments: [{ path: resolve("a,b.png") }, { path: "/x/c" }] }],
  [["--trust"], { trustWorkspace: true }],
  [["--no-trust", "--slash-commands"], { trustWorkspace: false, slashCommands: true }],
  [["--env", "A=1=2", "--env", "EMPTY="], { env: { A: "1=2", EMPTY: "" } }],
  [["--record", "r.ndjson", "--cli-arg=--bare", "--cli-arg=-x"], { record: "r.ndjson", extraArgs: ["--bare", "-x"] }],
  [
    ["--timeout", "1h30m", "--idle-timeout", "90s", "--tool-timeout", "5 minutes", "--linger", "1s"],
    {
      timeouts: {
        total: Duration.minutes(90),
        idle: Duration.seconds(90),
        tool: Duration.minutes(5),
        linger: Duration.seconds(1)
      }
    }
  ],
  [["--command", "/bin/c", "--max-line", "10"], {}, { command: "/bin/c", maxLineBytes: 10 }],
  [["--kill-grace", "2s", "--billing", "api-key"], {}, { killGrace: Duration.seconds(2), billing: "api-key" }]
]

describe("flags", () => {
  for (const [args, params, options = {}] of table) {
    it.effect(args.join(" ") || "none", () =>
      Effect.map(request(args), (known) => assert.deepStrictEqual(known, { params, options }))
    )
  }

  it.effect("a variable whose name says that it is secret is redacted", () =>
    Effect.map(request(["--env", "MY_API_KEY=k", "--env", "LANG=C"]), ({ params }) => {
      const { MY_API_KEY: key, LANG } = params.env ?? {}
      assert.deepStrictEqual([Redacted.isRedacted(key) && Redacted.value(key), LANG], ["k", "C"])
    })
  )
})

describe("toolsOf", () => {
  it("splits at commas outside brackets", () => {
    assert.deepStrictEqual(toolsOf(" Read,,Bash(git log, git show) , mcp__a__b "), [
      "Read",
      "Bash(git log, git show)",
      "mcp__a__b"
    ])
  })
})
