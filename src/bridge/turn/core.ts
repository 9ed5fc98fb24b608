/**
 * The turns of a bridge, whoever delivers what comes of them: which agent answers a conversation, its live session, and
 * what is under way. One turn of a conversation at a time.
 */
import { Effect, type Scope, Semaphore } from "effect"
import type { InvalidParams } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import type { HostTool } from "../../contract/HostTool.ts"
import type { ApprovalRule } from "../../contract/Rule.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { Store } from "../../conversations/store/Store.ts"
import { keepTextsYoung } from "../../conversations/turns/oldTexts.ts"
import { makePlaces, type Places } from "../../conversations/turns/places.ts"
import { reopenTurn } from "../../conversations/turns/recoverTurn.ts"
import type { Platform } from "../../system/process/Platform.ts"
import type { AccessOf } from "../access/AccessOptions.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { ChatSettings } from "../ChatSettings.ts"
import type { Outlet } from "../gateway/gatewayContext.ts"
import { allowGateway, gatewayParams } from "../gateway/gatewayParams.ts"
import { knownConversation } from "../journal/conversations.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationParts, conversationText } from "../messages/Conversation.ts"
import { type McpSideEffects, noSideEffects } from "../messages/McpSideEffects.ts"
import { type BridgeAgent, makeAgents } from "./agents.ts"
import { type Answerer, answer, makeHeldEnds, type Question, type Running, unlessStopped } from "./answering.ts"
import { makeLive } from "./live.ts"
import { broken, type Outcome } from "./outcome.ts"
import { accountOf, planOf, type TurnPlan } from "./plan.ts"
import { makeRotation } from "./profiles.ts"
import { makeRests, settledEarly } from "./rests.ts"

/** What whoever serves a conversation adds to its turns. */
export interface Surroundings {
  /** How others write to its account; undefined: nobody can. */
  readonly outlet?: Outlet
  readonly settings: (conversation: Conversation) => Effect.Effect<ChatSettings>
  /** Tools of the host for an agent that works in a directory. */
  readonly tools: (conversation: Conversation, directory: string) => ReadonlyArray<HostTool>
  /** Further directories that an agent may read: where files of people lie. */
  readonly directories: (conversation: Conversation) => Effect.Effect<ReadonlyArray<string>>
  /** Empty: nobody is asked anything. */
  readonly approvals: (settings: ChatSettings) => ReadonlyArray<ApprovalRule>
  /** Each event of a live session, also between its turns. */
  readonly onEvent: (conversation: Conversation, session: AgentSession, event: AgentEvent) => Effect.Effect<void>
  /** A turn that an agent began by itself has ended. */
  readonly onOwnTurn: (conversation: Conversation, outcome: Outcome) => Effect.Effect<void>
  /** What the bridge was given has changed. */
  readonly changed?: Effect.Effect<void>
  /** Checks other lists of people; they count once the effect that it gives was run. */
  readonly relist?: (access: AccessOf) => Effect.Effect<Effect.Effect<void>, InvalidParams>
  /** Nothing of a live session is left. */
  readonly onEnd: (session: AgentSession) => Effect.Effect<void>
  /** A turn of `handle` begins. Its effect is to be run at the end: what the agent sent itself. */
  readonly begin: (message: ChannelMessage, turnId: string) => Effect.Effect<Effect.Effect<McpSideEffects>>
}

/** Nobody serves it: what a chat chose is not known, and nobody is asked. */
export const alone: Surroundings = {
  settings: () => Effect.succeed({}),
  tools: () => [],
  directories: () => Effect.succeed([]),
  approvals: () => [],
  onEvent: () => Effect.void,
  onOwnTurn: () => Effect.void,
  onEnd: () => Effect.void,
  begin: () => Effect.succeed(Effect.succeed(noSideEffects))
}

