/** The agents of a bridge, by name, with their accounts; and which of them answers a chat, with which parameters. */
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import { planless } from "../../agents/approvals/planless.ts"
import type { AgentOpenParams, ConversationOfSession } from "../../contract/AgentOpenParams.ts"
import type { BudgetState } from "../../contract/Budget.ts"
import { untraced } from "../../contract/untraced.ts"
import { Sessions } from "../../conversations/Sessions.ts"
import type { Store } from "../../conversations/store/Store.ts"
import type { Worktrees } from "../../conversations/Worktrees.ts"
import { Ledger } from "../../money/Ledger.ts"
import type { Platform } from "../../system/process/Platform.ts"
import type { BridgeAgents, CheckedOptions, Environment } from "../BridgeOptions.ts"
import type { ChatSettings } from "../ChatSettings.ts"
import { chatEnvironment } from "../gateway/gatewayParams.ts"
import type { Conversation } from "../messages/Conversation.ts"
import { mayRotate } from "./answering.ts"
import type { Outcome } from "./outcome.ts"

/** The application's wrapper for the conversations of an agent; default: none. */
export const ConversationsOf = Context.Reference<(cli: string, sessions: Sessions["Service"]) => Sessions["Service"]>(
  "reins/bridge/ConversationsOf",
  { defaultValue: () => (_, sessions) => sessions }
)

export interface BridgeAgent {
  readonly sessions: Sessions["Service"]
  readonly runtime: Pick<AgentRuntime["Service"], "cli" | "defaults" | "supports">
  /** How its budgets stand; none without a `Ledger` in its layer. */
  readonly budgets: Effect.Effect<ReadonlyArray<BudgetState>>
}

/** An answer waits at most this long for the store. */
const patience = "1 second"

const budgetsIn = (built: Context.Context<never>): BridgeAgent["budgets"] =>
  Option.match(Context.getOption(built, Ledger), {
    onNone: () => Effect.succeed([]),
    onSome: ({ budgets }) =>
      Effect.map(
        Effect.timeoutOption(budgets, patience),
        Option.getOrElse(() => [])
      ).pipe(Effect.catch((error) => Effect.as(Effect.logWarning(`budgets cannot be shown: ${error.message}`), [])))
  })

type AgentOfName = (name: string) => Effect.Effect<BridgeAgent> | undefined

export const makeAgents = Effect.fn(...untraced("Agents.makeAgents"))(function* (
  agents: BridgeAgents
): Effect.fn.Return<AgentOfName, never, Scope.Scope | Store | Platform | Worktrees> {
  const context = yield* Effect.context<Scope.Scope | Store | Platform | Worktrees>()
  const conversationsOf = yield* ConversationsOf
  const made = yield* Effect.forEach(Object.entries(agents), ([name, agent]) =>
    Effect.map(
      Effect.cached(
        Effect.provideContext(
          Effect.map(Layer.build(Layer.provideMerge(Sessions.layer, agent)), (built) => ({
            sessions: conversationsOf(Context.get(built, AgentRuntime).cli, Context.get(built, Sessions)),
            runtime: Context.get(built, AgentRuntime),
            budgets: budgetsIn(built)
          })),
          context
        )
      ),
      (made) => [name, made] as const
    )
  )
  const byName = new Map(made)
  return (name) => byName.get(name)
})

// Settings of the chat and options of the bridge → the agent of its turns, and their parameters; pure.

/** Escapes the separator, so that different chats have different texts. */
const part = (id: string) => id.replaceAll("%", "%25").replaceAll("/", "%2F")

/** The ledger account of a chat. */
export const accountOf = ({ channel, accountId, chatId }: Conversation) => ({
  user: [channel, accountId, chatId].map(part).join("/")
})

export interface TurnPlan {
  readonly agent: string
  readonly params: Pick<
    AgentOpenParams,
    "additionalDirectories" | "workingDirectory" | "model" | "permissionMode" | "effort" | "env"
  > &
    Pick<ConversationOfSession, "worktree">
}

/** Whether the agent makes a plan before it acts. */
export const plansFirst = ({ planMode = "off" }: ChatSettings) => planMode !== "off"

