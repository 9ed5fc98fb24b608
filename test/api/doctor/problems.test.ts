/** Each problem that doctor finds has a sentence and a fix; sound parts have neither. */
import { assert, describe, it } from "vitest"
import { problemsOf } from "../../../src/api/doctor/diagnose.ts"
import { clis } from "../../../src/cli/clis.ts"
import type { AgentReport, DoctorReport } from "../../../src/contract/DoctorReport.ts"
import { reapingCure } from "../../../src/system/process/firstProcess.ts"

const agent: AgentReport = {
  agent: "claude",
  command: "claude",
  status: "tested",
  path: "/bin/claude",
  version: "2.0.0",
  testedVersion: "2.0.0",
  oldestVersion: "1.0.0",
  install: "npm install -g x",
  signIn: "run `claude` once",
  signedIn: true
}

const report: Omit<DoctorReport, "problems"> = {
  node: { version: "v24.0.0", required: ">=22.19", ok: true },
  agents: [agent],
  settings: [{ file: "/w/.gemini/settings.json", isRestored: true, activeRuns: 0, isPending: false }],
  oldJournals: [],
  store: { kind: "file", place: "/s/store.db", status: "absent", supported: 1, movedAside: [] },
  failed: []
}

const ofAgent = (change: Partial<AgentReport>) => problemsOf({ ...report, agents: [{ ...agent, ...change }] })

it("finds no problem in sound parts", () => {
  assert.deepStrictEqual(problemsOf(report), [])
  assert.deepStrictEqual(ofAgent({ status: "good" }), [])
  const { signedIn: _, ...unknown } = agent
  assert.deepStrictEqual(problemsOf({ ...report, agents: [unknown] }), [])
})

describe("a CLI", () => {
  it.each<[Partial<AgentReport>, "error" | "warning", RegExp, RegExp]>([
    [
      { status: "missing", problem: "not found on PATH" },
      "error",
      /^It was not found on PATH\.$/,
      /^Install it: npm install .* sign in: run/
    ],
    [
      { status: "broken", problem: "gave no version" },
      "error",
      /^It was found, but gave no version\.$/,
      /npm install -g x@2\.0\.0$/
    ],
    [
      { status: "older", version: "0.1.0", problem: "no cost" },
      "error",
      /^0\.1\.0 is older than 1\.0\.0, .*: no cost\.$/,
      /x@2\.0\.0$/
    ],
    [
      { status: "newer", version: "3.0.0" },
      "warning",
      /^3\.0\.0 is newer than the tested 2\.0\.0/,
      /^Where that disturbs, install/
    ],
    [{ signedIn: false }, "error", /^It is not signed in\.$/, /^To sign in: run `claude` once$/]
  ])("%o", (change, severity, problem, cure) => {
    const [only, ...others] = ofAgent(change)
    assert.deepStrictEqual([only?.about, only?.severity, others], ["claude", severity, []])
    assert.match(only?.problem ?? "", problem)
    assert.match(only?.cure ?? "", cure)
  })
})

it("covers Node, the platform and settings", () => {
  const problems = problemsOf({
    ...report,
    node: { version: "v20.0.0", required: ">=22.19", ok: false },
    notGuaranteed: "Tools may be left.",
    orphansReaped: false,
    settings: [{ file: "/w/s.json", isRestored: false, activeRuns: 0, isPending: true }],
    oldJournals: ["/w/.gemini/settings.json.reins-journal"]
  })
  assert.deepStrictEqual(
    problems.map(({ about, severity, cure }) => [about, severity, cure]),
    [
      ["node", "error", "Install Node >=22.19"],
      ["platform", "warning", undefined],
      ["platform", "warning", `Give${reapingCure.slice(4)}`],
      ["settings", "warning", "Correct the file: the next run restores it"],
      ["settings", "warning", "Check it, then remove it"]
    ]
  )
})

it("takes the billing from the CLI's own report", () => {
  const request = (id: "claude" | "codex", stdout: string) => clis[id].signInCheck?.billing?.({ exitCode: 0, stdout })
  assert.strictEqual(request("claude", '{"loggedIn":true,"authMethod":"claude.ai"}'), "subscription")
  assert.strictEqual(request("claude", '{"loggedIn":true,"authMethod":"api_key"}'), "api-key")
  assert.strictEqual(request("claude", '{"loggedIn":true,"authMethod":"toString"}'), undefined)
  assert.strictEqual(request("claude", '{"loggedIn":true}'), undefined)
  assert.strictEqual(request("codex", "Logged in using ChatGPT\n"), "subscription")
  assert.strictEqual(request("codex", "Logged in using an API key - sk-***\n"), "api-key")
  assert.strictEqual(request("codex", "Logged in using access token\n"), undefined)
})
