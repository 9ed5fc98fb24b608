/** A bridge that serves a scripted channel with a real CLI behind it, whose model is scripted, in a sandbox of its own. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { BridgeOptions } from "../../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../../src/bridge/ChannelBridge.ts"
import { type CliId, clis } from "../../../src/cli/clis.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { chatCompletions, gemini, messages, responses } from "../../../src/testing/ModelServer.ts"
import { ScriptedChannel } from "../../../src/testing/ScriptedChannel.ts"
import { makeSandbox } from "../../../src/testing/sandbox/sandbox.ts"
import type { Answer } from "../../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../../src/testing/servers/request.ts"
import { pathOf } from "./environment.ts"
import { commandFor } from "./layered.ts"

const servers = { claude: messages, gemini, codex: responses, opencode: chatCompletions, pi: messages }

/** Ann is the owner, Bob a user. */
export const openBridge = async (
  cli: CliId,
  script: (request: ModelRequest) => Answer,
  options: Omit<Partial<BridgeOptions>, "agents"> = {}
) => {
  const stack = new AsyncDisposableStack()
  try {
    const api = stack.use(await servers[cli](script))
    const program = commandFor(cli)
    const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([program]) }))
    const scripted = ScriptedChannel.make()
    const scope = Scope.makeUnsafe()
    stack.defer(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    const store = await Effect.runPromise(Scope.provide(Layer.build(Store.layerMemory()), scope))
    const layer = ChannelBridge.layer({
      agents: { [cli]: AgentRuntime.layer(clis[cli], { command: program, env: sandbox.env }) },
      access: { owners: ["ann"], users: ["bob"] },
      directories: { work: { path: sandbox.work } },
      directory: "work",
      ...options
    }).pipe(Layer.provide([Layer.succeedContext(store), NodeServices.layer]))

    let served: Scope.Closeable | undefined
    const stop = async () => {
      if (served !== undefined) await Effect.runPromise(Scope.close(served, Exit.void))
      served = undefined
    }
    const start = async () => {
      const own = Scope.makeUnsafe()
      served = own
      const inScope = <A, E>(work: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(work, own))
      const { serve } = Context.get(await inScope(Layer.build(layer)), ChannelBridge)
      await inScope(Effect.forkScoped(Effect.orDie(serve(scripted.channel))))
    }
    stack.defer(stop)
    await start()

    const ours = (chat: string) => scripted.chat(chat).filter(({ isOurs }) => isOurs)
    const until = <A>(look: () => A | undefined) => Effect.runPromise(scripted.until(look))
    return {
      ...{ api, sandbox, scripted, ours, until },
      say: (text: string, from = "ann") => Effect.runPromise(scripted.say(text, { from })),
      press: (messageId: string, label: string, from = "ann") =>
        Effect.runPromise(scripted.press(messageId, label, { from })),
      /** The first message of the bridge in a chat that has a text and a button. */
      shown: (part: string | RegExp, { chat = "ann", button }: { chat?: string; button?: string } = {}) =>
        until(() =>
          ours(chat).find(
            ({ text, buttons }) =>
              (typeof part === "string" ? text.includes(part) : part.test(text)) &&
              (button === undefined || buttons.includes(button))
          )
        ),
      /** The same store and channel, by a bridge that has just begun; `between` runs while nothing is served. */
      restart: async (between: () => Promise<unknown> = async () => {}) => {
        await stop()
        await between()
        await start()
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync()
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
