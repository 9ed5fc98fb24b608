/** Lists of the form `key=value,key=value`, with percent-encoding: headers and resource attributes; pure. */
import { validateHeaderName, validateHeaderValue } from "node:http"

/** What every request carries must not be large. */
const maxLength = 8_192
const maxPairs = 64

/** Problems name the key, where it can be shown, and never the value. */
export const pairsIn = (
  variable: string,
  text: string | undefined,
  problems: Set<string>
): Readonly<Record<string, string>> => {
  if (text === undefined) return {}
  if (text.length > maxLength) {
    problems.add(`${variable} is longer than ${maxLength} characters: none of it is sent`)
    return {}
  }
  const pairs = new Map<string, string>()
  for (const [index, part] of text.split(",").entries()) {
    if (part.trim() === "") continue
    const at = part.indexOf("=")
    const key = part.slice(0, at).trim()
    const name = at > 0 && /^[\w.-]{1,128}$/.test(key) ? `"${key}"` : `entry ${index + 1}`
    try {
      if (at < 1 || key === "") throw new Error("no name")
      pairs.set(decodeURIComponent(key), decodeURIComponent(part.slice(at + 1).trim()))
    } catch {
      problems.add(
        `${variable}: ${name} is not of the form name=value, with , and % written as %2C and %25; it is left out`
      )
    }
  }
  if (pairs.size > maxPairs) problems.add(`${variable} has more than ${maxPairs} entries: the others are left out`)
  return Object.fromEntries([...pairs].slice(0, maxPairs))
}

/** What the exporter sets by itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  "connection", "content-encoding", "content-length", "content-type", "expect", "host", "te", "trailer",
  "transfer-encoding", "upgrade"
]) // biome-ignore format: one list

/** Undefined: the variable is not set. */
export const headersIn = (
  variable: string,
  text: string | undefined,
  problems: Set<string>
): Readonly<Record<string, string>> | undefined => {
  if (text === undefined) return undefined
  const headers: Record<string, string> = {}
  for (const [key, value] of Object.entries(pairsIn(variable, text, problems))) {
    const name = key.toLowerCase()
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
      if (ownHeaders.has(name)) problems.add(`${variable}: "${name}" is set by Reins itself; it is left out`)
      else headers[name] = value
    } catch {
      const shown = /^[\w.-]{1,128}$/.test(key) ? `"${key}"` : "an entry"
      problems.add(`${variable}: ${shown} is not a header of HTTP; it is left out`)
    }
  }
  return headers
}
