/** Slack's markup of a message → what its author typed; pure. */

const escapes: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" }
const unescaped = (text: string) => text.replace(/&(?:lt|gt|amp);/g, (written) => escapes[written] ?? written)

const linked = (target: string, label: string | undefined) => {
  const address = target.replace(/^mailto:/, "")
  return label === undefined || label === address || label === target ? address : `${label} (${address})`
}

/** `<@U1|ann>`, `<#C1|general>`, `<!here>`, `<https://…|label>`. */
const token = /<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g

/** Mentions of the bot itself are left out. */
export const plainText = (text: string, botId: string): string => {
  const written = text.replace(token, (whole, sign: string, target: string, label: string | undefined) => {
    if (sign === "@") return target === botId ? "" : `@${label || target}`
    if (sign === "#") return `#${label || target}`
    if (sign === "!") return label || `@${target.split("^")[0]}`
    return target === "" ? whole : linked(target, label)
  })
  return unescaped(written).trim()
}

export const mentions = (text: string, userId: string): boolean => new RegExp(`<@${userId}(?:\\|[^<>]*)?>`).test(text)

/** The person whom a message begins with. */
export const addressee = (text: string): string | undefined => /^\s*<@([A-Z0-9]+)(?:\|[^<>]*)?>/.exec(text)?.[1]
