/** Side effects of an agent's tools, by turn, read from the journal after the run: a crash cannot falsify them. */
import { Effect } from "effect"
import type { AccountJournal } from "../journal/Journal.ts"
import { type McpSideEffects, noSideEffects, type SentMessage } from "../messages/AgentDeliveryResult.ts"

export interface SideEffectsJournal {
  readonly sends: Pick<AccountJournal["sends"], "ofTurn">
  readonly schedules: Pick<AccountJournal["schedules"], "addedBy">
}

export const effectsOf = (sent: ReadonlyArray<SentMessage>, cronAdds: number): McpSideEffects => ({
  sentTexts: sent.flatMap(({ text }) => (text === "" ? [] : [text])),
  sentMediaUrls: sent.flatMap(({ mediaUrls }) => mediaUrls),
  sentTargets: sent.map(({ target }) => target),
  cronAdds,
  sent
})

const readEffects = ({ sends, schedules }: SideEffectsJournal, turnId: string) =>
  Effect.suspend(() => Effect.all([sends.ofTurn(turnId), schedules.addedBy(turnId)])).pipe(
    Effect.tapCause((cause) => Effect.logWarning("what an agent did by its tools cannot be read", cause)),
    Effect.catchCause(() => Effect.undefined)
  )

/** Empty if they cannot be read: an answer is never kept back for them. */
export const sideEffectsOf = (journal: SideEffectsJournal, turnId: string): Effect.Effect<McpSideEffects> =>
  Effect.map(readEffects(journal, turnId), (read) => (read === undefined ? noSideEffects : effectsOf(...read)))

const keyOf = ({ target, text, mediaUrls, at }: SentMessage) => JSON.stringify([target, text, mediaUrls, at])

/** Returns side effects of a turn that were not reported before. */
export const makeDrain = (journal: SideEffectsJournal, turnId: string): Effect.Effect<McpSideEffects> => {
  const reported = new Set<string>()
  let reportedAdds = 0
  return Effect.map(readEffects(journal, turnId), (read) => {
    if (read === undefined) return noSideEffects
    const [sent, adds] = read
    const fresh = sent.filter((message) => !reported.has(keyOf(message)))
    for (const message of fresh) reported.add(keyOf(message))
    const added = Math.max(0, adds - reportedAdds)
    reportedAdds = Math.max(reportedAdds, adds)
    return effectsOf(fresh, added)
  })
}
