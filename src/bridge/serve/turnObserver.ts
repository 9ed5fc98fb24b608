/** Observes each turn: its participants, typing indicator, progress message, channel updates, budget and footer. */
import { Effect, Fiber, Schedule, type Scope } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Approvals } from "../approvals/makeApprovals.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { Pacer } from "../delivery/pacer.ts"
import { unsaid } from "../delivery/payloadPieces.ts"
import { sideEffectsOf } from "../gateway/sideEffects.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import { texts } from "../texts.ts"
import type { Core } from "../turn/core.ts"
import { footerOf, type TurnFacts, turnFacts } from "../turn/footer.ts"
import { beginTurnUpdates } from "./channelUpdates.ts"
import type { ChatMemory } from "./chatMemory.ts"
import { resumeLineOf } from "./resumeLines.ts"
import { leastRole, type RunningTurns } from "./runningTurns.ts"
import type { makeScheduling } from "./scheduling.ts"
import type { makeTurnProgress } from "./turnProgress.ts"
import type { Turn, TurnObserver } from "./turns.ts"

interface TurnObserverOptions {
  readonly options: CheckedOptions
  readonly channel: Pick<Channel, "working" | "watch">
  readonly pacer: Pacer
  readonly journal: AccountJournal
  readonly core: Pick<Core, "answerer" | "running">
  readonly chats: Pick<ChatMemory, "get">
  readonly runningTurns: RunningTurns
  readonly progress: Effect.Success<ReturnType<typeof makeTurnProgress>>
  readonly scheduling: Pick<ReturnType<typeof makeScheduling>, "watchBudget">
  /** Replaces the ids in events of requests by those that presses use. */
  readonly named: Approvals["named"]
}

/** About as long as platforms display a typing indicator. */
const typingInterval = "4 seconds"

export const makeTurnObserver = Effect.fnUntraced(function* (
  deps: TurnObserverOptions
): Effect.fn.Return<(turn: Turn) => Effect.Effect<TurnObserver>, never, Scope.Scope> {
  const { options, channel, pacer, journal, core, chats, runningTurns, progress, scheduling, named } = deps
  const scope = yield* Effect.scope

  const showTyping = ({ conversation, message: { messageId } }: Turn) =>
    Effect.suspend(() => channel.working?.(conversation, messageId) ?? Effect.never).pipe(
      (call) => pacer.run({ kind: "acknowledgement", chatId: conversation.chatId }, call),
      Effect.repeat(Schedule.spaced(typingInterval)),
      Effect.ignoreCause,
      Effect.forkIn(scope)
    )

  return Effect.fnUntraced(function* (turn) {
    const { turnId, conversation, message, roles } = turn
    runningTurns.begin(conversation, { id: turnId, person: message.sender.id, role: leastRole(roles) })
    const settings = yield* chats.get(conversation)
    const { agent = options.agent } = settings
    const progressMessage = yield* progress.begin(turn, agent)
    const typing = channel.working === undefined ? undefined : yield* showTyping(turn)
    const stop = Effect.suspend(() => core.running(conversation)?.interrupt ?? Effect.succeed(false))
    const updates = yield* beginTurnUpdates(channel.watch, turn, options, settings)
    const sendUpdate = (event: AgentEvent) => {
      const session = channel.watch === undefined ? undefined : core.running(conversation)?.live?.session
      return updates.event(session === undefined ? event : named(session, event))
    }
    const checkBudget = yield* scheduling.watchBudget(message, stop)
    const hasFooter = options.footer && channel.watch === undefined
    let facts: TurnFacts = {}
    return {
      push: (event) => {
        facts = turnFacts(facts, event)
        return Effect.andThen(Effect.andThen(progressMessage.push(event), sendUpdate(event)), checkBudget(event))
      },
      end: Effect.fnUntraced(function* (outcome, payloads) {
        const { failure, result } = outcome
        runningTurns.end(conversation)
        yield* updates.end(outcome)
        if (typing !== undefined) yield* Fiber.interrupt(typing)
        const { cli } = yield* core.answerer(conversation)
        const resumeLine = resumeLineOf(cli, result)
        const { sent } = yield* sideEffectsOf(journal, turnId)
        // The person who stopped it expects no message.
        const isSilent = payloads.length === 0 && sent.length === 0 && failure === undefined
        const answer = isSilent
          ? [{ text: texts.nothingSaid }]
          : unsaid(payloads, sent, conversation, options.onToolSend)
        const isAnswered = answer.some(({ text = "", isError = false }) => text !== "" && !isError)
        const withFooter = hasFooter && isAnswered && result.outcome === "completed"
        // The resume line appears once: in the footer, or else in the progress message.
        yield* progressMessage.end(withFooter ? undefined : resumeLine)
        const footer = withFooter ? footerOf({ agent: turn.once ?? agent, facts, outcome, resumeLine }) : undefined
        return { payloads: answer, footer }
      })
    }
  })
})
