/** What an account does beside each of its turns, from the beginning to the end: who works for whom, what is shown, what is said. */
import { Effect, Fiber, Schedule, type Scope } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Approvals } from "../approvals/makeApprovals.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { Pacer } from "../delivery/pacer.ts"
import { unsaid } from "../delivery/suppress.ts"
import { sideEffectsOf } from "../gateway/sideEffects.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import { texts } from "../texts.ts"
import type { Core } from "../turn/core.ts"
import { footerOf, type SaidOfItself, saidOfItself } from "../turn/footer.ts"
import type { ChatMemory } from "./chatMemory.ts"
import type { makeTurnProgress } from "./progress.ts"
import { resumeLineOf } from "./resuming.ts"
import type { makeScheduling } from "./scheduling.ts"
import { beginSight } from "./sights.ts"
import type { Turn, TurnWatch } from "./turns.ts"
import { leastRole, type UnderWay } from "./underWay.ts"

export interface WatchingOptions {
  readonly options: CheckedOptions
  readonly channel: Pick<Channel, "working" | "watch">
  readonly pacer: Pacer
  readonly journal: AccountJournal
  readonly core: Pick<Core, "answerer" | "running">
  readonly chats: Pick<ChatMemory, "get">
  readonly underWay: UnderWay
  readonly progress: Effect.Success<ReturnType<typeof makeTurnProgress>>
  readonly scheduling: Pick<ReturnType<typeof makeScheduling>, "watchBudget">
  /** Events of requests by the ids that presses name. */
  readonly named: Approvals["named"]
}

/** Platforms show it for about so long. */
const workingAgain = "4 seconds"

export const makeWatching = Effect.fnUntraced(function* (
  given: WatchingOptions
): Effect.fn.Return<(turn: Turn) => Effect.Effect<TurnWatch>, never, Scope.Scope> {
  const { options, channel, pacer, journal, core, chats, underWay, progress, scheduling, named } = given
  const scope = yield* Effect.scope

  /** The channel shows that somebody is at work; whatever comes of that. */
  const working = ({ conversation, message: { messageId } }: Turn) =>
    Effect.suspend(() => channel.working?.(conversation, messageId) ?? Effect.never).pipe(
      (call) => pacer.run({ kind: "acknowledgement", chatId: conversation.chatId }, call),
      Effect.repeat(Schedule.spaced(workingAgain)),
      Effect.ignoreCause,
      Effect.forkIn(scope)
    )

  return Effect.fnUntraced(function* (turn) {
    const { turnId, conversation, message, roles } = turn
    underWay.begin(conversation, { id: turnId, person: message.sender.id, role: leastRole(roles) })
    const settings = yield* chats.get(conversation)
    const { agent = options.agent } = settings
    const shown = yield* progress.begin(turn, agent)
    const atWork = channel.working === undefined ? undefined : yield* working(turn)
    const stop = Effect.suspend(() => core.running(conversation)?.interrupt ?? Effect.succeed(false))
    const seen = yield* beginSight(channel.watch, turn, options, settings)
    const event = (given: AgentEvent) => {
      const session = channel.watch === undefined ? undefined : core.running(conversation)?.live?.session
      return seen.event(session === undefined ? given : named(session, given))
    }
    const budget = yield* scheduling.watchBudget(message, stop)
    const hasFooter = options.footer && channel.watch === undefined
    let said: SaidOfItself = {}
    return {
      push: (given) => {
        said = saidOfItself(said, given)
        return Effect.andThen(Effect.andThen(shown.push(given), event(given)), budget(given))
      },
      end: Effect.fnUntraced(function* (outcome, payloads) {
        const { failure, result } = outcome
        underWay.end(conversation)
        yield* seen.end(outcome)
        if (atWork !== undefined) yield* Fiber.interrupt(atWork)
        const { cli } = yield* core.answerer(conversation)
        const resumeLine = resumeLineOf(cli, result)
        const { sent } = yield* sideEffectsOf(journal, turnId)
        // Whoever stopped it expects nothing.
        const isSilent = payloads.length === 0 && sent.length === 0 && failure === undefined
        const ended = isSilent
          ? [{ text: texts.nothingSaid }]
          : unsaid(payloads, sent, conversation, options.onToolSend)
        const isAnswered = ended.some(({ text = "", isError = false }) => text !== "" && !isError)
        const isBelow = hasFooter && isAnswered && result.outcome === "completed"
        // Once, where people look for it.
        yield* shown.end(isBelow ? undefined : resumeLine)
        const who = turn.once ?? agent
        return { payloads: ended, footer: isBelow ? footerOf({ agent: who, said, outcome, resumeLine }) : undefined }
      })
    }
  })
})
