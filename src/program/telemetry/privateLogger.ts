/**
 * Logs without what they name: paths, quoted texts and the words of others, which follow a colon. A message of the library
 * is a sentence of its own up to there. Causes are left out whole.
 */
import { Cause, Logger } from "effect"

const maxLength = 200

/** For a message `the gate "x" failed`: `the gate "…" failed`. */
export const privateMessage = (message: unknown): string => {
  const [first] = Array.isArray(message) ? message : [message]
  if (typeof first !== "string") return ""
  const [sentence = ""] = first.replace(/"[^"]*"|“[^”]*”|`[^`]*`/g, '"…"').split(/:(?:\s|$)/, 1)
  return sentence.replace(/\S*[/\\]\S*/g, "…").slice(0, maxLength)
}

export const privateLogger = (logger: Logger.Logger<unknown, void>): Logger.Logger<unknown, void> =>
  Logger.make((options) => logger.log({ ...options, message: privateMessage(options.message), cause: Cause.empty }))
