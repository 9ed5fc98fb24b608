/**
 * Tests of code that asks an agent, with `node:test` and without a model, a key or a network: with events that the test
 * gives, and with a fake CLI, a real process that follows a script.
 *
 *     node --test examples/tests-with-fakes/main.ts
 *
 * docs/testing.md has more: live sessions, time, recordings, chats.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import { AgentError, createAgent, type PlainAgent } from "reins/promise"
import { FakeCli, Step, testAgent } from "reins/testing"

/** The code under test: it takes its agent, so that a test can give it another one. */
const titleOf = async (agent: PlainAgent, article: string): Promise<string> => {
  try {
    const { text } = await agent.run({
      prompt: `A title for this text, nothing else:\n${article}`,
      permissionMode: "plan"
    })
    return text.trim().slice(0, 80)
  } catch (error) {
    if (error instanceof AgentError && error.reason.category === "rate_limit") return "Untitled"
    throw error
  }
}

test("the answer is the title", async () => {
  await using agent = testAgent(({ prompt }) => [{ type: "text", text: ` On ${prompt.split("\n").at(-1)}\n` }])
  assert.equal(await titleOf(agent, "whales"), "On whales")
})

test("without quota there is a title, too", async () => {
  await using cli = await FakeCli.install(FakeCli.claude([Step.error({ kind: "rate_limit" })]))
  await using agent = createAgent("claude", { command: cli.command })
  assert.equal(await titleOf(agent, "whales"), "Untitled")
})

test("another failure is the caller's", async () => {
  await using agent = testAgent([{ _tag: "Exited", exitCode: 3, category: "crash", stderr: "" }])
  await assert.rejects(titleOf(agent, "whales"), { name: "AgentError", code: "exited" })
})

test("the text is on stdin, where other users of the machine cannot read it", async () => {
  await using cli = await FakeCli.install(FakeCli.claude([Step.text("On whales")]))
  await using agent = createAgent("claude", { command: cli.command })
  await titleOf(agent, "whales")
  const [call] = cli.calls()
  assert.match(call?.stdin ?? "", /whales/)
  assert.doesNotMatch(call?.arguments.join(" ") ?? "", /whales/)
})
