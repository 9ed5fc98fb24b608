/** Errors of the store and of the configuration → a message and an exit code. */
import { Console, Effect } from "effect"
import type { ConfigurationError } from "../../contract/ConfigurationError.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { badUsage, Ended, sessionBusy } from "../exit.ts"
import { inFlags } from "../flagNames.ts"

/** Exit code 3: the session is in use; 2: bad usage. */
const codeOf = ({ reason }: StoreError): number => {
  if (reason._tag === "SessionBusy") return sessionBusy
  return reason._tag === "InvalidParams" ? badUsage : 1
}

/** In the words of the command line. */
const helpOf = ({ reason, help }: StoreError): string =>
  reason._tag === "AmbiguousSession" ? "Give the whole id, or name the CLI with --cli." : inFlags(help)

export const failWith = (problem: string, exitCode: number) =>
  Effect.andThen(Console.error(`reins: ${harmless(problem)}`), Effect.fail(new Ended({ exitCode })))

export const printingFailures = <A, R>(
  work: Effect.Effect<A, StoreError | ConfigurationError | Ended, R>
): Effect.Effect<A, Ended, R> =>
  Effect.catchTag(work, ["StoreError", "ConfigurationError"], (error) =>
    error._tag === "StoreError"
      ? failWith(`${inFlags(error.message)}\n${helpOf(error)}`, codeOf(error))
      : failWith(error.message, 1)
  )
