/** What the library logs: on stderr, a line each, and only if something is wrong. stdout belongs to the events. */
import { Formatter, Layer, Logger, References } from "effect"
import { printNow } from "./output.ts"
import { sequence } from "./sequences.ts"

const told = (part: unknown) => (typeof part === "string" ? part : Formatter.format(part))

const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
  const parts = Array.isArray(message) ? message : [message]
  // On a terminal the line takes the place of the status, which is drawn again below it.
  const wipe = process.stderr.isTTY ? sequence("\r\x1b[J") : ""
  printNow("stderr", `${wipe}reins: ${logLevel.toLowerCase()}: ${parts.map(told).join(" ")}\n`)
})

export const logging = Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Warn"))
