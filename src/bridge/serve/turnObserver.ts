/** Observes each turn: its participants, typing indicator, progress message, channel updates, budget and footer. */
import { Effect, Fiber, Schedule } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { unsaid } from "../delivery/payloadPieces.ts"
import { sideEffectsOf } from "../gateway/sideEffects.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { texts } from "../texts.ts"
import { footerOf, footerOfBudgets, type TurnFacts, turnFacts } from "../turn/footer.ts"
import type { Outcome } from "../turn/outcome.ts"
import { Account, Bridge } from "./account.ts"
import { AgentRequests } from "./agentRequests.ts"
import { beginTurnUpdates } from "./channelUpdates.ts"
import { ChatMemory } from "./chatMemory.ts"
import { ChannelPacer } from "./direct.ts"
import { resumeLineOf } from "./resumeLines.ts"
import { leastRole, RunningTurns, type Turn, TurnInterrupts } from "./runningTurns.ts"
import { Scheduling } from "./scheduling.ts"
import { TurnProgress } from "./turnProgress.ts"

interface TurnEnd {
  readonly payloads: ReadonlyArray<ReplyPayload>
  /** Below the answer. */
  readonly footer: string | undefined
}

export interface TurnObserver {
  readonly push: (event: AgentEvent) => Effect.Effect<void>
  /** Returns the answer: `payloads`, or what replaces them. */
  readonly end: (outcome: Outcome, payloads: ReadonlyArray<ReplyPayload>) => Effect.Effect<TurnEnd>
}

/** About as long as platforms display a typing indicator. */
const typingInterval = "4 seconds"

export const turnObserver = Effect.gen(function* () {
  const { options, core } = yield* Bridge
  const { channel, journal, inBackground } = yield* Account
  const [pacer, chats, runningTurns] = [yield* ChannelPacer, yield* ChatMemory, yield* RunningTurns]
  const { interrupt, requested } = yield* TurnInterrupts
  const [progress, scheduling, requests] = [yield* TurnProgress, yield* Scheduling, yield* AgentRequests]

  const showTyping = ({ conversation, message: { messageId } }: Turn) =>
    Effect.suspend(() => channel.working?.(conversation, messageId) ?? Effect.never).pipe(
      (call) => pacer.run({ kind: "acknowledgement", chatId: conversation.chatId }, call),
      Effect.repeat(Schedule.spaced(typingInterval)),
      Effect.ignoreCause,
      inBackground
    )

  return Effect.fnUntraced(function* (turn: Turn): Effect.fn.Return<TurnObserver> {
    const { turnId, conversation, message, roles } = turn
    runningTurns.begin(conversation, { id: turnId, person: message.sender.id, role: leastRole(roles) })
    const settings = yield* chats.get(conversation)
    const { agent = options.agent } = settings
    const progressMessage = yield* progress.begin(turn, agent)
    const typing = channel.working === undefined ? undefined : yield* showTyping(turn)
    const updates = yield* beginTurnUpdates(channel.watch, turn, options, settings)
    const stopping = yield* requested(conversation).pipe(
      Effect.andThen(progressMessage.stopping),
      Effect.andThen(updates.stopping),
      inBackground
    )
    const sendUpdate = (event: AgentEvent) => {
      const session = channel.watch === undefined ? undefined : core.running(conversation)?.live?.session
      return updates.event(session === undefined ? event : requests.named(session, event))
    }
    const checkBudget = yield* scheduling.watchBudget(message, interrupt(conversation))
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
        yield* Fiber.interrupt(stopping)
        yield* updates.end(outcome)
        if (typing !== undefined) yield* Fiber.interrupt(typing)
        const { cli } = yield* core.answerer(conversation)
        const resumeLine = resumeLineOf(options.resumable, cli, result)
        const { sent } = yield* sideEffectsOf(journal, turnId)
        // The person who stopped it expects no message.
        const isSilent = payloads.length === 0 && sent.length === 0 && failure === undefined
        const answer = isSilent
          ? [{ text: texts.nothingSaid }]
          : unsaid(payloads, sent, conversation, options.onToolSend)
        const isAnswered = answer.some(({ text = "", isError = false }) => text !== "" && !isError)
        const isWhole = isAnswered && result.outcome === "completed"
        const withFooter = hasFooter && isWhole
        // A page shows budgets itself.
        const budgets = isWhole && channel.watch === undefined ? yield* core.budgets(conversation, turn.once) : []
        // The resume line appears once: in the footer, or else in the progress message.
        yield* progressMessage.end(withFooter ? undefined : resumeLine)
        const footer = withFooter
          ? footerOf({ agent: turn.once ?? agent, facts, outcome, budgets, resumeLine })
          : footerOfBudgets(budgets)
        return { payloads: answer, footer }
      })
    }
  })
})
