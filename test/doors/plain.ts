/** Shared by the tests of the plain door: an agent over a program, and the error of a promise. */
import { assert } from "vitest"
import { type CreateAgentOptions, createAgent } from "../../src/promise.ts"
import { killGrace } from "../kit/agent.ts"

export const agentOver = (options: CreateAgentOptions) => createAgent("claude", { killGrace, ...options })

/** The rejection of the promise; it must reject. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => error
  )
