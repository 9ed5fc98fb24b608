/**
 * A message → the name of a command and what stands behind it; pure. It looks at the beginning alone, however long the
 * text is.
 */
import { withoutInvisible } from "../../contract/text/harmless.ts"

export interface Named {
  readonly prefix: "/" | "!"
  readonly name: string
  /** The account for which it is, as in `/stop@bot`. */
  readonly account: string | undefined
  readonly rest: string
}

/** Of name and account together. */
const longest = 100

/** Spaces, and characters that nobody sees. */
const leading = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/u
/** A path, such as `/etc/hosts`, is no command. */
const form = /^([/!])([\p{L}\p{N}_-]+)(?:@([^\s@]+))?$/u

/** Drops the mention of the account at the beginning: `@bot stop`. */
const withoutMention = (text: string, accounts: ReadonlyArray<string>): string => {
  if (!text.startsWith("@")) return text
  const head = /^@[^\s,:]+/.exec(text.slice(0, longest))?.[0] ?? ""
  const isOurs = accounts.some((account) => account.toLowerCase() === head.slice(1).toLowerCase())
  return isOurs ? text.slice(head.length).replace(/^[\s,:]+/, "") : text
}

/** What was said to the account, without what stands before it. */
export const bare = (text: string, accounts: ReadonlyArray<string>): string =>
  withoutMention(text.replace(leading, ""), accounts)

/** Of a text that is `bare`; undefined: it is no command. */
export const namedIn = (text: string): Named | undefined => {
  const head = text.slice(0, longest + 1).normalize("NFKC")
  if (!head.startsWith("/") && !head.startsWith("!")) return undefined
  const end = text.search(/\s/)
  const token = end === -1 ? text : text.slice(0, end)
  if (token.length > longest) return undefined
  const parts = form.exec(withoutInvisible(token.normalize("NFKC")))
  if (parts === null) return undefined
  const [, prefix, name = "", account] = parts
  return { prefix: prefix === "!" ? "!" : "/", name, account, rest: end === -1 ? "" : text.slice(end).trim() }
}
