/** A property of code that hears an agent, tried with many runs; what fails is shrunk to the smallest one. */
import { Arbitrary, Effect } from "effect"
import type { AgentEvent } from "reins"
import { Arbitraries } from "reins/testing/effect"

/**
 * The code under test. It forgets that a sub-agent's words are not part of the answer, and that words can be withdrawn.
 */
const textOf = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) => (event.type === "text" ? event.text : "")).join("")

const isRight = (events: ReadonlyArray<AgentEvent>) =>
  events.every((event) => event.type !== "done" || event.result.text === textOf(events))

const checked = await Effect.runPromise(Arbitrary.checkEffect(Arbitraries.run, isRight, { runs: 1000, seed: 7 }))

if (checked._tag === "Falsified") console.log(checked.shrunkInput.map(({ type }) => type).join(" "))
