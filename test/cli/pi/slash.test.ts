/** A prompt that begins as a command of Pi is text unless told otherwise; in a run, blanks in front are cut off first. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { disarmed, plan } from "../../../src/cli/pi/command.ts"
import { classify } from "../../../src/contract/errors/classify.ts"

const context = { env: {}, workingDirectory: "/workspace", privateDirectory: "/private" }

const stdinOf = (prompt: string, slashCommands?: boolean) =>
  Result.getOrThrow(plan({ prompt, ...(slashCommands === undefined ? {} : { slashCommands }) }, {}, context)).stdin

describe("a slash in front", () => {
  it.each(["/hey there", "  /hey there", "\n/skill:x"])("of a run reaches Pi as text: %j", (prompt) => {
    const stdin = String(stdinOf(prompt)).trim()
    assert.isFalse(stdin.startsWith("/"))
    assert.isTrue(stdin.endsWith(prompt.trim()))
  })

  it("is a command where the caller says so, and nothing is added to other prompts", () => {
    assert.strictEqual(stdinOf("/hey", true), "/hey")
    assert.strictEqual(stdinOf(" a/b"), " a/b")
    assert.strictEqual(disarmed("/hey", false), "\u200b/hey")
    assert.strictEqual(disarmed("/hey", true), "/hey")
  })
})

describe("what Pi says before it ends with 1", () => {
  it.each([
    ["No session found matching '00000000-0000-7000-8000-000000000000'", "session_not_found"],
    ["No API key found for anthropic.\n\nUse /login to log into a provider via OAuth or API key.", "auth"],
    ["No models available. Use /login to log into a provider via OAuth or API key.", "auth"]
  ])("%s", (message, category) => assert.strictEqual(classify({ message, otherwise: "crash" }), category))
})
