/** Outputs of a live dialogue that several CLIs make. */
import type { FailureReason } from "../contract/AgentError.ts"
import type { Match, Offer } from "../contract/Rule.ts"
import type { Output } from "./Live.ts"

export type Outputs = ReadonlyArray<Output>
export const write = (json: unknown): Output => ({ _tag: "Write", json })

/** The end of a turn that could not start. */
export const refusedTurn = (reason: FailureReason): Output => ({
  _tag: "TurnEnded",
  verdict: { _tag: "Failure", reason },
  report: {}
})

/** For a text that could not be added to the turn under way. */
export const queuedNotice: Output = {
  type: "notice",
  kind: "queued",
  message: "The text came too late for the turn under way and starts a turn of its own"
}

/** Means the same to a shell and to a rule. */
const plainWord = /^[\w./:=@%+,-]+$/

/** An offer to allow all commands with this prefix of plain words; `where`: a further limit, which `match` has, too. */
export const prefixOffer = (words: ReadonlyArray<string>, where: string, match: Match): ReadonlyArray<Offer> => {
  if (words.length === 0 || !words.every((word) => plainWord.test(word))) return []
  const prefix = words.join(" ")
  return [
    {
      label: `all commands that begin with: ${prefix}`,
      covers: `Every single command that begins with "${prefix}", with any arguments,${where} until this session ends.`,
      match: { ...match, kinds: ["command"], commands: [prefix, `${prefix} *`] }
    }
  ]
}
