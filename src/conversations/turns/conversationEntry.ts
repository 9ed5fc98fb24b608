/**
 * Holds a conversation, first come, first served. Turns of dead hosts are found here: only a holder of its lock, or of
 * the lock of its turn, can be at work in a conversation.
 */
import { Effect, Exit, Scope } from "effect"
import { SessionBusy } from "../../contract/AgentError.ts"
import type { ConversationContext, HoldOptions } from "./context.ts"
import { type KeyParts, keyText, subjectName } from "./conversationKey.ts"
import { recoverTurn } from "./recoverTurn.ts"
import { openTurns, type TurnRow } from "./turnRows.ts"

/** Until the one before has taken the lock. */
const courtesy = "20 millis"

interface Others {
  /** One that came before, and waits. */
  readonly isBefore: boolean
  /** The ids of those that were interrupted, as it was found now. */
  readonly interrupted: ReadonlyArray<string>
}

const lookAtOthers = Effect.fnUntraced(function* (
  { store, turns }: ConversationContext,
  conversation: string,
  turnId: string | undefined
) {
  const open = yield* openTurns(store, conversation)
  const mine = open.find((turn) => turn.turnId === turnId)?.seq ?? Number.POSITIVE_INFINITY
  const interrupted: Array<string> = []
  let isBefore = false
  const isOurs = (turn: TurnRow) => turn.turnId !== turnId && (turn.home === undefined || turn.home === store.home)
  for (const turn of open.filter(isOurs)) {
    if (yield* turns.isTaken(turn.turnId)) isBefore ||= turn.state === "queued" && turn.seq < mine
    else {
      const recovered = yield* recoverTurn(store, turn)
      if (recovered?.state === "interrupted") interrupted.push(turn.turnId)
    }
  }
  const others: Others = { isBefore, interrupted }
  return others
})

/** Gives the ids of turns that were found to be interrupted. The conversation is held until the scope closes. */
export const enterConversation = Effect.fnUntraced(function* (
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
