/** Runs the turns of a bridge, one at a time in each conversation, independent of delivery. */
import { Effect, RcMap, type Scope, Semaphore } from "effect"
import type { InvalidParams } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import type { HostTool } from "../../contract/HostTool.ts"
import type { ApprovalRule } from "../../contract/Rule.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import type { WorktreeError } from "../../contract/WorktreeError.ts"
import type { WorktreeInfo } from "../../contract/Worktrees.ts"
import { Store } from "../../conversations/store/Store.ts"
import { keepTextsYoung } from "../../conversations/turns/oldTexts.ts"
import { makePlaces, type Places } from "../../conversations/turns/places.ts"
import { reopenTurn } from "../../conversations/turns/turnEntry.ts"
import { Worktrees } from "../../conversations/Worktrees.ts"
import type { Platform } from "../../system/process/Platform.ts"
import type { AccessOf } from "../access/AccessOptions.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { ChatSettings } from "../ChatSettings.ts"
import type { Outlet } from "../gateway/gatewayContext.ts"
import { allowGateway, gatewayParams } from "../gateway/gatewayParams.ts"
import { type McpSideEffects, noSideEffects } from "../messages/AgentDeliveryResult.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationParts, conversationText, knownConversation } from "../messages/Conversation.ts"
import {
  accountOf,
  type BridgeAgent,
  makeAgents,
  makeRotation,
  planOf,
  type TurnPlan,
  withoutLostPlan
} from "./agents.ts"
import {
  type Answerer,
  answer,
  answerBeforeExit,
  makeExits,
  makeHeldEnds,
  type Question,
  type Running,
  unlessStopped
} from "./answering.ts"
import { budgetLines } from "./budgetLines.ts"
import { makeLive } from "./live.ts"
import { broken, type Outcome } from "./outcome.ts"

/** Additions of an account's server to the turns of its conversations. */
export interface Surroundings {
  /** Writes to the account; undefined if it is not served. */
  readonly outlet?: Outlet
  readonly settings: (conversation: Conversation) => Effect.Effect<ChatSettings>
  readonly tools: (conversation: Conversation, directory: Effect.Effect<string>) => ReadonlyArray<HostTool>
  /** Further directories that an agent may read. */
  readonly directories: (conversation: Conversation) => Effect.Effect<ReadonlyArray<string>>
  /** People cannot answer questions of agents. Default: false. */
  readonly isUnattended?: boolean
  /** Empty if the agent may not ask. */
  readonly approvals: (settings: ChatSettings) => ReadonlyArray<ApprovalRule>
  /** Called with each event of a live session, also between turns. */
  readonly onEvent: (conversation: Conversation, session: AgentSession, event: AgentEvent) => Effect.Effect<void>
  /** Called at the end of a turn that the agent began by itself. */
  readonly onOwnTurn: (conversation: Conversation, outcome: Outcome) => Effect.Effect<void>
  /** Called when the bridge's options have changed. */
  readonly changed?: Effect.Effect<void>
  /** Checks new lists of people; the returned effect applies them. */
  readonly relist?: (access: AccessOf) => Effect.Effect<Effect.Effect<void>, InvalidParams>
  /** Called when nothing of a live session is left. */
  readonly onEnd: (session: AgentSession) => Effect.Effect<void>
  /** Called when a turn of `handle` begins. The returned effect ends it, and returns the agent's side effects. */
  readonly begin: (message: ChannelMessage, turnId: string) => Effect.Effect<Effect.Effect<McpSideEffects>>
}

/** Surroundings of a conversation that is not served: no stored settings, no approvals. */
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

interface Answering {
  readonly cli: string
  /** In the worktree of the conversation, if it has one. */
  readonly directory: string
  /** In a live session; else each turn is a run. */
  readonly isLive: boolean
}

