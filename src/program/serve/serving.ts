/**
 * One life of the host: store, agents, bridge, page and bot, until it is to end, to reload its configuration, or to restart.
 * All that is started here ends with it.
 */
import { fstatSync } from "node:fs"
import { Clock, Console, Context, Deferred, Effect, Fiber, Layer, Queue, type Scope, Stream } from "effect"
import { ownVariables } from "../../api/config/secrets.ts"
import type { BridgeOptions } from "../../bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../bridge/ChannelBridge.ts"
import type { TranscribeCommand } from "../../bridge/intake/Transcriber.ts"
import { AccountPatience } from "../../bridge/journal/account.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import type { ServeError } from "../../bridge/ServeError.ts"
import { ConversationsOf } from "../../bridge/turn/agents.ts"
import { channelId as webhookChannel } from "../../channels/webhooks/webhookOptions.ts"
import type { Cli } from "../../cli/Cli.ts"
import type { BudgetState } from "../../contract/Budget.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import type { DurationInput } from "../../contract/Input.ts"
import { present } from "../../contract/present.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { Store } from "../../conversations/store/Store.ts"
import { Ledger } from "../../money/Ledger.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import { localTime } from "../format.ts"
import { configuredStore } from "../store.ts"
import { findAgents } from "./agents.ts"
import type { ReadyChannel } from "./channels.ts"
import type { openHome } from "./clusterHome.ts"
import { type Control, type Drained, drain } from "./control.ts"
import { openKey } from "./key.ts"
import { makeNotify, notifyVariables } from "./notify.ts"
import { openPage } from "./openPage.ts"
import { bridgeChanges, gatewayOf, type ServePlan } from "./plan.ts"
import { type Problem, problemOf } from "./problems.ts"
import { leaveMark } from "./readStatus.ts"
import { reloaded, reloadText } from "./reload.ts"
import type { WebBudget } from "./webChannel.ts"
import { openWebhooks, type ReadyWebhooks } from "./webhooks.ts"

/** A machine that is cut off from the database for longer leaves the account to others, and waits for it again. */
const patience = "10 seconds"
const pause = "5 seconds"

/** Fails for errors that waiting does not resolve. Each reason to wait is logged once. */
export const inTurn = <A, R>(
  { id, accountId }: Pick<Channel, "id" | "accountId">,
  serve: Effect.Effect<A, ServeError, R>
): Effect.Effect<A, ServeError, R> => {
  const account = `${harmless(id)} (${harmless(accountId)})`
  let announced = ""
  /** True once it was served here or elsewhere: then an unreachable store will come back. */
  let isKnown = false
  const wait = ({ message }: { readonly message: string }) =>
    Effect.suspend(() => {
      isKnown = true
      const isTold = announced === message
      announced = message
      const telling = isTold ? Effect.void : Effect.logInfo(`${account} waits for its turn on this machine: ${message}`)
      return Effect.andThen(telling, Effect.sleep(pause))
    })
  const again: Effect.Effect<A, ServeError, R> = Effect.suspend(() =>
    Effect.catchTags(serve, {
      ChannelTaken: (error) => Effect.andThen(wait(error), again),
      ChannelLost: (error) => Effect.andThen(wait(error), again),
      StoreError: (error) => (isKnown ? Effect.andThen(wait(error), again) : Effect.fail(error))
    })
  )
  return Effect.provideService(again, AccountPatience, patience)
}

const shareOf = ({ spent, reserved, limit }: BudgetState) => (spent + reserved) / limit

/** The budget that is closest to its end, as the page shows it. */
export const rowOfBudgets = (states: ReadonlyArray<BudgetState>): WebBudget | undefined => {
  const [first] = states.filter(({ unit }) => unit === "usd").sort((a, b) => shareOf(b) - shareOf(a))
  if (first === undefined) return undefined
  const { budget: name, spent, reserved, limit, endsAt } = first
  return { name, spent, reserved, limit, ...(endsAt === undefined ? {} : { again: localTime(endsAt) }) }
}

const budgetRow = Effect.fn(...untraced("Serving.budgetRow"))(function* (
  { budgets, zone, prices }: Configuration,
  store: OpenStore
): Effect.fn.Return<Effect.Effect<WebBudget | undefined>, never, Scope.Scope> {
  if (budgets === undefined || budgets.length === 0) return Effect.succeed(undefined)
  const ledger = Layer.orDie(Ledger.layer({ budgets, zone, prices }))
  const built = yield* Layer.build(Layer.provide(ledger, Layer.succeed(Store, store)))
  return Effect.orElseSucceed(Effect.map(Context.get(built, Ledger).budgets, rowOfBudgets), () => undefined)
})

