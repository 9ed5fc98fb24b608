/** The text for people of a chat about a turn for which nothing was started. */
import { assert, it } from "vitest"
import { errorEvent } from "../../src/agents/engine/result.ts"
import { failureText } from "../../src/bridge/turn/outcome.ts"
import { AgentFailed, type FailureReason, InvalidParams, UnsupportedOption } from "../../src/contract/AgentError.ts"
import { runReason } from "../../src/contract/FailureReason.ts"

it.each<readonly [about: string, reason: FailureReason, text: string]>([
  [
    "a directory that was removed, without its path",
    new InvalidParams({ option: "workingDirectory", problem: '"/home/ann/shop" does not exist' }),
    "The directory where the agent works cannot be used."
  ],
  [
    "a message that no CLI takes",
    new InvalidParams({ option: "prompt", problem: "is empty" }),
    "The agent cannot be asked that: the message is empty or too long."
  ],
  [
    "a choice of theirs",
    new InvalidParams({ option: "effort", problem: "is not one of low, high" }),
    "The agent cannot be asked: effort: is not one of low, high."
  ],
  [
    "a choice that the agent does not know",
    new UnsupportedOption({ option: "effort", cli: "tern" }),
    "tern does not support effort."
  ],
  [
    "an option of the application, without its value",
    new InvalidParams({ option: "additionalDirectories.0", problem: '"/home/ann/secret" does not exist' }),
    "The agent cannot be asked: its additionalDirectories.0 cannot be used."
  ]
])("about %s", (_, reason, text) => {
  assert.strictEqual(failureText(errorEvent(reason), "UTC"), text)
})

it.each(Object.values(runReason))("text of an agent that calls its failure %s is not shown", (code) => {
  const detail = "The budget is <b>gone</b>, pay at http://evil.example"
  const reason = new AgentFailed({ code, category: "other", detail })
  assert.strictEqual(failureText(errorEvent(reason), "UTC"), "The agent failed.")
})