export interface Core {
  /** Waits for the turn before it. Never fails. */
  readonly ask: (question: Question, listen: (event: AgentEvent) => Effect.Effect<void>) => Effect.Effect<Outcome>
  /** The turn that is under way. */
  readonly running: (conversation: Conversation) => Running | undefined
  /** Turns under way. */
  readonly busy: () => number
  readonly places: Pick<Places, "claim" | "most">
  /** What the next turn asks: the id of a CLI, and the directory in which it works. */
  readonly answerer: (conversation: Conversation) => Effect.Effect<{ readonly cli: string; readonly directory: string }>
  /** A turn of a host that was stopped is not aborted, but interrupted. */
  readonly reopen: (turnId: string) => Effect.Effect<void, StoreError>
  /** The next turn begins with what the chat has chosen by then. */
  readonly close: (conversation: Conversation) => Effect.Effect<void>
  /** The next turn begins without what was said before, whichever agent it asks. Fails like the store. */
  readonly forget: (conversation: Conversation) => Effect.Effect<void, StoreError>
  readonly conversations: Effect.Effect<ReadonlyArray<Conversation>>
}

const directoryOf = ({ workingDirectory = process.cwd() }: TurnPlan["params"]) => workingDirectory

/** A run has the tools by a server of its own, which ends with it. */
const runParams = (
  { cli, defaults }: BridgeAgent["runtime"],
  params: TurnPlan["params"],
  tools: () => ReadonlyArray<HostTool>
): Answerer["params"] =>
  Effect.suspend(() => {
    const own = tools()
    if (own.length === 0) return Effect.succeed(params)
    return Effect.map(gatewayParams(cli, own), ({ env, allowedTools, ...server }) => ({
      ...params,
      ...server,
      env: { ...params.env, ...env },
      ...(allowedTools === undefined ? {} : { allowedTools: [...(defaults?.allowedTools ?? []), ...allowedTools] })
    }))
  })

const namesOf = (tools: ReadonlyArray<HostTool>) => tools.map(({ name }) => name).join()

