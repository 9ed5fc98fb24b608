/** The two doors of the library behind one shape, for drivers of runs. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Context, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import { makePlainSession } from "../../src/api/promise/plainAgent.ts"
import { AgentError } from "../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../src/contract/AgentOpenParams.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import type { AgentRunResult } from "../../src/contract/AgentRunResult.ts"
import type { PlainSession } from "../../src/contract/PlainSession.ts"
import { createAgent } from "../../src/promise.ts"

/** `left`: by the consumer itself; `stopped`: from outside. */
export type Ended =
  | { readonly how: "ended" | "left" | "stopped" }
  | { readonly how: "gave"; readonly result: AgentRunResult }
  | { readonly how: "threw"; readonly problem: string }

export interface Handle {
  /** Never rejects. */
  readonly ended: Promise<Ended>
  readonly stop: () => void
}

export interface Door {
  /** `onEvent` says whether to go on. */
  readonly execute: (params: AgentExecuteParams, onEvent: (event: AgentEvent) => Promise<boolean>) => Handle
  readonly run: (params: AgentExecuteParams) => Handle
  /** Rejects when it cannot be opened. */
  readonly open: (params: AgentOpenParams) => Promise<PlainSession>
  readonly close: () => Promise<void>
}

const thrown = (error: unknown): Ended =>
  error instanceof AgentError
    ? { how: "gave", result: error.result }
    : { how: "threw", problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }

const handleOf = (effect: Effect.Effect<Ended, AgentError>): Handle => {
  const fiber = Effect.runFork(effect)
  const ended = Effect.runPromise(Fiber.await(fiber)).then((exit): Ended => {
    if (Exit.isSuccess(exit)) return exit.value
    return Cause.hasInterruptsOnly(exit.cause) ? { how: "stopped" } : thrown(Cause.squash(exit.cause))
  })
  return { ended, stop: () => void Effect.runFork(Fiber.interrupt(fiber)) }
}

const effectDoor = async (cli: CliId, options: AgentOptions): Promise<Door> => {
  const scope = Scope.makeUnsafe()
  const layer = AgentRuntime.layer(clis[cli], options).pipe(Layer.provide(NodeServices.layer))
  const agent = Context.get(await Effect.runPromise(Layer.buildWithScope(layer, scope)), AgentRuntime)
  return {
    execute: (params, onEvent) => {
      let goesOn = true
      const received = Stream.mapEffect(agent.execute(params), (event) => Effect.promise(() => onEvent(event)))
      const watched = Stream.tap(received, (answer) => Effect.sync(() => (goesOn = answer)))
      return handleOf(
        Stream.runDrain(Stream.takeWhile(watched, (answer) => answer)).pipe(
          Effect.map((): Ended => ({ how: goesOn ? "ended" : "left" }))
        )
      )
    },
    run: (params) => handleOf(Effect.map(agent.run(params), (result): Ended => ({ how: "gave", result }))),
    open: async (params) => {
      const own = Scope.makeUnsafe()
      return makePlainSession(await Effect.runPromise(Scope.provide(agent.open(params), own)), own)
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const promiseDoor = (cli: CliId, options: AgentOptions): Door => {
  const agent = createAgent(cli, options)
  const execute: Door["execute"] = (params, onEvent) => {
    const iterator = agent.execute(params)[Symbol.asyncIterator]()
    let isStopped = false
    const read = async (): Promise<Ended> => {
      while (true) {
        const next = await iterator.next()
        if (next.done === true) return { how: isStopped ? "stopped" : "ended" }
        if (await onEvent(next.value)) continue
        await iterator.return?.()
        return { how: "left" }
      }
    }
    let leaving: Promise<unknown> = Promise.resolve()
    const stop = () => {
      isStopped = true
      leaving = iterator.return?.() ?? leaving
    }
    // A consumer that leaves is told when nothing is left: that counts as the end, too.
    const ended = read().then(async (how) => {
      await leaving
      return how
    })
    return { ended: ended.catch(thrown), stop }
  }
  return {
    execute,
    run: (params) => ({
      ended: agent.run(params).then((result): Ended => ({ how: "gave", result }), thrown),
      stop: () => {}
    }),
    open: agent.open,
    close: agent.close
  }
}

export const openDoor = async (door: "effect" | "promise", cli: CliId, options: AgentOptions): Promise<Door> =>
  door === "effect" ? effectDoor(cli, options) : promiseDoor(cli, options)