export interface Core {
  /** Waits for earlier turns of the conversation. Never fails. */
  readonly ask: (question: Question, listen: (event: AgentEvent) => Effect.Effect<void>) => Effect.Effect<Outcome>
  readonly running: (conversation: Conversation) => Running | undefined
  readonly busy: () => number
  readonly places: Pick<Places, "claim" | "most">
  /** The agent of the next turn. */
  readonly answerer: (conversation: Conversation) => Effect.Effect<Answering>
  /** Lines about the budgets of the chat that are nearly used up. `once`: the agent of one turn. */
  readonly budgets: (conversation: Conversation, once: string | undefined) => Effect.Effect<ReadonlyArray<string>>
  /** The worktree of its next turn; undefined while it has none. */
  readonly worktree: (conversation: Conversation) => Effect.Effect<WorktreeInfo | undefined, WorktreeError>
  /** Marks a turn that was aborted by the end of its host as interrupted, so that it can be resumed. */
  readonly reopen: (turnId: string) => Effect.Effect<void, StoreError>
  /** Closes the live session: the next turn starts with the current settings. */
  readonly close: (conversation: Conversation) => Effect.Effect<void>
  /** Starts over: the next turn has no history, whichever agent it asks. */
  readonly forget: (conversation: Conversation) => Effect.Effect<void, StoreError>
  readonly conversations: Effect.Effect<ReadonlyArray<Conversation>>
}

const directoryOf = ({ workingDirectory = process.cwd() }: TurnPlan["params"]) => workingDirectory

/** Params of a run, whose tools are on a server that ends with it. */
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

