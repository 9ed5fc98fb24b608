/** A message → the name of its command and the rest; pure. Only the beginning is examined, however long the text is. */
import { withoutInvisible } from "../../contract/text/harmless.ts"

interface Named {
  readonly prefix: "/" | "!"
  readonly name: string
  /** The addressed account, as in `/stop@bot`. */
  readonly account: string | undefined
  readonly rest: string
}

/** Longest name and account together. */
const longest = 100

/** Leading spaces and invisible characters. */
const leading = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/u
/** A path, such as `/etc/hosts`, is not a command. */
const form = /^([/!])([\p{L}\p{N}_-]+)(?:@([^\s@]+))?$/u

/** Drops a mention of the account at the beginning: `@bot stop`. */
const withoutMention = (text: string, accounts: ReadonlyArray<string>): string => {
  if (!text.startsWith("@")) return text
  const head = /^@[^\s,:]+/.exec(text.slice(0, longest))?.[0] ?? ""
  const isOurs = accounts.some((account) => account.toLowerCase() === head.slice(1).toLowerCase())
  return isOurs ? text.slice(head.length).replace(/^[\s,:]+/, "") : text
}

/** The text to the account, without its address. */
export const bare = (text: string, accounts: ReadonlyArray<string>): string =>
  withoutMention(text.replace(leading, ""), accounts)

/** The command in a text from `bare`; undefined if it is not a command. */
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
