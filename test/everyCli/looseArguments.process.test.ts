/**
 * Arguments that change the permissions of an agent are refused by name, in all spellings that the CLIs' own parsers accept
 * and by every way in, before anything is started.
 */
import { assert, describe, expect, it } from "vitest"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { type AgentError, createAgent } from "../../src/promise.ts"

const settings = JSON.stringify({ permissions: { defaultMode: "bypassPermissions" } })

const loose: { readonly [Id in CliId]: ReadonlyArray<ReadonlyArray<string>> } = {
  claude: [
    ["--dangerously-skip-permissions"],
    ["--dangerously-skip-permissions=true"],
    ["--allow-dangerously-skip-permissions"],
    ["--permission-mode", "bypassPermissions"],
    ["--permission-mode=auto"],
    ["--inherit-permission-mode", "bypassPermissions"],
    ["--enable-auto-mode"],
    ["--permission-prompts=host"],
    ["--permission-prompt-tool", "mcp__a__b"],
    ["--allowedTools", "Bash"],
    ["--allowed-tools=Bash"],
    ["--managed-settings={}"],
    ["--settings", settings],
    [`--settings=${settings}`]
  ],
  codex: [
    ["--yolo"],
    ["--full-auto"],
    ["--dangerously-bypass-approvals-and-sandbox"],
    ["--dangerously-bypass-hook-trust"],
    ["--approve-for-me"],
    ["--trust"],
    ["--ignore-rules"],
    ["-s", "danger-full-access"],
    ["-sdanger-full-access"],
    ["-s=danger-full-access"],
    ["--sandbox=workspace-write"],
    ["-a", "never"],
    ["-anever"],
    ["--ask-for-approval=never"],
    ["-c", "sandbox_mode=danger-full-access"],
    ["-csandbox_mode=danger-full-access"],
    ["-c=sandbox_mode=danger-full-access"],
    ["-c", ' sandbox_mode = "danger-full-access"'],
    ["-c", '"sandbox_mode"="danger-full-access"'],
    ["--config=approval_policy=never"],
    ["--config", "approvals_reviewer=auto"],
    ["-c", 'default_permissions=":danger-full-access"'],
    ["-c", "permissions.x.filesystem={}"],
    ["-c", "sandbox_workspace_write={}"],
    ["-c", 'sandbox_workspace_write.writable_roots=["/"]'],
    ["-c", 'projects."/".trust_level="trusted"'],
    ["-c", "profiles.x.sandbox_mode=danger-full-access"],
    ["-c", "profile=x"],
    ["--profile", "mine"],
    ["-p=x"]
  ],
  gemini: [
    ["--yolo"],
    ["--yolo=true"],
    ["--yolo", "true"],
    ["---yolo"],
    ["--yolo.x=1"],
    ["-y"],
    ["-dy"],
    ["-y=true"],
    ["--y"],
    ["--y=true"],
    ["--no-yolo"],
    ["--approval-mode", "yolo"],
    ["--approval-mode=auto_edit"],
    ["--approvalMode=yolo"],
    ["--approvalMode", "yolo"],
    ["--approval--mode=yolo"],
    ["--approval-_mode=yolo"],
    ["--APPROVAL-MODE=yolo"],
    ["--yolo-"],
    ["--YOLO-"],
    ["--skip--trust"],
    ["--policy", "a.toml"],
    ["--admin-policy=a.toml"],
    ["--adminPolicy=a.toml"],
    ["--allowed-tools", "run_shell_command"],
    ["--allowedTools=run_shell_command"],
    ["--allowed-mcp-server-names=a"],
    ["--allowedMcpServerNames=a"],
    ["--skip-trust"],
    ["--skipTrust"],
    ["--no-sandbox"],
    ["--sandbox=false"],
    ["-s=false"],
    ["--sandbox=x"],
    ["--sandbox", "false"],
    ["-s", "false"],
    ["-s0"],
    ["--no-s"],
    ["--no-sandbox-"]
  ],
  opencode: [
    ["--auto"],
    ["--auto=true"],
    ["--auto.x=1"],
    ["--yolo"],
    ["--dangerously-skip-permissions"],
    ["--dangerouslySkipPermissions"],
    ["--attach", "http://127.0.0.1:1"],
    ["--attach=http://127.0.0.1:1"]
  ],
  // It never asks: there is nothing to loosen but the list of tools of the mode `plan`.
  pi: []
}

