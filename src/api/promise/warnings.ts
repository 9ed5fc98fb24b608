/** Where the plain door's warnings go: to stderr, since the host may use stdout for a protocol. */
import { Logger } from "effect"

export const warnings = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
