/** Prints warnings and errors of the library on stderr, a line each. */
import { Formatter, Layer, Logger, References } from "effect"
import { printNow } from "./output.ts"
import { sequence } from "./sequences.ts"

const textOf = (part: unknown) => (typeof part === "string" ? part : Formatter.format(part))

const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
  const parts = Array.isArray(message) ? message : [message]
  // On a terminal the line replaces the status, which is drawn again below it.
  const wipe = process.stderr.isTTY ? sequence("\r\x1b[J") : ""
  printNow("stderr", `${wipe}reins: ${logLevel.toLowerCase()}: ${parts.map(textOf).join(" ")}\n`)
})

export const logging = Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Warn"))