/**
 * Settings without a plan that would be approved automatically, where no approval is ever asked for: in a run, and by an
 * agent without plans. The agent would plan, and never act.
 */
export const withoutLostPlan = (chosen: ChatSettings, cli: string, isLive: boolean): ChatSettings =>
  chosen.planMode === "auto" && (!isLive || planless.has(cli)) ? { ...chosen, planMode: "off" } : chosen

/** A chosen agent or directory that the bridge no longer has is ignored. */
export const planOf = ({ agents, agent, directories, directory }: CheckedOptions, chosen: ChatSettings): TurnPlan => {
  const known = [chosen.directory, directory].find((name) => name !== undefined && Object.hasOwn(directories, name))
  const place = known === undefined ? undefined : directories[known]
  const name = chosen.agent ?? place?.agent ?? agent
  const model = chosen.model ?? place?.model
  const permissionMode = plansFirst(chosen) ? "plan" : (chosen.mode ?? place?.permissionMode)
  return {
    agent: Object.hasOwn(agents, name) ? name : agent,
    params: {
      env: chatEnvironment,
      ...(place === undefined ? {} : { workingDirectory: place.path }),
      ...(place?.worktree === undefined ? {} : { worktree: place.worktree }),
      ...(model === undefined ? {} : { model }),
      ...(permissionMode === undefined ? {} : { permissionMode }),
      ...(chosen.effort === undefined ? {} : { effort: chosen.effort })
    }
  }
}

// Environments of agents: after a refusal before any output, a turn is retried with each other one.

type Profiles = { readonly [agent: string]: ReadonlyArray<Environment> }

interface Rotation {
  /** The environment that a conversation uses now. */
  readonly environment: (conversation: string, agent: string) => Environment
  /** To be called when a live session was opened: it keeps its environment until `closed`. */
  readonly opened: (conversation: string) => void
  readonly closed: (conversation: string) => void
  /** Tries the environments until one answers. Each further attempt is a turn of its own in the store. */
  readonly ask: <R>(
    conversation: string,
    agent: string,
    turnId: string,
    attempt: (turnId: string, isLast: boolean) => Effect.Effect<Outcome, never, R>,
    /** Runs before another attempt: an open session has the old environment. */
    next: Effect.Effect<void>
  ) => Effect.Effect<Outcome, never, R>
}

export const makeRotation = (profiles: Profiles): Rotation => {
  /** Index of the environment that answered last, by agent. */
  const answered = new Map<string, number>()
  const [asking, open] = [new Map<string, number>(), new Map<string, number>()]
  const listOf = (agent: string) => (Object.hasOwn(profiles, agent) ? (profiles[agent] ?? []) : [])
  const presentOf = (conversation: string, agent: string) =>
    asking.get(conversation) ?? open.get(conversation) ?? answered.get(agent) ?? 0
  return {
    environment: (conversation, agent) => {
      const list = listOf(agent)
      return list[presentOf(conversation, agent) % Math.max(1, list.length)] ?? {}
    },
    opened: (conversation) => {
      const present = asking.get(conversation)
      if (present !== undefined) open.set(conversation, present)
    },
    closed: (conversation) => void open.delete(conversation),
    ask: Effect.fn(...untraced("Agents.ask"))(function* (conversation, agent, turnId, attempt, next) {
      const count = Math.max(1, listOf(agent).length)
      const first = presentOf(conversation, agent) % count
      const numbered = (number: number) => (number === 0 ? turnId : `${turnId}.${number}`)
      const ended = Effect.sync(() => asking.delete(conversation))
      const work = Effect.gen(function* () {
        for (let number = 0; ; number += 1) {
          const profile = (first + number) % count
          asking.set(conversation, profile)
          const isLast = number === count - 1
          const outcome = yield* attempt(numbered(number), isLast)
          if (!mayRotate(outcome)) answered.set(agent, profile)
          if (isLast || !mayRotate(outcome)) return outcome
          yield* Effect.logInfo(`profile ${profile + 1} of ${agent} was refused: trying the next one`)
          yield* next
        }
      })
      return yield* Effect.ensuring(work, ended)
    })
  }
}