export const makeCore = Effect.fnUntraced(function* (
  options: CheckedOptions,
  around: (conversation: Conversation) => Surroundings
): Effect.fn.Return<Core, never, Scope.Scope | Store | Platform> {
  const store = yield* Store
  const scope = yield* Effect.scope
  // Also of agents that nobody asks.
  yield* Effect.forkScoped(keepTextsYoung(store))
  const agents = yield* makeAgents(options.agents)
  /** The tools of live sessions. */
  const offered = new Map<string, string>()
  const rotation = makeRotation(options.profiles)
  const underWay = new Map<string, Running>()
  /** Of conversations that have a turn, or wait for one. */
  const orders = new Map<string, { readonly turns: Semaphore.Semaphore; users: number }>()

  const planned = Effect.fnUntraced(function* (conversation: Conversation, once?: string) {
    const chosen = yield* around(conversation).settings(conversation)
    // Its model and effort are those of the chat's own agent.
    const { model: _, effort: __, ...others } = chosen
    const { agent, params: plan } = planOf(options, once === undefined ? chosen : { ...others, agent: once })
    const environment = rotation.environment(conversationText(conversation), agent)
    const params = { ...plan, env: { ...environment, ...plan.env } }
    // Its name was checked.
    const { sessions, runtime } = yield* agents(agent) ?? Effect.die(new Error(`no agent is called ${agent}`))
    const additionalDirectories = yield* around(conversation).directories(conversation)
    const given = {
      ...params,
      account: accountOf(conversation),
      ...(additionalDirectories.length === 0 ? {} : { additionalDirectories })
    }
    return { agent, sessions, runtime, params: given, chosen }
  })

  const places: Places = yield* makePlaces(options.total, (text) => live.close(knownConversation(text)))
  const live: Effect.Success<ReturnType<typeof makeLive>> = yield* makeLive({
    places,
    idleMs: options.idleMs,
    open: Effect.fnUntraced(function* (conversation) {
      const text = conversationText(conversation)
      const { tools, approvals } = around(conversation)
      const { sessions, params, chosen } = yield* planned(conversation)
      rotation.opened(text)
      const own = tools(conversation, directoryOf(params))
      offered.set(text, namesOf(own))
      const asked = approvals(chosen)
      // Nobody is asked about what the bridge itself offers.
      const rules = own.length === 0 ? asked : [allowGateway(own), ...asked]
      return yield* sessions.open({
        ...params,
        conversation: conversationParts(conversation),
        tools: own,
        approvals: rules,
        questions: asked.length === 0 ? "off" : { deadline: "1 hour" }
      })
    }),
    onEvent: (conversation, session, event) => around(conversation).onEvent(conversation, session, event),
    onOwnTurn: (conversation, outcome) => around(conversation).onOwnTurn(conversation, outcome),
    onEnd: (conversation, session) =>
      Effect.suspend(() => {
        const text = conversationText(conversation)
        rotation.closed(text)
        offered.delete(text)
        return around(conversation).onEnd(session)
      })
  })

  const inOrder = <A, E, R>(text: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const order = orders.get(text) ?? { turns: Semaphore.makeUnsafe(1), users: 0 }
      orders.set(text, order)
      order.users += 1
      const left = Effect.sync(() => {
        order.users -= 1
        if (order.users === 0) orders.delete(text)
      })
      return Effect.ensuring(order.turns.withPermits(1)(work), left)
    })

  /** Waits for a place; one that another turn of the conversation has is its own. */
  const inPlace = (text: string, listen: (event: AgentEvent) => Effect.Effect<void>) =>
    Effect.gen(function* () {
      const claim = yield* Effect.acquireRelease(
        Effect.sync(() => places.claim(text)),
        ({ leave }) => leave
      )
      if (claim.isReady()) return
      const message = `${places.most} agents are open, the most at once (limits.total)`
      yield* listen({ type: "notice", kind: "queued", message, data: { limit: "total" } })
      yield* claim.ready
    })

  return {
    places,
    ask: (question, listen) => {
      const text = conversationText(question.conversation)
      const asked = (begun: () => void, settle: (outcome: Outcome) => void) =>
        Effect.gen(function* () {
          const rests = makeRests(yield* Effect.scope)
          yield* inPlace(text, listen)
          begun()
          yield* question.onBegin ?? Effect.void
          const held = makeHeldEnds(listen)
          const attempt = Effect.fnUntraced(function* (turnId: string, isLast: boolean) {
            const { sessions, runtime, params } = yield* planned(question.conversation, question.agent)
            const tools = () => around(question.conversation).tools(question.conversation, directoryOf(params))
            // Whoever writes now may have other tools than whoever it was opened for.
            if (offered.has(text) && offered.get(text) !== namesOf(tools())) yield* live.close(question.conversation)
            const answerer = {
              sessions,
              params: runParams(runtime, params, tools),
              live: options.live && question.agent === undefined ? live.get(question.conversation) : undefined
            }
            return yield* answer(
              { ...question, turnId },
              answerer,
              held,
              (running) => {
                if (running === undefined) underWay.delete(text)
                else underWay.set(text, running)
              },
              isLast,
              rests
            )
          })
          const { agent } = yield* planned(question.conversation, question.agent)
          const next = Effect.all([held.drop, rests.wait, live.close(question.conversation)], { discard: true })
          const outcome = yield* rotation.ask(text, agent, question.turnId, attempt, next)
          yield* held.release
          settle(outcome)
          // The next turn waits for the process of this one; its answer does not.
          yield* rests.wait
          return outcome
        }).pipe(Effect.scoped)
      return unlessStopped(question.signal, (begun) =>
        settledEarly(scope, (settle) => inOrder(text, asked(begun, settle)))
      ).pipe(Effect.catchDefect((defect) => Effect.as(Effect.logError("a turn broke off", defect), broken)))
    },
    busy: () => underWay.size,
    reopen: (turnId) => reopenTurn(store, turnId),
    answerer: (conversation) =>
      Effect.map(planned(conversation), ({ runtime, params }) => ({
        cli: runtime.cli,
        directory: directoryOf(params)
      })),
    running: (conversation) => underWay.get(conversationText(conversation)),
    close: (conversation) => live.close(conversation),
    forget: Effect.fnUntraced(function* (conversation) {
      const { sessions } = yield* planned(conversation)
      yield* sessions.clear(conversationParts(conversation))
    }),
    conversations: Effect.sync(() => [...orders.keys()].map(knownConversation))
  }
})
