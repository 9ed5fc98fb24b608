/** Holds a conversation, first come, first served; recovers turns of dead hosts, whose locks are free. */
import { Effect, Exit, Scope } from "effect"
import { SessionBusy } from "../../contract/AgentError.ts"
import { untraced } from "../../contract/untraced.ts"
import type { ConversationContext, HoldOptions } from "./context.ts"
import { type KeyParts, keyText, subjectName } from "./conversationKey.ts"
import { writeSpilled } from "./settlement.ts"
import { recoverTurn } from "./turnEntry.ts"
import { openTurns, type TurnRow } from "./turnRows.ts"

/** Until the previous turn has taken the lock. */
const courtesy = "20 millis"

/** Whether an earlier turn is waiting, and the ids of turns found to be interrupted. */
const lookAtOthers = Effect.fn(...untraced("ConversationEntry.lookAtOthers"))(function* (
  { store, turns }: ConversationContext,
  conversation: string,
  turnId: string | undefined
) {
  const isOurs = (turn: TurnRow) => turn.turnId !== turnId && (turn.home === undefined || turn.home === store.home)
  let open = yield* openTurns(store, conversation)
  // A host that could not write an end has kept it in a file, and leaves the conversation before the turn's lock.
  if (open.some((turn) => isOurs(turn) && turn.state === "spawned")) {
    yield* writeSpilled(store)
    open = yield* openTurns(store, conversation)
  }
  const mine = open.find((turn) => turn.turnId === turnId)?.seq ?? Number.POSITIVE_INFINITY
  const interrupted: Array<string> = []
  let isBefore = false
  for (const turn of open.filter(isOurs)) {
    if (yield* turns.isTaken(turn.turnId)) isBefore ||= turn.state === "queued" && turn.seq < mine
    else {
      const recovered = yield* recoverTurn(store, turn)
      if (recovered?.state === "interrupted") interrupted.push(turn.turnId)
    }
  }
  return { isBefore, interrupted }
})

/** Holds the conversation until the scope closes; returns the ids of turns found to be interrupted. */
export const enterConversation = Effect.fn(...untraced("ConversationEntry.enterConversation"))(function* (
  context: ConversationContext,
  key: KeyParts,
  turnId: string | undefined,
  options: HoldOptions
) {
  const conversation = keyText(key)
  const outer = yield* Scope.Scope
  const interrupted: Array<string> = []
  while (true) {
    const scope = yield* Scope.fork(outer)
    const held = yield* Scope.provide(context.hold(key, options), scope)
    const others = yield* lookAtOthers(context, conversation, turnId)
    interrupted.push(...others.interrupted)
    if (!others.isBefore) return { held, interrupted }
    yield* Scope.close(scope, Exit.void)
    if (!options.isPatient) {
      return yield* new SessionBusy({ what: "conversation", subject: subjectName(key), waitedMs: 0 })
    }
    yield* Effect.sleep(courtesy)
  }
})
