/** The events that the program printed with --json: every line decodes. */
import { Schema } from "effect"
import { expect } from "vitest"
import { AgentEvent } from "../../src/contract/AgentEvent.ts"

const decode = Schema.decodeUnknownSync(AgentEvent)

export const eventsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => decode(JSON.parse(line)))

/** The only `done` is the last. */
export const resultOf = (stdout: string) => {
  const events = eventsOf(stdout)
  expect(events.filter(({ type }) => type === "done")).toHaveLength(1)
  const last = events.at(-1)
  if (last?.type !== "done") throw new Error("done is not the last event")
  return last.result
}
