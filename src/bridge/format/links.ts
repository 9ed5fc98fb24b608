/** Which links of a text may be pressed. All others stay text: `src/a.ts` is a file, not a host. */

import { harmless } from "../../contract/text/harmless.ts"

/** Caught, so that `split` keeps them: they are at the odd places. */
const joiners = /((?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L}))/u

export const readable = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .split(joiners)
    .map((part, at) => (at % 2 === 1 ? part : harmless(part)))
    .join("")

/** In characters; a longer address stays text. */
const maxLength = 2_048

/** A name with a dot inside it, or an address in numbers. */
const isDottedHost = (host: string) => /^[^.:[\]]+(?:\.[^.:[\]]+)+\.?$/.test(host)

/** In `https://bank.example@host/` a person sees another host. */
const isWeb = (url: URL) => isDottedHost(url.hostname) && url.username === "" && url.password === ""

const isAllowed = (url: URL) => {
  if (url.protocol === "http:" || url.protocol === "https:") return isWeb(url)
  if (url.protocol === "mailto:") return url.pathname.includes("@")
  return url.protocol === "tg:"
}

/** The address as a link, in printable ASCII; none where it stays text. */
export const linkUrl = (href: string): string | undefined => {
  if (href.length > maxLength || !/^(?:https?:\/\/|mailto:|tg:)/i.test(href)) return undefined
  const url = URL.parse(href)
  if (url === null || !isAllowed(url)) return undefined
  return /^[\x21-\x7e]+$/.test(href) ? href : url.href
}