/** The program gets none of the host's secrets. */
export const transcriptionOf = (configuration: Configuration): TranscribeCommand | undefined => {
  const { command, timeout } = configuration.transcribe ?? {}
  if (command === undefined) return undefined
  const env = Object.fromEntries(ownVariables(configuration).map((name) => [name, undefined]))
  return { command, env, ...present({ timeout: timeout as DurationInput | undefined }) } // checked as one
}

/** @param stream The value of `JOURNAL_STREAM`: device and inode. */
const isJournal = (stream: string | undefined, descriptor = 1): boolean => {
  if (stream === undefined || stream === "") return false
  const { dev, ino } = fstatSync(descriptor)
  return `${dev}:${ino}` === stream
}

export interface Life {
  readonly plan: ServePlan
  readonly configuration: Configuration
  readonly controls: Queue.Queue<Control>
  /** Undefined if the configuration is invalid, which was logged. */
  readonly readAgain: Effect.Effect<Configuration | undefined>
  /** Whether a code is shown to the user who started the host, for channels that need it. */
  readonly pair: boolean
  /** Beside the page. */
  readonly channels: ReadonlyArray<ReadyChannel>
  readonly webhooks: ReadyWebhooks
  /** The user's own CLI. */
  readonly own: Cli | undefined
  /** Hides a secret in the log. */
  readonly keep: (secret: string) => void
}

const listening = (channel: Channel, begun: Deferred.Deferred<void>): Channel => ({
  ...channel,
  incoming: (mark) => Stream.unwrap(Effect.as(Deferred.succeed(begun, undefined), channel.incoming(mark)))
})

const withoutOwn = (host: Readonly<Record<string, string | undefined>>, configuration: Configuration) => {
  const own = new Set<string>([...notifyVariables, ...ownVariables(configuration)])
  return Object.fromEntries(Object.entries(host).filter(([name]) => !own.has(name)))
}

const tellAddress = Effect.fn(...untraced("Serving.tellAddress"))(function* (url: string, address: string) {
  const host = yield* HostEnvironment
  if (isJournal(host["JOURNAL_STREAM"])) {
    return yield* Effect.logInfo(
      `The page is at ${address}; reins serve --status, at a terminal, prints the address with its key`
    )
  }
  yield* Console.log(url)
  yield* Effect.logInfo(
    "Open this address in a browser. Anyone who has it acts as the owner, so keep it to yourself; Ctrl-C ends"
  )
})

/** Loaded only for a cluster: it is large. */
const clusterHome = (...args: Parameters<typeof openHome>) =>
  Effect.flatMap(
    Effect.promise(() => import("./clusterHome.ts")),
    ({ openHome: open }) => open(...args)
  )

const endOfBoth = ([drained, isDone]: readonly [Drained, boolean]): Drained => (isDone ? drained : "cut")
export type LifeEnd = Drained | "restart"

