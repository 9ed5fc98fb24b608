/** A fake CLI as a model of the AI SDK. */

import { reins } from "../../../src/aiSdk.ts"
import type { ReinsOptions } from "../../../src/api/aiSdk/AiSdk.ts"
import type { CliId } from "../../../src/promise.ts"
import { FakeCli, type LiveStep, type Step } from "../../../src/testing.ts"
import { killGrace } from "../../kit/agent.ts"

const installed = async (id: CliId, fake: FakeCli, options: Partial<ReinsOptions>) => {
  const cli = await FakeCli.install(fake)
  const model = reins(id, { command: cli.command, killGrace, ...options } as ReinsOptions<typeof id>)
  return { cli, model, [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose]() }
}

/** Its runs play these steps. */
export const modelOf = (id: CliId, steps: ReadonlyArray<Step>, options: Partial<ReinsOptions> = {}) =>
  installed(id, FakeCli[id](steps), options)

/** Its live sessions have one turn of these steps. */
export const liveModelOf = (id: CliId, steps: ReadonlyArray<LiveStep>, options: Partial<ReinsOptions>) =>
  installed(id, FakeCli.live(id, [steps]), options)

/** The rejection of the promise; it must reject. */
export const rejection = async (promise: PromiseLike<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error("it did not reject")
    },
    (error: unknown) => error
  )
