/** What the tests of the plain door share: an agent over a program, and the error of a promise. */
import { assert } from "vitest"
import { type CreateAgentOptions, createAgent } from "../../src/promise.ts"
import { killGrace } from "../kit/agent.ts"

export const agentOver = (options: CreateAgentOptions) => createAgent("claude", { killGrace, ...options })

/** What the promise is rejected with; it must be. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => error
  )
