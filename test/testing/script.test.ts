/** A script as data: what stands in it, and what is refused where it is written. No process. */
import { assert, describe, it } from "vitest"
import { dialects } from "../../src/testing/dialects.ts"
import { linesOf } from "../../src/testing/speak.ts"
import { FakeCli, InvalidFake, ModelServer, Step, testAgent } from "../../src/testing.ts"
import { Arbitraries } from "../../src/testingEffect.ts"
import { commandTool, ids } from "./kit.ts"

const problemOf = (define: () => unknown): string => {
  try {
    define()
  } catch (error) {
    if (error instanceof InvalidFake) return error.message
    throw error
  }
  return assert.fail("nothing was refused")
}

describe.each(ids)("a fake %s", (id) => {
  const fake = FakeCli[id]
  const tool = { name: commandTool[id], input: { command: "ls" } }

  it("is plain data", () => {
    const made = fake([Step.text("a"), Step.tool(tool), Step.expectStdin(/a/i), Step.process(), Step.hang()])
    assert.deepStrictEqual(JSON.parse(JSON.stringify(made)), made)
  })

  it.each([
    [[Step.exit(0), Step.text("a")], /^step 2 \(text\) of a fake .+: is never reached: exit is the end/],
    [[Step.hang(), Step.line("a")], /^step 2 \(line\) .+ never reached: hang/],
    [[Step.signal("SIGKILL"), Step.exit(0)], /^step 2 \(exit\) .+ never reached: signal/],
    [[Step.closeStdout(), Step.wait(1), Step.text("a")], /^step 3 \(text\) .+ stdout is closed/],
    [[Step.closeStdout(), Step.line("a")], /^step 2 \(line\) .+ stdout is closed/],
    [[Step.toolEnd({ id: "x" })], /^step 1 \(toolEnd\) .+ no call "x" is open; a toolStart has to come before/],
    [[Step.toolStart({ ...tool, id: "x" }), Step.toolStart({ ...tool, id: "x" })], /^step 2 .+ the call "x" is open/],
    [[undefined as unknown as ReturnType<typeof Step.hang>], /^step 1 \(undefined\) .+ not a step/],
    [Step.hang() as unknown as ReadonlyArray<Step>, /^a fake .+: a script is an array of steps/],
    [[{ type: "dance" } as unknown as ReturnType<typeof Step.hang>], /^step 1 \(dance\) .+ unknown step/]
  ])("is refused for a step that makes no sense (%#)", (steps, words) => {
    assert.match(
      problemOf(() => fake(steps)),
      words
    )
  })
})

it.each([
  [() => Step.exit(300), "Step.exit: 300 is not an exit code: use an integer from 0 to 255"],
  [() => Step.exit(1.5), "Step.exit: 1.5 is not an exit code: use an integer from 0 to 255"],
  [() => Step.signal("SIGNOPE" as "SIGTERM"), 'Step.signal: SIGNOPE is not a signal of this system, such as "SIGTERM"'],
  [
    () => FakeCli.inTurn(FakeCli.claude([]), FakeCli.codex([])),
    "a fake of codex: does not take turns with one of claude"
  ],
  [
    () => testAgent([], { cli: "cursor" as "codex" }),
    'CLI "cursor": is not one of claude, gemini, codex, opencode, pi'
  ],
  [() => Arbitraries.wire("cursor" as "codex"), 'CLI "cursor": is not one of claude, gemini, codex, opencode, pi'],
  [() => ModelServer.forCli("cursor" as "codex", []), 'CLI "cursor": is not one of claude, gemini, codex, opencode, pi']
])("what is wrong is refused where it is written: %#", (make, words) => {
  assert.strictEqual(problemOf(make), words)
})