/** Arguments that callers may pass. */
const taken: { readonly [Id in CliId]: ReadonlyArray<ReadonlyArray<string>> } = {
  claude: [["--settings", '{"outputStyle":"x"}'], ["--settings=a.json"], ["--debug"], ["--bare"], ["--tools=Read"]],
  codex: [["-c", "sandbox_workspace_write.network_access=true"], ["-c", "web_search=live"], ["--strict-config"]],
  gemini: [["--debug"], ["-d"], ["--sandbox"], ["--sandbox=true"], ["--extensions", "none"], ["-s"], ["-ds"]],
  opencode: [["--print-logs"], ["--pure"], ["--log-level=DEBUG"]],
  pi: [["--tools", "read,bash"], ["-e", "mine.ts"], ["--no-skills"], ["--offline"]]
}

const command = "/nowhere/reins-no-such-program"
const ways = ["a run's extraArgs", "a session's extraArgs", "baseArgs of a run", "baseArgs of a session"] as const

const refusalOf = async (id: CliId, args: ReadonlyArray<string>, way: (typeof ways)[number], started = command) => {
  const isBase = way.startsWith("baseArgs")
  await using agent = createAgent(id, { command: started, ...(isBase ? { baseArgs: args } : {}) })
  const params = isBase ? {} : { extraArgs: args }
  const call =
    way.endsWith("run") || way.startsWith("a run") ? agent.run({ prompt: "go", ...params }) : agent.open(params)
  const error = await call.then(
    () => undefined,
    (error: AgentError) => error
  )
  return error?.reason
}

const ids = Object.keys(clis) as ReadonlyArray<CliId>
const rows = (table: typeof loose) => ids.flatMap((id) => table[id].map((args) => [id, args.join(" "), args] as const))

describe.each(ways)("%s", (way) => {
  const option = way.startsWith("baseArgs") ? "baseArgs" : "extraArgs"

  it.each(rows(loose))("%s %s is refused by its name", async (id, _, args) => {
    const reason = await refusalOf(id, args, way)
    expect(reason).toMatchObject({ _tag: "InvalidParams", option })
    expect(reason?.message).toMatch(/ changes what the agent may do unasked: use permissionMode$/)
    expect(reason?.message).toContain(`${option}: ${(args[0] ?? "").slice(0, 2)}`)
    // A value may be a secret.
    expect(reason?.message).not.toContain(args[1] ?? "=")
  })

  it.each(rows(taken))("%s %s is accepted", async (id, _, args) => {
    expect(await refusalOf(id, args, way)).toMatchObject({ _tag: "NotInstalled" })
  })
})

describe("a wrapper's own arguments", () => {
  it.each<[CliId, ReadonlyArray<string>, boolean]>([
    ["gemini", ["-y", "@google/gemini-cli"], false],
    ["gemini", ["-y", "@google/gemini-cli", "-y"], true],
    ["gemini", ["-y"], true],
    ["gemini", ["@google/gemini-cli", "--yolo", "--include-directories", "/home/gemini"], true],
    ["claude", ["-y", "@anthropic-ai/claude-code", "--dangerously-skip-permissions", "--add-dir", "/a/.claude"], true],
    ["claude", ["/opt/claude/cli.js"], false],
    ["claude", ["claude", "--dangerously-skip-permissions"], true],
    ["codex", ["exec", "-a", "stdout", "codex"], false],
    ["codex", ["run", "codex", "-a", "never"], true],
    ["opencode", ["--agent", "build"], true],
    ["opencode", ["--agent=build"], true]
  ])("%s behind %j: %s", async (id, args, isRefused) => {
    const reason = await refusalOf(id, args, "baseArgs of a run")
    expect(reason?._tag).toBe(isRefused ? "InvalidParams" : "NotInstalled")
  })
})

describe("arguments of the CLI itself", () => {
  it.each<[CliId, string, ReadonlyArray<string>]>([
    ["gemini", "gemini", ["--yolo", "--include-directories", "/home/gemini"]],
    ["claude", "claude-2.1", ["--dangerously-skip-permissions", "--add-dir", "/a/claude"]],
    ["codex", "codex.cmd", ["-a", "never", "--cd", "/a/codex"]]
  ])("of %s started as %s are its own, with any path behind them", async (id, name, args) => {
    const reason = await refusalOf(id, args, "baseArgs of a run", `/nowhere/${name}`)
    expect(reason).toMatchObject({ _tag: "InvalidParams", option: "baseArgs" })
  })
})

describe("the mode plan of Pi", () => {
  it.each(["--tools", "-t", "--no-extensions", "-e", "--extension"])("is not widened by %s", async (argument) => {
    await using agent = createAgent("pi", { command })
    const params = { permissionMode: "plan", extraArgs: [argument, "x"] } as const
    for (const call of [() => agent.run({ prompt: "go", ...params }), () => agent.open(params)]) {
      const { reason } = await call().then(
        () => assert.fail("it was started"),
        (error: AgentError) => error
      )
      expect(reason).toMatchObject({ _tag: "InvalidParams", option: "extraArgs" })
    }
  })
})
