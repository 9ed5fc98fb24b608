/** The findings and messages of `reins doctor`. */

import { chmodSync, mkdirSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { judgeVersion } from "../../src/api/doctor/examine.ts"
import { claude } from "../../src/cli/claude/index.ts"
import { clis } from "../../src/cli/clis.ts"
import type { AgentReport } from "../../src/contract/DoctorReport.ts"
import { findingLines } from "../../src/program/doctor/lines.ts"
import { limitLines } from "../../src/program/doctor.ts"
import { makeHost } from "../../src/system/process/host.ts"
import { isNodeOk } from "../../src/system/process/nodeVersion.ts"
import { runProgram, standIn, writeTemp } from "./programProcess.ts"

/** A directory with a program `claude` in it. */
const pathWith = (name: string, script: string) => {
  const directory = join(dirname(writeTemp("here", "")), name)
  mkdirSync(directory)
  const file = writeTemp(join(name, "claude"), `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return [directory, "/bin", "/usr/bin"].join(delimiter)
}

const { testedVersion } = claude
const oldestVersion = claude.oldestVersion ?? testedVersion

/** A script that answers the two questions of doctor. */
const answering = (version: string, isSignedIn: boolean) =>
  `[ "$1" = auth ] && { echo '{"loggedIn": ${isSignedIn}}'; exit 0; }; echo '${version} (Claude Code)'`

const diagnose = async (PATH: string, env: Readonly<Record<string, string>> = {}, args = ["--agent", "claude"]) => {
  const without = { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "" }
  const { code, stdout, stderr } = await runProgram(["doctor", "--json", ...args], {
    env: { ...without, PATH, ...env }
  })
  const { agents, node, failed } = JSON.parse(stdout) as {
    agents: ReadonlyArray<AgentReport>
    node: { ok: boolean }
    failed: ReadonlyArray<string>
  }
  expect({ stderr, node: node.ok }).toEqual({ stderr: "", node: true })
  return { code, failed, agents, claude: agents.find(({ agent }) => agent === "claude") }
}

it("doctor says what the platform does not guarantee, and nothing where it guarantees everything", () => {
  const surface = { live: false, columns: 80 }
  expect(limitLines(surface, makeHost("linux").processes.notGuaranteed)).toEqual([])
  for (const platform of ["darwin", "win32"] as const) {
    expect(limitLines(surface, makeHost(platform).processes.notGuaranteed).join("\n")).toContain("not ended")
  }
})

describe("doctor finds a CLI", () => {
  it.each([
    ["in the tested version", answering(testedVersion, true), "tested", testedVersion, 0],
    ["in the oldest version that is known to work", answering(oldestVersion, true), "good", oldestVersion, 0],
    ["in a newer version", answering("9.0.1", true), "newer", "9.0.1", 0],
    [
      "in a pre-release of the tested version",
      answering(`${testedVersion}-rc.1`, true),
      "good",
      `${testedVersion}-rc.1`,
      0
    ],
    ["in a version that is too old", answering("2.1.99", true), "older", "2.1.99", 1],
    ["that fails", `echo '${testedVersion}'; exit 1`, "broken", undefined, 1],
    ["that says nothing", "true", "broken", undefined, 1]
  ])("%s", async (name, script, status, version, exitCode) => {
    const PATH = pathWith(name, script)
    const { code, failed, claude } = await diagnose(PATH)
    expect({ code, status: claude?.status, version: claude?.version }).toEqual({ code: exitCode, status, version })
    expect(claude?.path).toBe(join(PATH.split(delimiter)[0] ?? "", "claude"))
    expect(failed).toEqual(exitCode === 0 ? [] : ["claude"])
  })

  it.each([
    ["signed in", true, {}, { signedIn: true, credentials: "account" }],
    ["not signed in", false, {}, { signedIn: false, credentials: undefined }],
    ["with a key", false, { ANTHROPIC_API_KEY: "made-up" }, { signedIn: true, credentials: "ANTHROPIC_API_KEY" }]
  ])("%s", async (name, isSignedIn, env, expected) => {
    const { code, claude } = await diagnose(pathWith(`sign-in ${name}`, answering(testedVersion, isSignedIn)), env)
    const { signedIn, credentials } = claude ?? {}
    expect({ code, signedIn, credentials }).toEqual({ code: 0, ...expected })
  })

  it("and fails for the others, unless it is asked for one", async () => {
    const PATH = pathWith("alone", answering(testedVersion, true))
    expect(await diagnose(PATH, {}, [])).toMatchObject({ code: 1, failed: ["gemini", "codex", "opencode", "pi"] })
    expect(await diagnose(PATH)).toMatchObject({ code: 0, failed: [], agents: [{ agent: "claude" }] })
    const { code, stdout } = await runProgram(["doctor"], { env: { PATH } })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /\nFailed: gemini, codex, opencode, pi\. To check only one agent: reins doctor --agent NAME\n$/
    )
  })

  it("nowhere: exit 1, and how to install it", async () => {
    const { code, stdout } = await runProgram(["doctor"], { env: { PATH: "/nowhere" } })
    expect(code).toBe(1)
    expect(stdout).toContain("✗ claude    not found on PATH\n  install   npm install -g @anthropic-ai/claude-code\n")
    expect(stdout).toContain("\n  or        brew install --cask claude-code\n  sign in   ")
    expect(stdout.match(/^ {2}install .+\n {2}or .+$/gm)).toHaveLength(4)
  })

  it("not in a file that is not a program", async () => {
    const directory = dirname(standIn("other", ""))
    writeTemp("claude", "not executable")
    expect((await diagnose(directory)).claude?.status).toBe("missing")
  })
})

describe("whether a CLI is signed in, as it says itself", () => {
  it.each([
    ["claude", 0, '{"loggedIn": true, "authMethod": "api_key"}', true],
    ["claude", 1, '{\n  "loggedIn": false,\n  "authMethod": "none"\n}', false],
    ["claude", 1, "unknown command", undefined],
    ["codex", 0, "Logged in using ChatGPT\n", true],
    ["codex", 1, "Not logged in\n", false],
    ["codex", 2, "unrecognized subcommand", undefined],
    ["opencode", 0, "┌  Credentials\n│\n└  0 credentials\n", undefined],
    ["opencode", 0, "└  2 credentials\n", true],
    ["opencode", 0, "└  0 credentials\n●  Anthropic\n└  1 environment variable\n", true],
    ["opencode", 0, "└  10 credentials\n", true]
  ] as const)("%s, exit code %i: %j", (id, exitCode, stdout, signedIn) => {
    expect(clis[id].signInCheck?.read({ exitCode, stdout })).toBe(signedIn)
  })
})

describe("doctor says", () => {
  const finding: AgentReport = {
    agent: "claude",
    command: "claude",
    status: "tested",
    path: "/bin/claude",
    version: "2.1.328",
    testedVersion: "2.1.328",
    oldestVersion: "2.1.309",
    install: "npm i",
    signIn: "log in",
    signedIn: true,
    credentials: "account"
  }
  it.each([
    [finding, ["✓ claude    2.1.328, the tested version", "  found     /bin/claude", "  sign in   done"]],
    [
      { ...finding, status: "good" as const, version: "2.1.320", credentials: "KEY" },
      ["✓ claude    2.1.320, known to work (2.1.309 to 2.1.328)", "  found     /bin/claude", "  sign in   done, by KEY"]
    ],
    [
      { ...finding, status: "newer" as const, version: "3.0.0", signedIn: false },
      [
        '! claude    3.0.0, newer than the tested 2.1.328: new kinds of output may appear as "unknown" events',
        "  found     /bin/claude",
        "  sign in   not done: log in"
      ]
    ],
    [
      { ...finding, status: "older" as const, version: "2.1.1", problem: "costs are wrong" },
      [
        "✗ claude    2.1.1, older than 2.1.309, the oldest that is known to work: costs are wrong",
        "  found     /bin/claude",
        "  update    npm i@2.1.328",
        "  sign in   done"
      ]
    ],
    [
      {
        ...finding,
        status: "broken" as const,
        path: "/x/\x1b[2Jclaude",
        problem: "`claude --version` gave no version"
      },
      [
        "✗ claude    found, but `claude --version` gave no version",
        "  found     /x/\\u001b[2Jclaude",
        "  install   npm i",
        "  sign in   log in"
      ]
    ]
  ])("%#", (input, lines) => {
    expect(findingLines({ live: false, columns: 80 }, input)).toEqual(lines)
  })
})

const quiet = { stderr: "", isCut: false }

describe("an answer to --version", () => {
  it.each([
    [{ _tag: "Unanswered", problem: "gave no answer within 10s" }, "`claude --version` gave no answer within 10s"],
    [{ _tag: "Answered", exitCode: 3, stdout: testedVersion, ...quiet }, "`claude --version` failed with exit code 3"],
    [{ _tag: "Answered", exitCode: 0, stdout: "", ...quiet }, "`claude --version` gave no version"],
    [{ _tag: "Answered", exitCode: 0, stdout: "2.1.99", ...quiet }, claude.belowOldest],
    [{ _tag: "Answered", exitCode: 0, stdout: "", stderr: `${testedVersion}\n`, isCut: false }, undefined],
    [
      { _tag: "Answered", exitCode: 0, stdout: "", stderr: `needs Node ${testedVersion}`, isCut: false },
      "`claude --version` gave no version"
    ],
    [{ _tag: "Answered", exitCode: 0, stdout: testedVersion, ...quiet }, undefined]
  ] as const)("%j", (answer, problem) => expect(judgeVersion(claude, answer).problem).toBe(problem))
})

describe("the version of Node", () => {
  it.each([
    ["v22.18.0", false],
    ["v22.19.0", true],
    ["v24.0.0", true],
    ["v20.20.2", false]
  ])("%s", (version, ok) => expect(isNodeOk(version)).toBe(ok))
})