describe("what a CLI cannot say is refused, with its name and the step's", () => {
  const { claude, gemini, codex, opencode } = FakeCli
  it.each([
    [() => gemini([Step.thinking("hm")]), "step 1 (thinking) of a fake Gemini CLI: it prints no thoughts"],
    [
      () => gemini([Step.text("a"), Step.retry()]),
      "step 2 (retry) of a fake Gemini CLI: it tells retries on stderr only"
    ],
    [() => gemini([Step.result({ costUsd: 1 })]), "step 1 (result) of a fake Gemini CLI: it tells no cost"],
    [
      () => gemini([Step.result({ usage: { inputTokens: 1, outputTokens: 1, cacheWriteTokens: 1 } })]),
      "step 1 (result) of a fake Gemini CLI: it tells no cacheWriteTokens"
    ],
    [
      () => gemini([Step.error({ kind: "network", message: "cut" })]),
      "step 1 (error) of a fake Gemini CLI: it has one message for network"
    ],
    [() => codex([Step.result({ costUsd: 1 })]), "step 1 (result) of a fake Codex: it tells no cost"],
    [() => codex([Step.session({ model: "m" })]), "step 1 (session) of a fake Codex: it tells no model"],
    [
      () => codex([Step.error({ retryAfter: 1 })]),
      "step 1 (error) of a fake Codex: it does not tell when to try again"
    ],
    [
      () => codex([Step.tool({ name: "Bash" })]),
      'step 1 (tool) of a fake Codex: it has no tool "Bash", only command_execution, file_change, web_search and mcp__<server>__<tool>'
    ],
    [
      () => codex([Step.tool({ name: "command_execution", input: "ls" })]),
      "step 1 (tool) of a fake Codex: the input of a command_execution is { command: a text }"
    ],
    [
      () => codex([Step.tool({ name: "web_search", input: { query: "q" }, output: "found" })]),
      "step 1 (tool) of a fake Codex: it prints no output of a web_search"
    ],
    [
      () => opencode([Step.session({ model: "m" })]),
      "step 1 (session) of a fake OpenCode: it has no line for the session, only its first step"
    ],
    [
      () => claude([Step.error({ kind: "permission" })]),
      'step 1 (error) of a fake Claude Code: it says "auth" where the API denies a permission, not "permission"'
    ]
  ])("%#", (define, message) => {
    assert.strictEqual(problemOf(define), message)
  })

  it.each([
    [
      () => Step.wait("a while" as never),
      'Step.wait: a while is not a duration: use milliseconds, or a text such as "50 millis"'
    ],
    [
      () => Step.wait("Infinity"),
      'Step.wait: Infinity is not a duration: use milliseconds, or a text such as "50 millis"'
    ],
    [
      () => Step.retry({ delay: -1 }),
      'Step.retry: -1 is not a duration: use milliseconds, or a text such as "50 millis"'
    ]
  ])("a time that is invalid: %#", (define, message) => {
    assert.strictEqual(problemOf(define), message)
  })

  it("an unknown CLI, with the names of those that are known", async () => {
    const cli = "cursor" as "claude"
    const message = `CLI "cursor": is not one of ${ids.join(", ")}`
    assert.strictEqual(
      problemOf(() => FakeCli.replay(cli, "/dev/null")),
      message
    )
    const input = { ...FakeCli.claude([]), cli }
    await FakeCli.install(input).then(
      () => assert.fail("installed"),
      (error) => assert.strictEqual(error.message, message)
    )
  })
})

describe("the lines of a script", () => {
  const session = "a-session"
  const named = {
    claude: "session_id",
    gemini: "session_id",
    codex: "thread_id",
    opencode: "sessionID",
    pi: "id"
  } as const

  it.each(ids)("%s: carry the session and are the same each time", (id) => {
    const steps = [Step.text("a"), Step.wait(1), Step.line({ raw: 1 })]
    const lines = linesOf(dialects[id])(steps, session)
    assert.deepInclude(lines[0], { [named[id]]: session })
    assert.deepInclude(lines, { raw: 1 })
    assert.deepStrictEqual(lines, linesOf(dialects[id])(steps, session))
  })

  it.each(["claude", "gemini", "codex", "pi"] as const)("%s: have the fields that are given", (id) => {
    const lines = linesOf(dialects[id])([Step.session({ fields: { first: 1 } }), Step.result({ fields: { last: 2 } })])
    assert.deepInclude(lines[0], { first: 1 })
    assert.deepInclude(lines.at(-1), { last: 2 })
  })
})
