/**
 * The log of `reins serve`, on stderr: a line for people at a terminal, elsewhere one JSON object a line. The key of the
 * page is in none of them.
 */
import { Formatter, Layer, Logger, References } from "effect"
import { printNow } from "../output.ts"

const textOf = (part: unknown) =>
  typeof part === "string" ? part : part instanceof Error ? part.message : Formatter.format(part)

export interface LogLine {
  readonly at: Date
  readonly level: string
  readonly parts: ReadonlyArray<unknown>
}

/** @param isTerminal For people. @param secrets Are shown as `…`. */
export const logLine = ({ at, level, parts }: LogLine, isTerminal: boolean, secrets: ReadonlyArray<string>): string => {
  const whole = parts.map(textOf).join(" ")
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, "…"), whole)
  if (!isTerminal) return JSON.stringify({ time: at.toISOString(), level, message })
  const time = at.toTimeString().slice(0, 8)
  return level === "info" ? `${time} ${message}` : `${time} ${level}: ${message}`
}

export const serveLogging = (secrets: () => ReadonlyArray<string>) => {
  const logger = Logger.make<unknown, void>(({ date, logLevel, message }) => {
    const parts = Array.isArray(message) ? message : [message]
    const line = { at: date, level: logLevel.toLowerCase(), parts }
    printNow("stderr", `${logLine(line, process.stderr.isTTY === true, secrets())}\n`)
  })
  return Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Info"))
}
