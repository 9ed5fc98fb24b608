/** Agents of the protocol by name: the list, runs and chats, and the configuration. Real processes, stubs on PATH. */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { acpAgentIds } from "../../src/contract/CliSupport.ts"
import { agentLines } from "../../src/program/agents/perform.ts"
import { runProgram } from "./programProcess.ts"

const agent = fileURLToPath(new URL("../../fixtures/programs/acp-agent.mjs", import.meta.url))
const root = mkdtempSync(join(tmpdir(), "reins-agents-"))
const bin = join(root, "bin")
const repository = join(root, "repository")
const config = join(root, "reins.toml")
const env = {
  PATH: [bin, "/usr/bin", "/bin"].join(delimiter),
  XDG_STATE_HOME: join(root, "state"),
  XDG_CONFIG_HOME: join(root, "config")
}

const stub = (place: string, script: string) => {
  writeFileSync(place, `#!/bin/sh\n${script}\n`)
  chmodSync(place, 0o755)
}

/** Speaks the protocol only with the arguments of its row; another one hangs, and one prints no version. */
beforeAll(() => {
  mkdirSync(bin)
  const git = ["-c", "user.name=a", "-c", "user.email=a@b.test"]
  execFileSync("git", ["init", "-q", repository])
  execFileSync("git", [...git, "commit", "-q", "--allow-empty", "-m", "x"], { cwd: repository })
  const speaks = `exec '${process.execPath}' '${agent}' "$@"`
  stub(join(bin, "copilot"), `[ "$1" = --version ] && { echo 'Copilot CLI 1.0.102'; exit 0; }\n${speaks}`)
  stub(join(bin, "qwen"), "exit 3")
  stub(join(root, "my-cline"), `[ "$1" = --version ] && { printf '3.0.65\\n\\033[2J'; exit 0; }\n${speaks}`)
  writeFileSync(config, `agent = "cline"\n[agents.cline]\ncommand = ${JSON.stringify(join(root, "my-cline"))}\n`)
  chmodSync(config, 0o600)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const json = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await runProgram([...args, "--json"], { env })
  expect(stderr).toBe("")
  return { code, value: JSON.parse(stdout) }
}

describe("reins agents", () => {
  it("lists the CLIs and every agent of the table, with what is installed", async () => {
    const { code, value } = await json("agents")
    const ids = value.agents.map((one: { agent: string }) => one.agent)
    expect({ code, ids }).toEqual({ code: 0, ids: ["claude", "gemini", "codex", "opencode", "pi", ...acpAgentIds] })
    const [copilot, qwen, cursor] = value.agents.slice(5)
    expect(copilot).toEqual({
      agent: "copilot",
      name: "GitHub Copilot CLI",
      kind: "acp",
      command: "copilot",
      path: join(bin, "copilot"),
      version: "1.0.102",
      install: "npm install -g @github/copilot",
      signIn: "run `copilot` once and follow /login"
    })
    expect(qwen).toMatchObject({ agent: "qwen", path: join(bin, "qwen") })
    expect(qwen).not.toHaveProperty("version")
    expect(cursor).not.toHaveProperty("path")
  })

  it("is for people, installed ones first, and looks for the configured programs", async () => {
    const { code, stdout, stderr } = await runProgram(["agents", "--config", config], { env })
    const rows = stdout.split("\n")
    expect({ code, stderr, rows: rows.slice(0, 4) }).toEqual({
      code: 0,
      stderr: "",
      rows: [
        "✓ copilot           GitHub Copilot CLI, 1.0.102",
        "✓ qwen              Qwen Code, version not known",
        "✓ cline             Cline, 3.0.65",
        "· claude            Claude Code; to install: npm install -g @anthropic-ai/claude-code"
      ]
    })
    expect(rows.at(-2)).toBe('Run one: reins run --agent copilot "…"')
  })

  it("says what to do where none is installed", () => {
    const one = { agent: "qwen", name: "Qwen", kind: "acp", command: "qwen", install: "x", signIn: "y" } as const
    expect(agentLines({ live: false, columns: 80 }, [one]).at(-1)).toBe("None is installed. Without one: reins demo")
  })

  it("refuses an invalid configuration", async () => {
    const { code, stdout } = await runProgram(["agents", "--config", join(root, "none.toml")], { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
  })
})

describe("an agent by its name", () => {
  it("runs, chats and is compared", async () => {
    const run = await runProgram(["run", "--agent", " Copilot", "--slash-commands", "--output", "text", "hello"], {
      env
    })
    expect(run).toMatchObject({ code: 0, stdout: "hello\n", stderr: "" })
    const chat = await runProgram(["chat", "--agent", "copilot"], { env, input: "one\ntwo\n" })
    expect(chat.code).toBe(0)
    expect(chat.stdout).toMatch(/^● copilot 9\.9 · session s1\n\none\n[\s\S]*\ntwo\n/)
    const compare = ["compare", "hello", "--agents", "copilot,qwen", "--permission-mode", "default"]
    const { code, stdout } = await runProgram([...compare, "--cwd", repository, "--json"], { env })
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(code).toBe(1)
    expect(lines).toMatchObject([
      { agent: "copilot", result: { outcome: "completed", text: "hello" } },
      { agent: "qwen", result: { outcome: "failed", reason: "exited" } }
    ])
  })

  it("has another program by --command, and is named with the cure where it has none", async () => {
    const command = join(root, "my-cline")
    const run = await runProgram(["run", "--agent", "cline", "--command", command, "--output", "text", "hello"], {
      env
    })
    expect(run).toMatchObject({ code: 0, stdout: "hello\n" })
    const { code, stderr } = await runProgram(["run", "--agent", "kilo", "hello"], { env })
    expect(code).toBe(1)
    expect(stderr).toContain("npm install -g @kilocode/cli. Then sign in: run `kilo` once and follow /connect")
  })

  it("can be the configured one", async () => {
    const run = await runProgram(["run", "--config", config, "--output", "text", "hello"], { env })
    expect(run).toMatchObject({ code: 0, stdout: "hello\n" })
  })

  it("cannot be asked for approval of its plan", async () => {
    const { code, stderr } = await runProgram(["run", "--agent", "copilot", "--plan-mode", "on", "x"], { env })
    expect(code).toBe(2)
    expect(stderr).toContain("copilot does not ask for approval of a plan")
  })
})

describe("reins doctor", () => {
  it("looks for those that are named", async () => {
    const { code, value } = await json("doctor", "--agent", "copilot", "--agent", "kilo")
    expect({ code, failed: value.failed, agents: value.agents }).toEqual({ code: 1, failed: ["kilo"], agents: [] })
    expect(value.named).toMatchObject([{ agent: "copilot", version: "1.0.102" }, { agent: "kilo" }])
    const { stdout } = await runProgram(["doctor", "--agent", "copilot", "--config", config], { env })
    expect(stdout).toContain("✓ copilot   GitHub Copilot CLI: 1.0.102\n  found     ")
  })

  it("looks for those of the configuration", async () => {
    const { value } = await json("doctor", "--config", config)
    expect(value.named).toMatchObject([{ agent: "cline", path: join(root, "my-cline"), version: "3.0.65" }])
  })
})