export const makeCore = Effect.fn(...untraced("Core.makeCore"))(function* (
  options: CheckedOptions,
  around: (conversation: Conversation) => Surroundings
): Effect.fn.Return<Core, never, Scope.Scope | Store | Platform | Worktrees> {
  const [store, worktrees] = [yield* Store, yield* Worktrees]
  const scope = yield* Effect.scope
  // Here, so that it also runs before any agent is used.
  yield* Effect.forkScoped(keepTextsYoung(store))
  const agents = yield* makeAgents(options.agents)
  /** Names of the tools of open live sessions. */
  const offered = new Map<string, string>()
  const rotation = makeRotation(options.profiles)
  const runningTurns = new Map<string, Running>()
  /** Turn orders of conversations with a running or waiting turn. */
  const orders = yield* RcMap.make({ lookup: (_: string) => Semaphore.make(1) })

  const placeIn = (conversation: Conversation, { worktree, ...params }: TurnPlan["params"]) =>
    worktree === false
      ? Effect.succeed(undefined)
      : worktrees.placeOf(conversationParts(conversation), directoryOf(params))

  /** Where the agent works: the place in the worktree of the conversation, else the directory itself. */
  const presentDirectory = (conversation: Conversation, params: TurnPlan["params"]) =>
    placeIn(conversation, params).pipe(
      Effect.map((place) => place?.directory ?? directoryOf(params)),
      Effect.catch(({ message }) =>
        Effect.as(Effect.logWarning("the worktree of a chat is not known", message), directoryOf(params))
      )
    )

  const planned = Effect.fn(...untraced("Core.planned"))(function* (conversation: Conversation, once?: string) {
    const chosen = yield* around(conversation).settings(conversation)
    // Model and effort belong to the chat's own agent.
    const { model: _, effort: __, ...others } = chosen
    const settings = once === undefined ? chosen : { ...others, agent: once }
    const { agent } = planOf(options, settings)
    // The name was checked.
    const { sessions, runtime, budgets } = yield* agents(agent) ?? Effect.die(new Error(`no agent is called ${agent}`))
    const { supports } = runtime
    const isLive = options.live && once === undefined && (supports === undefined || supports.sessions !== undefined)
    const taken = isLive ? supports?.sessions : supports?.runs
    const { params: plan } = planOf(options, withoutLostPlan(settings, runtime.cli, isLive))
    const environment = rotation.environment(conversationText(conversation), agent)
    const params = { ...plan, env: { ...environment, ...plan.env } }
    const additionalDirectories = yield* around(conversation).directories(conversation)
    const account = accountOf(conversation)
    // Prompts name the files in them by their paths.
    const isGiven = additionalDirectories.length > 0 && taken?.has("additionalDirectories") !== false
    const more = isGiven ? { additionalDirectories } : {}
    /** The bridge's tools; empty for a CLI that takes none. */
    const tools = () =>
      isLive && taken?.has("tools") === false
        ? []
        : around(conversation).tools(conversation, presentDirectory(conversation, params))
    return { agent, sessions, runtime, isLive, budgets, chosen, tools, params: { ...params, account, ...more } }
  })

  const places: Places = yield* makePlaces(options.total, (text) => live.close(knownConversation(text)))
  const live: Effect.Success<ReturnType<typeof makeLive>> = yield* makeLive({
    places,
    idleMs: options.idleMs,
    open: Effect.fn(...untraced("Core.open"))(function* (conversation) {
      const text = conversationText(conversation)
      const { sessions, params, chosen, tools } = yield* planned(conversation)
      rotation.opened(text)
      const own = tools()
      offered.set(text, namesOf(own))
      const { approvals, isUnattended = false } = around(conversation)
      const chatRules = approvals(chosen)
      // Tools of the bridge need no approval.
      const rules = own.length === 0 ? chatRules : [allowGateway(own), ...chatRules]
      return yield* sessions.open({
        ...params,
        conversation: conversationParts(conversation),
        ...(own.length === 0 ? {} : { tools: own }),
        approvals: rules,
        questions: chatRules.length === 0 || isUnattended ? "off" : { deadline: "1 hour" }
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

  const inOrder = <A, E>(text: string, work: Effect.Effect<A, E>) =>
    Effect.scoped(Effect.flatMap(RcMap.get(orders, text), (order) => order.withPermit(work)))

  /** Waits for a place. Turns of one conversation share theirs. */
  const inPlace = Effect.fn(...untraced("Core.inPlace"))(function* (
    text: string,
    listen: (event: AgentEvent) => Effect.Effect<void>
  ) {
    const claim = yield* Effect.acquireRelease(
      Effect.sync(() => places.claim(text)),
      ({ leave }) => leave
    )
    if (claim.isReady()) return
    const message = `${places.most} agents are open, which is the limit (limits.total)`
    yield* listen({ type: "notice", kind: "queued", message, data: { limit: "total" } })
    yield* claim.ready
  })

  return {
    places,
    ask: (question, listen) => {
      const text = conversationText(question.conversation)
      const turn = Effect.fn(...untraced("Core.turn"))(function* (
        begun: () => void,
        settle: (outcome: Outcome) => void
      ) {
        const exits = makeExits(yield* Effect.scope)
        yield* inPlace(text, listen)
        begun()
        yield* question.onBegin ?? Effect.void
        const held = makeHeldEnds(listen)
        const attempt = Effect.fn(...untraced("Core.attempt"))(function* (turnId: string, isLast: boolean) {
          const { sessions, runtime, isLive, params, tools } = yield* planned(question.conversation, question.agent)
          // The sender may have other tools than those the session was opened with.
          if (offered.has(text) && offered.get(text) !== namesOf(tools())) yield* live.close(question.conversation)
          const answerer = {
            sessions,
            params: runParams(runtime, params, tools),
            live: isLive ? live.get(question.conversation) : undefined
          }
          return yield* answer(
            { ...question, turnId },
            answerer,
            held,
            (running) => {
              if (running === undefined) runningTurns.delete(text)
              else runningTurns.set(text, running)
            },
            isLast,
            exits
          )
        })
        const { agent } = yield* planned(question.conversation, question.agent)
        const next = Effect.all([held.drop, exits.wait, live.close(question.conversation)], { discard: true })
        const outcome = yield* rotation.ask(text, agent, question.turnId, attempt, next)
        yield* held.release
        settle(outcome)
        // The next turn waits for the process of this one; the answer does not.
        yield* exits.wait
        return outcome
      }, Effect.scoped)
      return unlessStopped(question.signal, (begun) =>
        answerBeforeExit(scope, (settle) => inOrder(text, turn(begun, settle)))
      ).pipe(Effect.catchDefect((defect) => Effect.as(Effect.logError("a turn broke off", defect), broken)))
    },
    busy: () => runningTurns.size,
    reopen: (turnId) => reopenTurn(store, turnId),
    answerer: Effect.fn(...untraced("Core.answerer"))(function* (conversation) {
      const { runtime, isLive, params } = yield* planned(conversation)
      return { cli: runtime.cli, isLive, directory: yield* presentDirectory(conversation, params) }
    }),
    worktree: (conversation) =>
      Effect.map(
        Effect.flatMap(planned(conversation), ({ params }) => placeIn(conversation, params)),
        (place) => place?.worktree
      ),
    budgets: Effect.fn(...untraced("Core.budgets"))(function* (conversation, once) {
      const { budgets, params } = yield* planned(conversation, once)
      const { user } = accountOf(conversation)
      return budgetLines(yield* budgets, { user, directory: directoryOf(params) }, options.gateway.zone)
    }),
    running: (conversation) => runningTurns.get(conversationText(conversation)),
    close: (conversation) => live.close(conversation),
    forget: Effect.fn(...untraced("Core.forget"))(function* (conversation) {
      const { sessions } = yield* planned(conversation)
      yield* sessions.clear(conversationParts(conversation))
    }),
    conversations: Effect.map(RcMap.keys(orders), (texts) => [...texts].map(knownConversation))
  }
})
