/** `doctor` in both doors, and in the program: one report, of real programs on PATH. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { claude } from "../../src/cli/claude/index.ts"
import { doctor as effectDoctor, HostEnvironment } from "../../src/index.ts"
import { doctor } from "../../src/promise.ts"
import { runProgram } from "../program/programProcess.ts"

const directory = mkdtempSync(join(tmpdir(), "doctor-"))
const PATH = `${directory}:/bin:/usr/bin`
const script = `#!/bin/sh
[ "$1" = auth ] && { echo '{"loggedIn": true, "authMethod": "claude.ai"}'; exit 0; }
echo '${claude.testedVersion} (Claude Code)'
`
const before = { PATH: process.env["PATH"], XDG_STATE_HOME: process.env["XDG_STATE_HOME"] }

beforeAll(() => {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, "claude"), script)
  chmodSync(join(directory, "claude"), 0o755)
  process.env["PATH"] = PATH
  // Its store is not shared with other tests, which would change it between two looks.
  process.env["XDG_STATE_HOME"] = join(directory, "state")
})

afterAll(() => {
  Object.assign(process.env, before)
  rmSync(directory, { recursive: true, force: true })
})

const withoutKeys = { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "" }

describe("doctor", () => {
  it("finds what is there and what is not, with a cure, the same in the program", async () => {
    const report = await doctor({ agents: ["claude", "codex"] })
    const [found, missing] = report.agents
    assert.deepInclude(found, { agent: "claude", status: "tested", path: join(directory, "claude"), signedIn: true })
    assert.deepInclude(found, { credentials: "account", billing: "subscription" })
    assert.deepInclude(missing, { agent: "codex", status: "missing" })
    assert.deepStrictEqual(report.failed, ["codex"])
    const [problem] = report.problems
    assert.deepInclude(problem, { about: "codex", severity: "error", problem: "It was not found on PATH." })
    assert.match(
      problem?.cure ?? "",
      /^Install it: npm install -g @openai\/codex, or: curl .+, or: brew install --cask codex\. Then sign in: /
    )
    const env = { PATH, ...withoutKeys }
    const { stdout } = await runProgram(["doctor", "--json", "--agent", "claude", "--agent", "codex"], { env })
    // The program reads a configuration, counts what runs cost, and serves; a library is asked without these.
    const { configuration, prices, serve, channels, worktrees, ...printed } = JSON.parse(stdout)
    assert.deepStrictEqual(configuration, { problems: [] })
    assert.match(prices.version, /^genai-prices /)
    assert.isAbove(serve.length, 0)
    assert.deepStrictEqual([channels, worktrees], [[], []])
    assert.deepStrictEqual(printed, JSON.parse(JSON.stringify(report)))
  })

  it.effect("is an Effect of the other door, by the host's environment", () =>
    Effect.gen(function* () {
      const report = yield* effectDoctor({ agents: ["claude"] })
      assert.deepInclude(report.agents[0], { signedIn: true, credentials: "ANTHROPIC_API_KEY", billing: "api-key" })
      assert.deepStrictEqual([report.failed, report.problems], [[], []])
    }).pipe(
      Effect.provideService(HostEnvironment, { PATH, ANTHROPIC_API_KEY: "made-up", XDG_STATE_HOME: directory }),
      Effect.provide(NodeServices.layer)
    )
  )

  it.effect("refuses invalid options", () =>
    Effect.gen(function* () {
      const wrong = { agents: ["gpt"] } as unknown as { agents: ReadonlyArray<"claude"> }
      const exit = yield* Effect.exit(effectDoctor(wrong))
      assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof TypeError)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
