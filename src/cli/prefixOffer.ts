/** An offer of a CLI to allow more from now on → a scope: all commands that begin with the same words; pure. */
import type { Offer } from "../contract/Ask.ts"
import type { Match } from "../contract/Rule.ts"

/** Means the same to a shell and to a rule. */
const plainWord = /^[\w./:=@%+,-]+$/

/** None where a word is not plain. `where`: what else limits it, behind a comma; `match` says the same. */
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