export const live = Effect.fn(...untraced("Serving.live"))(
  function* (life: Life): Effect.fn.Return<LifeEnd, Problem, Scope.Scope | Effect.Services<typeof makeNotify>> {
    const { plan, controls, readAgain } = life
    let { configuration } = life
    const here = process.cwd()
    const notify = yield* makeNotify
    const store = Context.get(yield* Effect.mapError(Layer.build(configuredStore(configuration)), problemOf), Store)
    const host = withoutOwn(yield* HostEnvironment, configuration)
    const agents = yield* Effect.provideService(findAgents(configuration, life.own), HostEnvironment, host)
    const key = yield* openKey
    life.keep(key)
    // Before the page is opened, so that a refused token is reported first.
    const bots = yield* Effect.forEach(life.channels, ({ open }) => Effect.mapError(open, problemOf))
    const changes = bridgeChanges(configuration, here)
    const options: BridgeOptions = {
      ...changes,
      agents: agents.layers,
      agent: agents.agent,
      clis: life.own === undefined ? [] : [life.own],
      progress: configuration.progress,
      limits: configuration.limits,
      footer: true,
      gateway: gatewayOf(configuration, bots),
      onRestart: () => void Queue.offerUnsafe(controls, { _tag: "Restart" }),
      ...present({ transcribe: transcriptionOf(configuration) }),
      ...(life.pair ? { pair: showCode(isJournal((yield* HostEnvironment)["JOURNAL_STREAM"])) } : {})
    }
    const withStore = Layer.succeed(Store, store)
    const paths = Object.values(changes.directories).map(({ path }) => path)
    const home = plan.cluster && (yield* clusterHome(plan.cluster, configuration, store, agents, paths, host))
    const services = yield* ChannelBridge.layer(options).pipe(
      Layer.provide(withStore),
      Layer.build,
      Effect.provideService(HostEnvironment, host),
      Effect.provideService(ConversationsOf, home?.withElsewhere ?? ((_, sessions) => sessions)),
      Effect.mapError(problemOf)
    )
    const bridge = Context.get(services, ChannelBridge)
    let { directories } = changes
    const page = yield* openPage(plan, {
      key,
      directories: () => Object.entries(directories).map(([name, { path }]) => ({ name, path })),
      agents: agents.rows,
      budget: yield* budgetRow(configuration, store)
    }).pipe(Effect.provideService(HostEnvironment, host), Effect.provide(withStore))
    const webhooks = yield* openWebhooks({ configuration, ready: life.webhooks, served: bots, post: bridge.post })
    const channels = [...bots, page.channel, ...(webhooks === undefined ? [] : [webhooks])]
    const serve = Effect.fn(...untraced("Serving.serve"))(function* (channel: Channel) {
      const begun = yield* Deferred.make<void>()
      const serve = bridge.serve(listening(channel, begun)).pipe(Effect.provideService(HostEnvironment, host))
      const isShared = home !== undefined && channel.id !== "web"
      const serving = yield* Effect.forkScoped(isShared ? inTurn(channel, serve) : serve)
      const over = Effect.mapError(Fiber.join(serving), problemOf)
      // A channel that another machine serves is waited for in the background.
      yield* Effect.raceFirst(
        isShared ? Effect.sleep("2 seconds") : Effect.never,
        Effect.raceFirst(Deferred.await(begun), over)
      )
      return over
    })
    const failed = Effect.raceAllFirst(yield* Effect.forEach(channels, serve))
    const startedAt = yield* Clock.currentTimeMillis
    const mark = { pid: process.pid, startedAt, address: page.address, directory: here }
    // Another machine may hold a shared account.
    const own = channels.filter(({ id }) => home === undefined || id === "web")
    for (const { id, accountId } of own) yield* Effect.mapError(leaveMark(store, id, accountId, mark), problemOf)
    yield* notify.say("READY=1")
    yield* notify.keepAlive
    for (const note of agents.notes) yield* Effect.logWarning(note)
    for (const note of page.notes) yield* Effect.logWarning(note)
    const others = Object.keys(agents.layers).filter((name) => name !== agents.agent)
    const also = others.length === 0 ? "" : ` (also there: ${others.join(", ")})`
    yield* Effect.logInfo(
      `${agents.agent === "demo" ? "The demo agent" : agents.agent} answers in ${harmless(here)}${also}`
    )
    yield* tellAddress(page.url, page.address)

    const reload = Effect.gen(function* () {
      const read = yield* readAgain
      if (read === undefined) return
      const next = reloaded(configuration, read)
      const agent = read.agent !== undefined && Object.hasOwn(agents.layers, read.agent) ? read.agent : agents.agent
      const again = bridgeChanges(next.configuration, here)
      const changed = yield* Effect.result(bridge.change({ ...again, agent }))
      if (changed._tag === "Failure") {
        return yield* Effect.logError(
          `The configuration was read again, and nothing of it counts: ${changed.failure.message}`
        )
      }
      configuration = next.configuration
      directories = again.directories
      yield* Effect.logInfo(reloadText(next))
    })

    while (true) {
      const next = yield* Effect.raceFirst(Queue.take(controls), failed)
      if (next._tag === "Reload") yield* reload
      else if (next._tag === "Restart") return "restart"
      else {
        yield* notify.say("STOPPING=1")
        const drained = drain(bridge, next.signal, home?.running)
        const both =
          home === undefined ? drained : Effect.map(Effect.all([drained, home.drain], { concurrency: 2 }), endOfBoth)
        return yield* Effect.raceFirst(both, failed)
      }
    }
  },
  (work) => Effect.scoped(work)
)

/** The page needs no code, since its users have its key. A journal may be read by others. */
const showCode =
  (isRead: boolean): NonNullable<BridgeOptions["pair"]> =>
  (code, { channel, accountId }) => {
    if (channel === "web" || channel === webhookChannel) return Effect.void
    return isRead
      ? Effect.logWarning("The code for pairing is shown at a terminal alone: stop this, and start it there once")
      : Console.log(
          `Send this code to ${harmless(channel)} (${harmless(accountId)}) within ten minutes to be its owner: ${code}`
        )
  }
