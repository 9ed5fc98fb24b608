/** The bridge with promises: agents and a store by their options, plain channels. */
import { Cause, Effect, Exit, Layer, ManagedRuntime, Predicate, Result, type Scope } from "effect"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import { acceptSupported } from "../../agents/engine/prepare.ts"
import { warnings } from "../../api/promise/Errors.ts"
import { storeLayerOf } from "../../api/promise/storeLayer.ts"
import type { Cli } from "../../cli/Cli.ts"
import { clis, isCli, isCliId } from "../../cli/clis.ts"
import { type AgentOptions, parseOptions } from "../../contract/AgentOptions.ts"
import type { CliId } from "../../contract/CliSupport.ts"
import { typeErrorAt } from "../../contract/errors/callSite.ts"
import type { OwnCli } from "../../contract/PlainAgent.ts"
import type { OpenStoreOptions } from "../../contract/PlainStore.ts"
import type { LedgerOptions } from "../../contract/Usage.ts"
import { Ledger } from "../../money/Ledger.ts"
import { nodePlatform } from "../../system/process/Platform.ts"
import type { BridgeOptions } from "../BridgeOptions.ts"
import { ChannelBridge, type ConversationState } from "../ChannelBridge.ts"
import type { AgentDeliveryResult, BridgeCallbacks } from "../messages/AgentDeliveryResult.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import { fromPlain } from "./FromPlain.ts"
import type { PlainChannel } from "./PlainChannel.ts"

/** An agent of a bridge: the options of `createAgent`, and its CLI where the name is not the CLI's. */
export interface PlainBridgeAgent extends AgentOptions {
  /** One that Reins knows, by its id, or one of your own: the value of `Cli.make`. Default: the name of the agent. */
  readonly cli?: CliId | OwnCli | undefined
}

/** Usage of its agents goes into the ledger of the store. */
export interface PlainBridgeOptions
  extends Omit<BridgeOptions, "agents" | "clis">,
    Pick<LedgerOptions, "budgets" | "prices"> {
  /** By names of your own: `{ claude: {} }`. */
  readonly agents: { readonly [name: string]: PlainBridgeAgent }
  /** Default: in the state directory of the user. */
  readonly store?: OpenStoreOptions | undefined
}

export interface PlainBridge extends AsyncDisposable {
  /** One message, one turn; never rejects for failures of the agent. As `handle` of `ChannelBridge`. */
  readonly handle: (
    message: ChannelMessage,
    callbacks?: BridgeCallbacks,
    signal?: AbortSignal
  ) => Promise<AgentDeliveryResult>
  /** Serves an account until the bridge is closed; rejects when it ends: `serve(Telegram.channel({ token }))`. */
  readonly serve: (channel: PlainChannel | Effect.Effect<Channel, Error, Scope.Scope>) => Promise<void>
  /** Stops the running turn; returns false if none is running. */
  readonly stop: (conversation: Conversation) => Promise<boolean>
  readonly conversations: () => Promise<ReadonlyArray<ConversationState>>
  /** Ends turns, channels and the store, and waits until nothing of them is left. */
  readonly close: () => Promise<void>
}

const wrong = (option: string, problem: string) => typeErrorAt(createBridge, `createBridge: ${option}: ${problem}`)

/** Throws for options that the agent would refuse in each turn. */
const checkAgent = (name: string, cli: Cli, options: unknown) => {
  const checked = Result.flatMap(parseOptions(options), ({ defaults = {} }) =>
    acceptSupported(cli, cli.supports, defaults)
  )
  if (Result.isFailure(checked))
    throw typeErrorAt(createBridge, `createBridge: agents.${name}: ${checked.failure.message}`)
}

const cliOf = (name: string, agent: PlainBridgeAgent): Cli => {
  if (!Predicate.isObject(agent)) throw wrong(`agents.${name}`, "is not an object")
  const { cli = name } = agent
  if (isCli(cli)) {
    if (Object.values(clis).some((known) => known.id === cli.id && known !== cli))
      throw wrong(`agents.${name}.cli`, `has the id ${cli.id}, which Reins knows`)
    return cli
  }
  if (Predicate.isString(cli) && isCliId(cli)) return clis[cli]
  const subject = Predicate.isString(cli) ? JSON.stringify(cli) : "it"
  throw wrong(`agents.${name}.cli`, `${subject} is not one of ${Object.keys(clis).join(", ")}, or a value of Cli.make`)
}

const agentOf = (name: string, cli: Cli, { cli: _, ...options }: PlainBridgeAgent, ledger: LedgerOptions) => {
  checkAgent(name, cli, options)
  // The bridge reads the budgets of its agents.
  return Layer.merge(AgentRuntime.layer(cli, options), Layer.effect(Ledger, Ledger)).pipe(
    Layer.provide(Layer.orDie(Ledger.layer(ledger))),
    Layer.provide(warnings)
  )
}

const promised = async <A, E>(exit: Promise<Exit.Exit<A, E>>): Promise<A> => {
  const ended = await exit
  if (Exit.isSuccess(ended)) return ended.value
  throw Cause.squash(ended.cause)
}

/**
 * Throws for invalid options of an agent. Opens nothing before the first call, which rejects if another option or the store
 * is at fault.
 */
export const createBridge = ({ agents, store, budgets, prices, ...options }: PlainBridgeOptions): PlainBridge => {
  if (!Predicate.isObject(agents)) throw wrong("agents", "is not an object with an agent for each name")
  const all = Object.entries(agents).map(([name, agent]) => ({ name, agent, cli: cliOf(name, agent) }))
  const layers = Object.fromEntries(
    all.map(({ name, agent, cli }) => [name, agentOf(name, cli, agent, { budgets, prices })])
  )
  const own = all.flatMap(({ cli }) => (isCliId(cli.id) ? [] : [cli]))
  const runtime = ManagedRuntime.make(
    ChannelBridge.layer({ ...options, agents: layers, clis: [...new Set(own)] }).pipe(
      Layer.provide([storeLayerOf(store ?? {}), nodePlatform]),
      Layer.provideMerge(warnings)
    )
  )
  const closing = new AbortController()
  const served = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined

  const run = <A, E>(
    use: (bridge: ChannelBridge["Service"]) => Effect.Effect<A, E, Scope.Scope>,
    signal?: AbortSignal
  ): Promise<A> =>
    promised(runtime.runPromiseExit(Effect.scoped(Effect.flatMap(ChannelBridge, use)), signal && { signal }))

  const close = () => {
    closed ??= (async () => {
      closing.abort()
      await Promise.allSettled(served)
      await runtime.dispose()
    })()
    return closed
  }

  return {
    handle: (message, callbacks, signal) => run(({ handle }) => handle(message, callbacks, signal)),
    serve: async (channel) => {
      const opened = Effect.isEffect(channel) ? channel : Effect.succeed(fromPlain(channel))
      const serving = run(({ serve }) => Effect.flatMap(opened, serve), closing.signal)
      served.add(serving)
      try {
        await serving
      } catch (error) {
        // Closing is the normal end.
        if (!closing.signal.aborted) throw error
      } finally {
        served.delete(serving)
      }
    },
    stop: (conversation) => run(({ stop }) => stop(conversation)),
    conversations: () => run(({ conversations }) => conversations),
    close,
    [Symbol.asyncDispose]: close
  }
}
