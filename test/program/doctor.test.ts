/** What `reins doctor` finds and says. */

import { chmodSync, mkdirSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Finding, findingLines, isNodeOk, versionOf } from "../../src/program/doctor.ts"
import { runProgram, standIn, writeTemp } from "./programProcess.ts"

/** A directory with a program `claude` in it. */
const pathWith = (name: string, script: string) => {
  const directory = join(dirname(writeTemp("here", "")), name)
  mkdirSync(directory)
  const file = writeTemp(join(name, "claude"), `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return [directory, "/bin", "/usr/bin"].join(delimiter)
}

const agentOf = async (PATH: string) => {
  const { code, stdout, stderr } = await runProgram(["doctor", "--json"], { env: { PATH } })
  const { agents, node } = JSON.parse(stdout) as { agents: ReadonlyArray<Finding>; node: { ok: boolean } }
  expect({ stderr, node: node.ok }).toEqual({ stderr: "", node: true })
  return { code, claude: agents.find(({ agent }) => agent === "claude") }
}

describe("doctor finds a CLI", () => {
  it.each([
    ["in the tested version", "tested", "echo '2.1.328 (Claude Code)'", "tested", "2.1.328", 0],
    ["in a newer version", "newer", "echo '9.0.1 (Claude Code)'", "newer", "9.0.1", 0],
    ["in an older version", "older", "echo '2.1.99 (Claude Code)'", "older", "2.1.99", 0],
    ["that fails", "failing", "echo '2.1.328'; exit 1", "broken", undefined, 1],
    ["that says nothing", "silent", "true", "broken", undefined, 1]
  ])("%s", async (_, name, script, status, version, exitCode) => {
    const PATH = pathWith(name, script)
    const { code, claude } = await agentOf(PATH)
    expect({ code, status: claude?.status, version: claude?.version }).toEqual({ code: exitCode, status, version })
    expect(claude?.path).toBe(join(PATH.split(delimiter)[0] ?? "", "claude"))
  })

  it("nowhere: exit 1, and how to install it", async () => {
    const { code, stdout } = await runProgram(["doctor"], { env: { PATH: "/nowhere" } })
    expect(code).toBe(1)
    expect(stdout).toContain("✗ claude    not found on PATH\n  install   npm install -g @anthropic-ai/claude-code\n")
  })

  it("not in a file that is no program", async () => {
    const directory = dirname(standIn("other", ""))
    writeTemp("claude", "not executable")
    expect((await agentOf(directory)).claude?.status).toBe("missing")
  })
})

describe("doctor says", () => {
  const finding: Finding = {
    agent: "claude",
    command: "claude",
    status: "tested",
    path: "/bin/claude",
    version: "2.1.328",
    testedVersion: "2.1.328",
    install: "npm i",
    signIn: "log in"
  }
  it.each([
    [finding, ["✓ claude    2.1.328, the tested version", "  found     /bin/claude", "  sign in   log in"]],
    [
      { ...finding, status: "broken" as const, path: "/x/\x1b[2Jclaude" },
      [
        "✗ claude    found, but `claude --version` gave no version",
        "  found     /x/␛[2Jclaude",
        "  install   npm i",
        "  sign in   log in"
      ]
    ]
  ])("%#", (given, lines) => {
    expect(findingLines({ live: false, columns: 80 }, given)).toEqual(lines)
  })
})

describe("versions", () => {
  it.each([
    ["2.1.328 (Claude Code)", "2.1.328"],
    ["codex-cli 0.50.0-alpha.1\n", "0.50.0-alpha.1"],
    ["no number", undefined],
    [undefined, undefined]
  ])("%j", (answer, version) => expect(versionOf(answer)).toBe(version))

  it.each([
    ["v22.18.0", false],
    ["v22.19.0", true],
    ["v24.0.0", true],
    ["v20.20.2", false]
  ])("of Node: %s", (version, ok) => expect(isNodeOk(version)).toBe(ok))
})
